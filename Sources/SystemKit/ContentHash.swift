/// A hash of bytes as they come, by which damage is found; anybody can make other bytes of the same hash.
///
/// FNV-1a over words of eight bytes rather than single ones, each folded, so that it is done at the speed of memory.
package struct ContentHash: Sendable, Hashable {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325
    /// Bytes that have not filled a word yet, the first one lowest.
    private var rest: UInt64 = 0
    private var restCount: UInt64 = 0
    private var count: UInt64 = 0

    package init() {}

    /// Of bytes that are all there.
    package init(of bytes: Span<UInt8>) { update(bytes) }

    package mutating func update(_ bytes: Span<UInt8>) {
        count &+= UInt64(bytes.count)
        var index = 0
        while index < bytes.count, restCount > 0 {
            take(bytes[index])
            index += 1
        }
        var state = state
        unsafe bytes.withUnsafeBytes { buffer in
            while index + 8 <= buffer.count {
                let word = unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                state = Self.mixed(state, UInt64(littleEndian: word))
                index += 8
            }
        }
        self.state = state
        while index < bytes.count {
            take(bytes[index])
            index += 1
        }
    }

    /// Of the bytes so far.
    package var value: UInt64 { Self.mixed(Self.mixed(state, rest), count) }

    private mutating func take(_ byte: UInt8) {
        rest |= UInt64(byte) << (restCount * 8)
        restCount += 1
        guard restCount == 8 else { return }
        state = Self.mixed(state, rest)
        rest = 0
        restCount = 0
    }

    private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 32)
    }
}
