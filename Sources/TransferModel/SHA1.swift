/// The SHA-1 digest (FIPS 180-4 §6.1) of a short text.
///
/// Only formats that leave no choice use it, without a need for secrecy or for resistance to
/// collisions: the opening handshake of WebSockets (RFC 6455 §10.8) and the hashed names of
/// `known_hosts`. The project's other digests come from libcrypto, which a value without I/O must
/// not load.
package enum SHA1 {
    /// The HMAC of a message (RFC 2104), 20 bytes.
    package static func hmac(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
        let short = key.count > 64 ? digest(of: key) : key
        let block = short + Array(repeating: 0, count: 64 - short.count)
        return digest(of: block.map { $0 ^ 0x5C } + digest(of: block.map { $0 ^ 0x36 } + message))
    }

    /// The 20 bytes of the digest.
    package static func digest(of bytes: [UInt8]) -> [UInt8] {
        var message = bytes
        message.append(0x80)
        while message.count % 64 != 56 { message.append(0) }
        let bitCount = UInt64(bytes.count) &* 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) {
            message.append(UInt8(truncatingIfNeeded: bitCount >> shift))
        }
        var state = State()
        for start in stride(from: 0, to: message.count, by: 64) {
            state.add(block: message[start..<start + 64])
        }
        return [state.a, state.b, state.c, state.d, state.e].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
        }
    }

    /// The five words of FIPS 180-4 §5.3.1, with its names.
    private struct State {
        var a: UInt32 = 0x6745_2301
        var b: UInt32 = 0xEFCD_AB89
        var c: UInt32 = 0x98BA_DCFE
        var d: UInt32 = 0x1032_5476
        var e: UInt32 = 0xC3D2_E1F0

        mutating func add(block: ArraySlice<UInt8>) {
            var words: [UInt32] = []
            for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
                words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
            }
            for index in 16..<80 {
                let mixed =
                    words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16]
                words.append(rotated(mixed, 1))
            }
            var next = self
            for index in 0..<80 { next.step(index, words[index]) }
            a &+= next.a
            b &+= next.b
            c &+= next.c
            d &+= next.d
            e &+= next.e
        }

        private mutating func step(_ index: Int, _ word: UInt32) {
            let (mixed, constant): (UInt32, UInt32) =
                switch index {
                case ..<20: (b & c | ~b & d, 0x5A82_7999)
                case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
                case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (b ^ c ^ d, 0xCA62_C1D6)
                }
            let first = rotated(a, 5) &+ mixed &+ e &+ constant &+ word
            (a, b, c, d, e) = (first, a, rotated(b, 30), c, d)
        }

        private func rotated(_ word: UInt32, _ bits: UInt32) -> UInt32 {
            word << bits | word >> (32 - bits)
        }
    }
}
