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
            succeed, 6 when a checksum did not match, 7 when tasks were deferred by the window, the network or power, 8 when the deadline passed, 10 \
            when another run holds the lock or a background session, 130 and 143 after SIGINT and SIGTERM. 70 is reserved.
            """,
            Example(
                "run a job with another value of a variable",
                "runner run job.yaml --var day=monday"
            ),
            Example("run one task and those that it needs", "runner run job.yaml --only handbook"),
            Example("run the part of one of four processes", "runner run job.yaml --shard 1/4"),
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
            "Detach from the terminal once the run has begun, and print its process, log and "
                + "report. [env: RUNNER_DETACH]"
        )
    )
    var detach = false

    /// The descriptor by which a detached run reports its progress.
    @Option(help: .hidden)
    var readyDescriptor: Int32?

    @OptionGroup var state: StateOptions

    /// Less than a kilobyte each.
    private static let mostKeptTasks = 16_384

    mutating func run() throws {
        // Check before creating anything: a wrong command line must leave nothing behind.
        let failFast = try failFast || EnvironmentOption.flag("FAIL_FAST")
        let progress = try progress ?? EnvironmentOption.choice("PROGRESS") ?? .auto
        let chosenReport = try ReportChoice(report)
        let (path, only) = try choice.resolved()
        let shard = try choice.resolvedShard()
        let earlier = try failedTasks(only)
        // A run of nothing ends at once, and has nothing to detach.
        let mayDetach = readyDescriptor == nil && earlier?.ids.isEmpty != true
        if try mayDetach && (detach || EnvironmentOption.flag("DETACH")) {
            if chosenReport.isPrinted {
                throw Exit(.usage, "a detached run has no standard output: give `--report` a path")
            }
            return try Detachment(
                state: StateFolder(
                    chosen: state.chosenFolder,
                    environment: ProcessContext.environment
                ),
                jobPath: path,
                startDate: RunClock.now().wall
            ).run()
        }
        let waiter = try Waiter(descriptor: readyDescriptor)
        ProcessContext.disableCoreDumps()
        Engine.preload()
        let environment = ProcessContext.environment
        let now = RunClock.now().wall
        let state = StateFolder(chosen: state.chosenFolder, environment: environment)
        let chosen = earlier?.ids ?? EnvironmentOption.identifiers(only)
        let signals = RunSignals()
        let takeLock = { (request: LockRequest) throws(Exit) in
            try RunLock(
                request,
                in: state,
                jobPath: path,
                signals: signals,
                isQuiet: progress.isQuiet
            ).take()
        }
        var (held, heldJob): (FileLock?, JobIdentity?)
        // Held to the end of the process, including the report.
        defer { withExtendedLifetime(held) {} }
        let source = try JobSource(
            path: path,
            variables: job.resolvedVariables(in: environment),
            only: chosen,
            shard: shard,
            allowsAbsentTasks: earlier != nil,
            reportPath: chosenReport.path,
            run: RunValues(id: RunIdentifier.make(at: now), startDate: now),
            mostKeptTasks: Self.mostKeptTasks,
            lock: { (request: LockRequest) throws(Exit) in
                let job = JobIdentity(request, path: path)
                guard job != heldJob else { return false }
                // A job that was renamed meanwhile has another lock.
                held = nil
                let (lock, wasAwaited) = try takeLock(request)
                (held, heldJob) = (lock, job)
                return wasAwaited
            }
        )
        let plan = try source.requirePlan()
        if let earlier, try earlier.isDone(by: plan) { return }
        // Two runs at once would not know each other's orders.
        if plan.orderCount > 0 {
            let request = LockRequest(of: plan)
            if held == nil { held = try takeLock(request).lock }
            try RunLock.requireOneDivision(of: request, in: state, jobPath: path)
        }
        let locks = try state.lockBackground(plan.sessions)
        defer { withExtendedLifetime(locks) {} }
        let request = RunRequest(
            plan: plan,
            jobPath: path,
            source: source.content,
            failFast: failFast,
            reportPath: try chosenReport.path ?? plan.reportPaths[.json]
                ?? state.reportPath(of: JobIdentity(of: plan, path: path)),
            printsReport: chosenReport.isPrinted,
            progress: progress,
            state: state,
            selection: chosen.isEmpty ? nil : earlier == nil ? .only : .rerunFailed
        )
        let summary = try JobRun(request: request, signals: signals, waiter: waiter).run()
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

/// Where `--report` sends the JSON report.
enum ReportChoice {
    /// To the path of the job file, or to the state folder.
    case byDefault
    /// To a path instead of that of the job file.
    case path(String)
    /// To its usual file, and to standard output as well.
    case standardOutput

    /// Reads the option, or else the environment.
    init(_ option: String?) throws(Exit) {
        switch option ?? EnvironmentOption.text("REPORT") {
        case nil: self = .byDefault
        case ""?: throw Exit(.usage, "--report is empty; give the path of the report")
        case "-"?: self = .standardOutput
        case let path?: self = .path(path)
        }
    }

    /// The chosen path; nil without one.
    var path: String? {
        if case .path(let path) = self { path } else { nil }
    }

    /// Whether standard output gets the report.
    var isPrinted: Bool {
        if case .standardOutput = self { true } else { false }
    }
}
