internal import SystemKit

/// A reading of the monotonic clock; only differences between readings are meaningful.
package struct MonotonicTime: Sendable, Hashable, Comparable {
    /// Nanoseconds since an arbitrary moment, often the machine's start.
    package var nanoseconds: Int64

    /// Creates a reading from nanoseconds of the monotonic clock.
    package init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// Whether the left reading is earlier.
    package static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }

    /// Saturates at the ends of the range, so that an extreme duration is merely very long.
    package static func + (time: MonotonicTime, duration: Duration) -> MonotonicTime {
        MonotonicTime(nanoseconds: time.nanoseconds.addingSaturated(duration.nanoseconds))
    }

    /// The time from `right` to `left`; negative when `left` is earlier.
    package static func - (left: MonotonicTime, right: MonotonicTime) -> Duration {
        .nanoseconds(left.nanoseconds &- right.nanoseconds)
    }
}

extension Duration {
    /// Whole nanoseconds, saturated at the range of `Int64` (292 years).
    package var nanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }

    /// Whole microseconds, rounded towards zero.
    package var microseconds: Int64 { nanoseconds / 1000 }
}

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
