import TestSupport
import Testing

@testable import WebSockets

@Suite struct FrameEncoderTests {
    private func frame(
        _ opcode: Opcode,
        _ payload: [UInt8],
        isFinal: Bool = true,
        key: UInt32
    ) -> [UInt8] {
        var output: [UInt8] = []
        FrameEncoder.append(
            opcode,
            isFinal: isFinal,
            payload: payload.span,
            maskingKey: key,
            to: &output
        )
        return output
    }

    // §5.7
    @Test func `a masked text is that of the RFC's example`() {
        #expect(
            frame(.text, Array("Hello".utf8), key: 0x3D21_FA37) == [
                0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58,
            ]
        )
    }

    // §5.2
    @Test(
        arguments: [
            (0, [0x82, 0x80]), (125, [0x82, 0xFD]), (126, [0x82, 0xFE, 0, 126]),
            (65535, [0x82, 0xFE, 0xFF, 0xFF]), (65536, [0x82, 0xFF, 0, 0, 0, 0, 0, 1, 0, 0]),
        ] as [(Int, [UInt8])]
    )
    func `a length has as few bytes as possible`(length: Int, header: [UInt8]) {
        let output = frame(.binary, [UInt8](repeating: 0, count: length), key: 0x0403_0201)
        #expect(Array(output.prefix(header.count)) == header)
        #expect(output.count == header.count + 4 + length)
        #expect(Array(output.dropFirst(header.count).prefix(4)) == [1, 2, 3, 4])
    }

    // §5.3: every length around the machine word, behind other bytes of any number
    @Test(arguments: 0...40)
    func `each byte is masked by the key byte of its place`(length: Int) throws {
        let payload = (0..<length).map { UInt8($0 &* 37 & 0xFF) }
        for before in 0..<9 {
            var output = [UInt8](repeating: 0x55, count: before)
            FrameEncoder.append(
                .binary,
                payload: payload.span,
                maskingKey: 0xDEAD_BEEF,
                to: &output
            )
            #expect(output.prefix(before).allSatisfy { $0 == 0x55 })
            let frames = try #require(ClientFrame.read(Array(output.dropFirst(before))))
            #expect(frames == [ClientFrame(opcode: ServerFrame.binary, payload: payload)])
        }
    }

    @Test func `the final bit and the opcode are those of the frame`() throws {
        let output =
            frame(.text, [1], isFinal: false, key: 5) + frame(.continuation, [2], key: 6)
            + frame(.close, [], key: 7) + frame(.ping, [3], key: 8) + frame(.pong, [4], key: 9)
        #expect(
            ClientFrame.read(output) == [
                ClientFrame(isFinal: false, opcode: 1, payload: [1]),
                ClientFrame(opcode: 0, payload: [2]),
                ClientFrame(opcode: 8), ClientFrame(opcode: 9, payload: [3]),
                ClientFrame(opcode: 10, payload: [4]),
            ]
        )
    }
}
