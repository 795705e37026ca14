import SystemKit
import TransferModel

/// Looks at the kernel, its clock and its limits.
enum MachineExamination {
    /// The findings about this machine.
    static func examine() -> Examination {
        let kernel = KernelProbe()
        return Examination(
            name: "machine",
            findings: [
                Finding("kernel", .ok, kernel.release, "Linux"),
                clock(),
                openFiles(),
                Finding(
                    "processors",
                    .ok,
                    "\(ProcessContext.processorCount)",
                    "a run has one engine thread for each processor, at most two"
                ),
                Finding(
                    "IPv6",
                    kernel.hasIPv6 ? "yes" : nil,
                    "servers can be reached at IPv6 addresses",
                    without: "servers can be reached only at IPv4 addresses"
                ),
                Finding(
                    "process descriptors",
                    kernel.hasProcessDescriptors ? "yes" : nil,
                    "runner notices the end of a `stream` program at once",
                    without: "runner notices the end of a `stream` program within 10 ms",
                    .limited
                ),
                Finding(
                    "multipath TCP",
                    kernel.hasMultipath ? "yes" : nil,
                    "sessions with `multipathServiceType` can use it",
                    without: "the kernel does not support it, or net.mptcp.enabled is 0"
                ),
                Finding(
                    "binding to devices",
                    kernel.canBindToDevice ? "yes" : nil,
                    "`allows…Access: false` binds transfers to an interface",
                    without:
                        "`allows…Access: false` relies on routes: this user may not bind to an "
                        + "interface (SO_BINDTODEVICE)",
                    .limited
                ),
            ]
        )
    }

    /// 2026-01-01: before this program was made.
    private static let earliestTime: Int64 = 1_767_225_600

    private static func clock() -> Finding {
        let now = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        let date = "\(now.rfc3339.prefix(19))Z"
        guard now.microseconds / 1_000_000 >= earliestTime else {
            return Finding(
                "clock",
                .fault,
                date,
                "the date is before the release of this program: certificates seem not to be "
                    + "valid yet"
            )
        }
        guard let error = Clock.wallErrorMicroseconds else {
            return Finding(
                "clock",
                .limited,
                "\(date), not synchronized",
                "no time service corrects the clock: runner checks certificates and `Retry-After` "
                    + "dates with it"
            )
        }
        let most = "at most \(error / 1000 + 1) ms off"
        return Finding("clock", .ok, "\(date), synchronized, \(most)", "dates are reliable")
    }

    private static func openFiles() -> Finding {
        let (soft, hard) = ProcessContext.openFileLimits
        let needed = OpenFileLimit.openFiles(for: ScheduleConfiguration().maxConcurrentTasks)
        let value = "\(soft), up to \(hard) when they are needed"
        guard hard >= needed else {
            return Finding(
                "open files",
                .fault,
                value,
                "a job needs \(needed), unless `schedule.maxConcurrentTasks` is lower (ulimit -n)"
            )
        }
        let most = OpenFileLimit.concurrentTasks(withOpenFiles: hard)
        return Finding(
            "open files",
            .ok,
            value,
            "enough for \(most) concurrent tasks (`schedule.maxConcurrentTasks`)"
        )
    }
}
