/// XXH64 with seed 0: a hash of bytes that arrive in pieces, which finds damage but proves no
/// origin.
///
/// Anybody can make two texts with the same XXH64, so compare contents of strangers by SHA-256
/// instead. The algorithm and its test vectors are those of the xxHash specification, version
/// 0.1.1, section "XXH64". Four chains run side by side, which lets a processor hash at the speed
/// of memory.
package struct ContentHash: Sendable, Hashable {
    /// One 64-bit word for each of the four chains.
    private struct Words: Sendable, Hashable {
        var first: UInt64 = 0
        var second: UInt64 = 0
        var third: UInt64 = 0
        var fourth: UInt64 = 0

        /// The chains after one more word each.
        func mixed(_ words: Words) -> Words {
            Words(
                first: ContentHash.round(first, words.first),
                second: ContentHash.round(second, words.second),
                third: ContentHash.round(third, words.third),
                fourth: ContentHash.round(fourth, words.fourth)
            )
        }
    }

    /// The five primes of the specification.
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// Bytes that the four chains take at once.
    private static let stripe = 32

    private var chains = Words(
        first: prime1 &+ prime2,
        second: prime2,
        third: 0,
        fourth: 0 &- prime1
    )
    /// Bytes that do not fill a stripe yet, the first one lowest.
    private var rest = Words()
    private var restCount = 0
    private var count: UInt64 = 0

    /// The hash of no bytes.
    package init() {}

    /// The hash of the given bytes.
    package init(of bytes: Span<UInt8>) { update(bytes) }

    /// Hashes the bytes that follow.
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

    /// The hash of all bytes up to now.
    package var value: UInt64 {
        var hash = count < UInt64(Self.stripe) ? Self.prime5 : converged
        hash &+= count
        var index = 0
        while index + 8 <= restCount {
            hash = Self.rotated(hash ^ Self.round(0, restWord(index / 8)), 27)
            hash = hash &* Self.prime1 &+ Self.prime4
            index += 8
        }
        if index + 4 <= restCount {
            let half = restWord(index / 8) & 0xFFFF_FFFF
            hash = Self.rotated(hash ^ (half &* Self.prime1), 23) &* Self.prime2 &+ Self.prime3
            index += 4
        }
        while index < restCount {
            let byte = restWord(index / 8) >> UInt64(index % 8 * 8) & 0xFF
            hash = Self.rotated(hash ^ (byte &* Self.prime5), 11) &* Self.prime1
            index += 1
        }
        hash = (hash ^ hash >> 33) &* Self.prime2
        hash = (hash ^ hash >> 29) &* Self.prime3
        return hash ^ hash >> 32
    }

    /// The four chains as one word.
    private var converged: UInt64 {
        var hash = Self.rotated(chains.first, 1) &+ Self.rotated(chains.second, 7)
        hash &+= Self.rotated(chains.third, 12) &+ Self.rotated(chains.fourth, 18)
        hash = Self.merged(hash, chains.first)
        hash = Self.merged(hash, chains.second)
        hash = Self.merged(hash, chains.third)
        return Self.merged(hash, chains.fourth)
    }

    /// A word of the bytes that do not fill a stripe, 0 to 3.
    private func restWord(_ index: Int) -> UInt64 {
        switch index {
        case 0: rest.first
        case 1: rest.second
        case 2: rest.third
        default: rest.fourth
        }
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

    private static func round(_ chain: UInt64, _ word: UInt64) -> UInt64 {
        rotated(chain &+ word &* prime2, 31) &* prime1
    }

    private static func merged(_ hash: UInt64, _ chain: UInt64) -> UInt64 {
        (hash ^ round(0, chain)) &* prime1 &+ prime4
    }

    private static func rotated(_ word: UInt64, _ bits: UInt64) -> UInt64 {
        word << bits | word >> (64 - bits)
    }
}
