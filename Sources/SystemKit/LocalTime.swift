internal import Glibc

/// Local time by `TZ` or the machine's setting.
package enum LocalTime {
    /// The minute of the day, 0 to 1,439, at a reading of the wall clock in nanoseconds.
    package static func minuteOfDay(at wallNanoseconds: Int64) -> Int {
        var seconds = time_t(wallNanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
        let (hour, minute) = unsafe (Int(parts.tm_hour), Int(parts.tm_min))
        return min(max(hour * 60 + minute, 0), 1439)
    }

    /// The time of day, such as `02:00:07`, at a reading of the wall clock in nanoseconds.
    package static func timeOfDay(at wallNanoseconds: Int64) -> String {
        var seconds = time_t(wallNanoseconds / 1_000_000_000)
        var parts = unsafe tm()
        guard unsafe localtime_r(&seconds, &parts) != nil else { return "00:00:00" }
        let numbers = unsafe [parts.tm_hour, parts.tm_min, parts.tm_sec]
        return numbers.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
    }

    /// The minute of the day now.
    package static var minuteOfDay: Int { minuteOfDay(at: Clock.wallNanoseconds()) }
}
