import Glibc

/// The resources that this process has used (getrusage(2)).
package struct ResourceUse: Sendable, Hashable {
    /// Processor time of all threads, in user and kernel mode.
    package var cpuNanoseconds: Int64
    /// The peak resident memory in bytes; it never falls.
    package var peakMemory: Int64

    /// The current numbers.
    package static func ofProcess() -> ResourceUse {
        var usage = rusage()
        _ = unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return ResourceUse(
            cpuNanoseconds: nanoseconds(usage.ru_utime) + nanoseconds(usage.ru_stime),
            peakMemory: Int64(usage.ru_maxrss) * 1024
        )
    }

    /// Kills this process by SIGALRM after that time, replacing an earlier limit.
    package static func killProcess(afterSeconds seconds: UInt32) {
        alarm(seconds)
    }

    private static func nanoseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000
    }
}

extension Command {
    /// The command with at most that much memory for its data (`RLIMIT_DATA`).
    ///
    /// The address sanitizer reserves terabytes, so a process under it gets no limit.
    ///
    /// - Parameter kibibytes: The limit, the program's libraries included.
    /// - Returns: A shell that sets the limit and becomes the command.
    package func limitedToData(ofKibibytes kibibytes: Int) -> Command {
        guard unsafe getenv("ASAN_OPTIONS") == nil else { return self }
        return limited("-d \(kibibytes)")
    }

    /// The command with that much time on a core, after which the system kills it (`RLIMIT_CPU`): a
    /// bound for work that grows too fast, which other work on the machine does not change.
    ///
    /// - Parameter seconds: The limit.
    /// - Returns: A shell that sets the limit and becomes the command.
    package func limitedToCPUTime(ofSeconds seconds: Int) -> Command { limited("-t \(seconds)") }

    /// The command with so many open files at most (`RLIMIT_NOFILE`).
    package func limitedToOpenFiles(_ count: Int) -> Command { limited("-n \(count)") }

    /// The command with files of so many blocks at most (`RLIMIT_FSIZE`).
    package func limitedToFileSize(ofBlocks count: Int) -> Command { limited("-f \(count)") }

    private func limited(_ limit: String) -> Command {
        var limited = self
        limited.executable = "sh"
        limited.arguments =
            ["-c", "ulimit \(limit) && exec \"$0\" \"$@\"", executable] + arguments
        return limited
    }
}
