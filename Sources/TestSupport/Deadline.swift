import SystemKit

/// A time after which a wait ends.
package struct Deadline: Sendable {
    /// Long enough for a loaded machine: it only ensures that a broken test ends.
    package static let guardInterval: Duration = .seconds(60)

    private let nanoseconds: Int64

    /// Creates a deadline `interval` from now, by the monotonic clock.
    package init(after interval: Duration = Self.guardInterval) {
        let (seconds, attoseconds) = interval.components
        nanoseconds =
            Clock.monotonicNanoseconds() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The time left for `poll`, rounded up; 0 after the deadline.
    package var remainingMilliseconds: Int32 {
        let left = max(0, nanoseconds - Clock.monotonicNanoseconds())
        return Int32(clamping: (left + 999_999) / 1_000_000)
    }
}
