import SystemKit
package import TransferModel

/// A reading of the wall clock, which may be set at any time; local time jumps twice a year.
package struct WallReading: Sendable, Hashable {
    /// The time between two readings: the wall clock may be set, or the machine may sleep.
    static let interval = Duration.seconds(5)

    /// The date and time in UTC.
    package var time: Timestamp
    /// The minute of the local day, 0 to 1,439.
    package var minuteOfDay: Int

    /// Creates a reading; `minuteOfDay` is that of `time` in local time.
    package init(time: Timestamp, minuteOfDay: Int) {
        self.time = time
        self.minuteOfDay = minuteOfDay
    }

    /// The current reading.
    package static func present() -> WallReading {
        let now = Clock.wallNanoseconds()
        return WallReading(
            time: Timestamp(microseconds: now / 1000),
            minuteOfDay: LocalTime.minuteOfDay(at: now)
        )
    }
}
