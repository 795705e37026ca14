/// A hash of bytes as they come, by which damage is found; anybody can make other bytes of the same hash.
///
/// Four chains of FNV-1a over words of eight bytes rather than single ones, each word folded: a processor works on all four
/// at once, so that it is done at the speed of memory.
package struct ContentHash: Sendable, Hashable {
    /// A word for each chain.
    private struct Words: Sendable, Hashable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0

        /// The chains behind a word more each.
        func mixed(_ words: Words) -> Words {
            Words(
                first: ContentHash.mixed(first, words.first),
                second: ContentHash.mixed(second, words.second),
                third: ContentHash.mixed(third, words.third),
                fourth: ContentHash.mixed(fourth, words.fourth)
            )
        }
    }

    /// How many bytes the chains take at once.
    private static let stripe = 32

    private var chains = Words(
        first: 0xCBF2_9CE4_8422_2325,
        second: 0x8422_2325_CBF2_9CE4,
        third: 0x9CE4_8422_2325_CBF2,
        fourth: 0x2325_CBF2_9CE4_8422
    )
    /// Bytes that have not filled a stripe yet, the first one lowest.
    private var rest = Words()
    private var restCount = 0
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
        var chains = chains
        unsafe bytes.withUnsafeBytes { buffer in
            func word(_ offset: Int) -> UInt64 {
                unsafe UInt64(
                    littleEndian: buffer.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                )
            }
            while index + Self.stripe <= buffer.count {
                chains = chains.mixed(
                    Words(
                        first: word(index),
                        second: word(index + 8),
                        third: word(index + 16),
                        fourth: word(index + 24)
                    )
                )
                index += Self.stripe
            }
        }
        self.chains = chains
        while index < bytes.count {
            take(bytes[index])
            index += 1
        }
    }

    /// Of the bytes so far.
    package var value: UInt64 {
        let ends = chains.mixed(rest)
        let halves = (Self.mixed(ends.first, ends.second), Self.mixed(ends.third, ends.fourth))
        return Self.mixed(Self.mixed(halves.0, halves.1), count)
    }

    private mutating func take(_ byte: UInt8) {
        let bits = UInt64(byte) << UInt64(restCount % 8 * 8)
        switch restCount / 8 {
        case 0: rest.first |= bits
        case 1: rest.second |= bits
        case 2: rest.third |= bits
        default: rest.fourth |= bits
        }
        restCount += 1
        guard restCount == Self.stripe else { return }
        chains = chains.mixed(rest)
        rest = Words()
        restCount = 0
    }

    private static func mixed(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let product = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ (product >> 32)
    }
}
