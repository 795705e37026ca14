internal import SystemKit

/// A daily period in local time; it spans midnight unless its end is after its start.
package struct DailyWindow: Sendable, Hashable {
    /// The first minute inside, 0 to 1,439 after midnight.
    package var start: Int
    /// The first minute after it, 0 to 1,439 after midnight; midnight is 0.
    package var end: Int

    /// Creates a window from two minutes of the day; equal minutes mean the whole day.
    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    /// Whether a minute of the day lies inside.
    package func contains(_ minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// The job file's notation, such as `01:00-05:00`.
    package var text: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minute: Int) -> String {
        "\((minute / 60).padded(to: 2)):\((minute % 60).padded(to: 2))"
    }
}
