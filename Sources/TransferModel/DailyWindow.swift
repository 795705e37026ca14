internal import SystemKit

/// A part of every day, by local time; over midnight when its end is not behind its beginning.
package struct DailyWindow: Sendable, Hashable {
    /// Minutes after midnight, 0 to 1,439: the first one inside.
    package var start: Int
    /// Minutes after midnight, 0 to 1,439: the first one outside; midnight is 0.
    package var end: Int

    package init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }

    /// Whether a minute of the day lies inside.
    package func contains(_ minute: Int) -> Bool {
        start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }

    /// As the job file writes it, such as `01:00-05:00`.
    package var text: String { "\(Self.text(start))-\(Self.text(end))" }

    private static func text(_ minute: Int) -> String {
        "\((minute / 60).padded(to: 2)):\((minute % 60).padded(to: 2))"
    }
}
