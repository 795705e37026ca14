internal import SystemKit

/// Turns monotonic readings into dates, which stay in order when the wall clock is set.
package struct RunClock: Sendable, Hashable {
    /// The wall clock at the start.
    package var wall: Timestamp
    /// The monotonic reading at the time of `wall`.
    package var monotonic: MonotonicTime
    /// The longest time between the two readings, microseconds.
    package var maximumSkewMicroseconds: Int64

    /// Creates a clock from two readings that were taken together.
    package init(wall: Timestamp, monotonic: MonotonicTime, maximumSkewMicroseconds: Int64) {
        self.wall = wall
        self.monotonic = monotonic
        self.maximumSkewMicroseconds = maximumSkewMicroseconds
    }

    /// The date of a monotonic reading, clamped to the possible dates.
    package func timestamp(of time: MonotonicTime) -> Timestamp {
        let elapsed = time.nanoseconds.subtractingSaturated(monotonic.nanoseconds)
        return Timestamp(microseconds: wall.microseconds.addingSaturated(elapsed / 1000))
    }
}
