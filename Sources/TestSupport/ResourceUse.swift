import Glibc

/// What this process has used so far (getrusage(2)).
package struct ResourceUse: Sendable, Hashable {
    /// Processor time of all threads, in the program and in the kernel.
    package var cpuNanoseconds: Int64
    /// The most memory that was resident at one time, in bytes; it never falls.
    package var peakMemory: Int64

    /// The numbers of this moment.
    package static func ofProcess() -> ResourceUse {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUse(
            cpuNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            peakMemory: Int64(usage.ru_maxrss) * 1024
        )
    }

    /// Ends this process by SIGALRM when so much time has passed, in place of what was said before.
    package static func killProcess(afterSeconds seconds: UInt32) {
        alarm(seconds)
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000
    }
}
