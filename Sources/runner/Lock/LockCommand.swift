import ArgumentParser
import Plan
import Report
import SystemKit
import TransferModel

/// `runner lock`: fetches the downloads of a job, and writes down what they were.
struct LockCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lock",
        _superCommandName: Program.name,
        abstract: "Fetch a job's downloads and lock what they are.",
        discussion: Examples.discussion(
            """
            Runs the downloads of the job and the tasks that they need, and fetches every file anew, also one that \
            `ifExists: skip` would keep. When all of them have succeeded, it writes the final URL, validator, size and \
            SHA-256 of each download to `job.lock` beside `job.yaml`. `runner run --locked` then fetches exactly these \
            files. Exits as `runner run` does.
            """,
            Example("lock all downloads of a job", "runner lock job.yaml"),
            Example("accept what a server has now", "runner lock job.yaml --update handbook"),
            Example("fetch what is locked, or fail", "runner run job.yaml --locked")
        )
    )

    @Argument(
        help: ArgumentHelp("The job file.", valueName: "file"),
        completion: .jobFile
    )
    var file: String

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Lock only these downloads anew, and keep the other lines of the lock file.",
            valueName: "id"
        )
    )
    var update: [String] = []

    @OptionGroup var job: JobOptions

    @Option(help: "How to show the run on standard error. [env: RUNNER_PROGRESS] (default: auto)")
    var progress: ProgressStyle?

    @OptionGroup var state: StateOptions

    mutating func run() throws {
        let variables = try job.resolvedVariables(in: ProcessContext.environment)
        let progress = try progress ?? EnvironmentOption.choice("PROGRESS") ?? .auto
        let lockFile = JobLockFile(jobPath: file)
        // Without a lock file, the run would be useless.
        if !update.isEmpty { _ = try lockFile.require() }
        let recorder = LockRecorder()
        let launch = RunLaunch(
            jobPath: file,
            variables: variables,
            only: try chosen(variables),
            report: try ReportChoice(nil),
            progress: progress,
            state: state.folder,
            lock: .made(recorder)
        )
        guard let (plan, summary) = try launch.run() else { return }
        guard summary.exitCode == .success else {
            throw Exit(
                summary.exitCode,
                "\(lockFile.shownPath) is as before, because the run did not succeed"
            )
        }
        // Another update may have changed it during the run.
        let old = update.isEmpty ? nil : try lockFile.require()
        let lines = try lines(of: plan, recorder, keeping: old, lockFile)
        try Exit.environment { () throws(SystemError) in
            try lockFile.write(LockFile.text(of: lines))
        }
        guard !progress.isQuiet, !launch.report.isPrinted else { return }
        let downloads = lines.count == 1 ? "1 download" : "\(lines.count) downloads"
        try StandardOutput.write("\(lockFile.shownPath): \(downloads)\n")
    }

    /// The ids of the tasks to run; none for a job that has nothing but downloads to lock.
    ///
    /// - Throws: `Exit` for a faulty job, and for an id that is no download's.
    private func chosen(_ variables: [String: String]) throws(Exit) -> [String] {
        let source = try JobSource(path: file, variables: variables)
        // The run itself prints the faults.
        guard case .plan(let plan) = source.outcome else { return update }
        let ids = plan.downloadIDs
        if ids.isEmpty { throw Exit(.usage, "the job has no downloads, which alone can be locked") }
        let known = Set(ids.map(ByteText.init))
        for id in update where !known.contains(ByteText(DeclaredDownload.taskID(of: id))) {
            throw Exit(.usage, "the job has no download `\(TerminalText.harmless(id))`")
        }
        guard update.isEmpty else { return update }
        return plan.hasOnlyDownloads ? [] : ids
    }

    /// The lines of the new lock file: those of the run, and the kept ones.
    ///
    /// - Throws: `Exit` when a download has no line, because it has failed and is not required.
    private func lines(
        of plan: Plan,
        _ recorder: LockRecorder,
        keeping old: LockFile?,
        _ lockFile: JobLockFile
    ) throws(Exit) -> [ByteText: [UInt8]] {
        var lines = (old?.entries ?? [:]).filter { !isChosen($0.key.text) }.mapValues(\.line)
        var missing: String?
        plan.forEachDeclaredDownload { declared in
            guard isChosen(declared.id) else { return }
            guard let locked = recorder[declared.id] else {
                missing = missing ?? declared.id
                return
            }
            lines[ByteText(declared.id)] = LockFile.line(declared, locked)
        }
        if let missing {
            throw Exit(
                .taskFailed,
                "\(lockFile.shownPath) is as before: the download "
                    + "`\(TerminalText.harmless(missing))` has no file of this run to lock"
            )
        }
        return lines
    }

    /// Whether the run locks a download.
    private func isChosen(_ id: String) -> Bool {
        update.isEmpty
            || update.contains { name in
                name.hasSameBytes(as: id)
                    || name.hasSameBytes(as: DeclaredDownload.taskID(of: id))
            }
    }
}
