import SystemKit

/// A moment after which waiting is given up.
package struct Deadline: Sendable {
    /// Long enough for a loaded machine: it decides nothing but that a broken test ends.
    package static let guardInterval: Duration = .seconds(60)

    private let nanoseconds: Int64

    package init(after interval: Duration = Self.guardInterval) {
        let (seconds, attoseconds) = interval.components
        nanoseconds =
            Clock.monotonicNanoseconds() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// What is left, rounded up, 0 when the moment has passed: an argument for `poll`.
    package var remainingMilliseconds: Int32 {
        let left = max(0, nanoseconds - Clock.monotonicNanoseconds())
        return Int32(clamping: (left + 999_999) / 1_000_000)
    }
}
