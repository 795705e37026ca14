import ArgumentParser
import Diagnostics
import Plan
import Report
import SystemKit
import Transfer
import TransferModel

/// `runner run`: carries out a job file.
struct Run: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: Program.runCommand,
        _superCommandName: Program.name,
        abstract: "Run a job file.",
        discussion: Examples.discussion(
            """
            Exits with 0 when every required task succeeded, 1 when a required task failed for good, 2 when the command line is \
            wrong, 3 when the job file is invalid, 4 when this machine lacks something, 5 when a later run may \
            succeed, 6 when a checksum or a signature did not match, 7 when tasks were deferred by the window, the network or power, 8 when the deadline passed, 10 \
            when another run holds the lock or a background session, 130 and 143 after SIGINT and SIGTERM. 70 is reserved.
            """,
            Example(
                "run a job with another value of a variable",
                "runner run job.yaml --var day=monday"
            ),
            Example("run one task and those that it needs", "runner run job.yaml --only handbook"),
            Example("run the part of one of four processes", "runner run job.yaml --shard 1/4"),
            Example("fetch what `runner lock` has locked", "runner run job.yaml --locked"),
            Example(
                "in a cron job: say something on failure only",
                "runner run job.yaml --progress failures"
            ),
            Example(
                "follow a run with a program",
                "runner run job.yaml --progress json 2>events.jsonl"
            )
        )
    )

    @OptionGroup var choice: JobChoice

    @OptionGroup var job: JobOptions

    @Option(
        help: ArgumentHelp(
            "Write the JSON report to this path instead of the path in the job file; with `-` to "
                + "standard output as well. [env: RUNNER_REPORT]",
            valueName: "path"
        ),
        completion: .file()
    )
    var report: String?

    @Option(
        name: .customLong("rerun-failed"),
        help: ArgumentHelp(
            "Run only the tasks that did not succeed in the run of this report, and the tasks that "
                + "they need. [env: RUNNER_RERUN_FAILED]",
            valueName: "report"
        ),
        completion: .file(extensions: ["json"])
    )
    var rerunFailed: String?

    @Option(help: "How to show the run on standard error. [env: RUNNER_PROGRESS] (default: auto)")
    var progress: ProgressStyle?

    @Flag(
        name: .customLong("fail-fast"),
        help: "Start no more tasks once a required task has failed. [env: RUNNER_FAIL_FAST]"
    )
    var failFast = false

    @Flag(
        help: ArgumentHelp(
            "Fetch exactly what the lock file of the job has, which `runner lock` makes, or fail "
                + "with the difference. [env: RUNNER_LOCKED]"
        )
    )
    var locked = false

    @Flag(
        help: ArgumentHelp(
            "Detach from the terminal once the run has begun, and print its process, log and "
                + "report. [env: RUNNER_DETACH]"
        )
    )
    var detach = false

    /// The descriptor by which a detached run reports its progress.
    @Option(help: .hidden)
    var readyDescriptor: Int32?

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        // Check before creating anything: a wrong command line must leave nothing behind.
        let failFast = try failFast || EnvironmentOption.flag("FAIL_FAST")
        let progress = try progress ?? EnvironmentOption.choice("PROGRESS") ?? .auto
        let chosenReport = try ReportChoice(report)
        let (path, only) = try choice.resolved()
        let shard = try choice.resolvedShard()
        let earlier = try failedTasks(only)
        let isLocked = try locked || EnvironmentOption.flag("LOCKED")
        let state = state.folder
        // A run of nothing ends at once, and has nothing to detach.
        let mayDetach = readyDescriptor == nil && earlier?.ids.isEmpty != true
        if try mayDetach && (detach || EnvironmentOption.flag("DETACH")) {
            if chosenReport.isPrinted {
                throw Exit(.usage, "a detached run has no standard output: give `--report` a path")
            }
            return try Detachment(state: state, jobPath: path, startDate: RunClock.now().wall).run()
        }
        let launch = RunLaunch(
            jobPath: path,
            variables: try job.resolvedVariables(in: ProcessContext.environment),
            only: earlier?.ids ?? EnvironmentOption.identifiers(only),
            shard: shard,
            earlier: earlier,
            report: chosenReport,
            progress: progress,
            failFast: failFast,
            state: state,
            readyDescriptor: readyDescriptor,
            lock: isLocked ? .obeyed : .none
        )
        guard let summary = try launch.run()?.summary else { return }
        if summary.exitCode != .success { throw Exit(summary.exitCode) }
    }

    /// The tasks that `--rerun-failed` chooses; nil without it.
    private func failedTasks(_ only: [String]) throws -> FailedTasks? {
        guard let path = rerunFailed ?? EnvironmentOption.text("RERUN_FAILED") else { return nil }
        guard EnvironmentOption.identifiers(only).isEmpty else {
            throw Exit(.usage, "--rerun-failed and --only choose tasks: give one of them")
        }
        return try FailedTasks(of: WrittenReport(path: path))
    }
}
