import SystemKit
import Testing

@Suite struct NetlinkSocketTests {
    @Test func `the kernel answers rtnetlink requests`() throws {
        let socket = try NetlinkSocket()
        // RTM_GETLINK with NLM_F_REQUEST and NLM_F_DUMP for all families, in little-endian words.
        let size: UInt32 = 32
        var message = [UInt8](repeating: 0, count: Int(size))
        let words = [size.littleEndian, (18 | 0x301 << 16 as UInt32).littleEndian]
        for (index, word) in words.enumerated() {
            for byte in 0..<4 {
                message[index * 4 + byte] = UInt8(truncatingIfNeeded: word >> (byte * 8))
            }
        }
        try socket.send(message)
        let count = try socket.receive { $0.count }
        #expect(count >= 16)
        socket.drain()
    }

    @Test func `without anything to hear, draining returns at once`() throws {
        try NetlinkSocket(hearing: [.links, .addresses, .routes]).drain()
    }
}
