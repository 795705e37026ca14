import TestSupport
import Testing

/// Jobs that run on this side of two links, as an unprivileged user.
extension TwoLinks {
    /// `eth0` is wired as long as no default route leads over its gateway.
    static let classes = """
        version: 1
        network:
          interfaces:
            - { match: { name: "wwan*" }, kind: cellular }
            - { match: { gateway: \(wiredAddress) }, kind: cellular }
            - { match: { name: "eth*" }, kind: wired, expensive: false }
        defaults: { urlCache: none, retry: { attempts: 1 } }

        """

    /// Content that is long enough to be cut.
    static let longContent = FileContent.patterned(6 << 20)

    func start(_ job: JobFolder) throws -> RunningCommand {
        try unprivileged(try job.runCommand(["--progress", "plain"])).start()
    }

    func run(_ job: JobFolder) throws -> RunOutcome {
        try start(job).finish().reported(in: job.folder)
    }
}
