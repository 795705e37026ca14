import Glibc

/// Sebastiano Vigna's SplitMix64: the same numbers for a seed on every machine, for random tests.
package struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator whose numbers follow from `seed` alone.
    package init(seed: UInt64) {
        state = seed
    }

    /// A generator for a test's random choices, whose seed is in `RUNNER_TEST_SEED`: `Scripts/test`
    /// chooses one for a run and prints it; without, the choices are always the same.
    package static func forTests() -> SplitMix64 {
        let text = unsafe getenv("RUNNER_TEST_SEED").map { unsafe String(cString: $0) }
        return SplitMix64(seed: text.flatMap { UInt64($0) } ?? 0)
    }

    /// The next 64 bits of the sequence.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
