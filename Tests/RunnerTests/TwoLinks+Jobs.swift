import TestSupport
import Testing

/// Jobs that run on this side of two links, as an unprivileged user.
extension TwoLinks {
    /// What is long enough to be cut.
    static let longContent = (0..<(6 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    func start(_ job: JobFolder) throws -> RunningCommand {
        try unprivileged(try job.runCommand(["--progress", "plain"])).start()
    }

    func run(_ job: JobFolder) throws -> RunOutcome {
        try start(job).finish().reported(in: job.folder)
    }
}
