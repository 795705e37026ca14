internal import CSystem
internal import Glibc

/// Readings of the kernel's clocks.
package enum Clock {
    /// `CLOCK_MONOTONIC` in nanoseconds: never steps, stops during suspend.
    package static func monotonicNanoseconds() -> Int64 {
        nanoseconds(of: CLOCK_MONOTONIC)
    }

    /// `CLOCK_REALTIME` in nanoseconds since 1970-01-01T00:00:00Z, 2262-04-11 at the latest.
    package static func wallNanoseconds() -> Int64 {
        nanoseconds(of: CLOCK_REALTIME)
    }

    /// The kernel's estimate of the wall clock's error, microseconds; nil without synchronization
    /// (adjtimex(2)).
    package static var wallErrorMicroseconds: Int64? {
        var error = 0
        return unsafe csystem_clock_is_synchronized(&error) != 0 ? Int64(error) : nil
    }

    /// The time until a reading of `CLOCK_MONOTONIC`, milliseconds, rounded up; -1 for nil.
    package static func milliseconds(until deadline: Int64?) -> Int32 {
        guard let deadline else { return -1 }
        let (left, overflow) = deadline.subtractingReportingOverflow(monotonicNanoseconds())
        guard !overflow, left > 0 else { return overflow && deadline > 0 ? .max : 0 }
        return Int32(clamping: left / 1_000_000 + 1)
    }

    /// The processor time that one thread has taken; readable from every thread.
    package struct ProcessorTime: Sendable {
        private let clock: clockid_t

        /// The time of the calling thread.
        package static var ofThisThread: ProcessorTime {
            var clock = CLOCK_THREAD_CPUTIME_ID
            unsafe pthread_getcpuclockid(pthread_self(), &clock)
            return ProcessorTime(clock: clock)
        }

        /// The time so far; 0 when the thread has ended.
        package var nanoseconds: Int64 { Clock.nanoseconds(of: clock) }
    }

    /// A time in nanoseconds; 64 bits end in 1677 and 2262, where later times stay.
    static func nanoseconds(seconds: Int64, _ rest: Int64) -> Int64 {
        seconds.multipliedSaturated(by: 1_000_000_000).addingSaturated(rest)
    }

    private static func nanoseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        unsafe clock_gettime(clock, &time)
        return nanoseconds(seconds: Int64(time.tv_sec), Int64(time.tv_nsec))
    }
}

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
