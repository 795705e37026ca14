internal import SystemKit

/// A wall-clock time, in whole microseconds since 1970-01-01T00:00:00Z.
///
/// Reports write RFC 3339 in UTC with six fractional digits. Text exists for the years 0000 to
/// 9999; other times are clamped to them.
package struct Timestamp: Sendable, Hashable, Comparable {
    /// Microseconds since the Unix epoch; negative before it.
    package var microseconds: Int64

    /// Creates a time from microseconds since the Unix epoch.
    package init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// Whether the left time is earlier.
    package static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// The microseconds from `earlier` to this time, saturated.
    package func microseconds(since earlier: Timestamp) -> Int64 {
        microseconds.subtractingSaturated(earlier.microseconds)
    }
}
