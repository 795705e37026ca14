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
