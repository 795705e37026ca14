import SystemKit
import Testing

@Suite struct ContentHashTests {
    /// Values that the reference implementation, version 0.8, gives for seed 0.
    @Test(
        arguments: [
            ("", 0xEF46_DB37_51D8_E999),
            ("a", 0xD24E_C4F1_A98C_6E5B),
            ("abc", 0x44BC_2CF5_AD77_0999),
            ("asdf", 0x4158_72F5_99CE_A71E),
            (
                "Call me Ishmael. Some years ago--never mind how long precisely-",
                0x02A2_E854_70D6_FD96
            ),
        ] as [(String, UInt64)]
    )
    func `the hash of a text is the one that xxHash publishes`(text: String, hash: UInt64) {
        #expect(ContentHash(of: text.utf8.span).value == hash)
    }

    /// Lengths around each step of the algorithm, also from the reference implementation.
    @Test(
        arguments: [
            (1, 0x1F25_C8D0_BC1F_4BB6), (3, 0x31D2_363F_52E5_64C9), (4, 0x9BB6_4B7D_66EE_9FDA),
            (7, 0x9A7B_1499_59CE_60D8), (8, 0xDAB9_9D95_C6F9_0092), (12, 0xD52E_4078_33AF_5133),
            (31, 0xA2AA_5F33_CC4A_6119), (32, 0x23C3_C17E_F790_FD97), (33, 0x50A7_CFC7_BA58_8784),
            (63, 0x5E3E_54B4_31C7_493C), (64, 0x0EB6_4B3E_F6EE_B01F), (100, 0xA61F_8D4C_170F_E531),
            (1000, 0x5F23_5FA0_33F1_A3FB),
        ] as [(Int, UInt64)]
    )
    func `the hash of bytes of any length is that of xxHash`(count: Int, hash: UInt64) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7 + 3) }
        #expect(ContentHash(of: bytes.span).value == hash)
    }

    @Test(arguments: [1, 3, 7, 8, 9, 31, 32, 33, 64])
    func `pieces of any size give the same result`(size: Int) {
        let bytes = (0..<200).map { UInt8($0) }
        var hash = ContentHash()
        var rest = bytes[...]
        while !rest.isEmpty {
            hash.update(Array(rest.prefix(size)).span)
            rest = rest.dropFirst(size)
        }
        #expect(hash.value == ContentHash(of: bytes.span).value)
    }

    @Test func `changed, cut or longer bytes have another hash`() {
        let bytes = [UInt8](repeating: 0, count: 100)
        var values = Set<UInt64>()
        for count in 0...100 {
            values.insert(ContentHash(of: bytes.span.extracting(first: count)).value)
        }
        for index in bytes.indices {
            var changed = bytes
            changed[index] = 1
            values.insert(ContentHash(of: changed.span).value)
        }
        #expect(values.count == 201)
    }

    @Test(arguments: [1, 8, 16, 32, 64])
    func `pieces that have changed places have another hash`(size: Int) {
        let bytes = (0..<128).map { UInt8($0) }
        var values: Set = [ContentHash(of: bytes.span).value]
        for start in stride(from: size, to: bytes.count, by: size) {
            let piece = bytes[start..<start + size]
            let moved = piece + bytes[..<start] + bytes[(start + size)...]
            values.insert(ContentHash(of: Array(moved).span).value)
        }
        #expect(values.count == bytes.count / size)
    }
}
