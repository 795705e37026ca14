import Diagnostics
import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// One run of a plan: makes the parts, joins them, and takes them apart again.
struct JobRun {
    /// Without the values of its secrets.
    let plan: Plan
    /// The job file, as on the command line.
    let path: String
    /// The job file's content.
    let source: SourceText
    let failFast: Bool
    let reportPath: String
    let progress: ProgressStyle

    /// Runs to the end, the report included.
    func run() throws -> RunSummary {
        let known =
            SecretResolver.environmentValues(of: self.plan.declaredSecrets)
            + SecretResolver.proxyPasswords(in: ProcessContext.variable)
        Self.hide(known)
        let inbox = Inbox<Scheduler.Message>()
        let resolver = SecretResolver()
        // Before any other thread is made: they inherit its signal mask.
        let signals = try listener(for: inbox, and: resolver)
        defer { signals.stop() }

        let secrets = try explained {
            try resolver.resolve(self.plan.neededSecrets, besides: known, in: self.plan.folder)
        }
        Self.hide(known + secrets.values)
        let plan = try explained {
            try self.plan.with(secrets) { secret in
                let redactor = Redactor([secret])
                return { redactor?.firstSecret(in: $0) }
            }
        }

        let passwords = SecretResolver.longEnough(plan.proxyPasswords)
        let redactor = Self.hide(known + secrets.values + passwords)

        try requireOpenFiles(for: plan.schedule)
        let reportFile = try openReport()
        let report = JSONReport(path: reportPath, redactor: redactor) { _ in reportFile }
        let display = ProgressDisplay(
            style: progress,
            reportPath: report.isPublished ? reportPath : nil
        )

        let clock = RunClock.now()
        let engine = try engine(for: plan, redactor, clock) { inbox.push(.attempts($0)) }
        defer { engine.stop() }

        var schedule = plan.schedule
        schedule.failFast = schedule.failFast || failFast
        let summary = Scheduler(
            source: plan,
            sessions: plan.sessions,
            schedule: schedule,
            header: header(clock: clock, engine: engine),
            clock: clock,
            runner: engine,
            inbox: inbox,
            sinks: [report, display],
            wantsProgress: display.wantsProgress,
            occupant: PathOccupant.init(at:)
        ).run()
        if let failure = report.failure {
            throw Exit(summary.exitCode.combined(with: .environment), failure.message)
        }
        return summary
    }

    /// From now on standard error has none of those values; what finds them is for the report.
    @discardableResult
    private static func hide(_ secrets: [Secret]) -> Redactor? {
        let redactor = Redactor(secrets)
        if let redactor { StandardError.pass(through: { redactor.redacted($0) }) }
        return redactor
    }

    /// Hands signals to the run, and ends the process when the run does not hear the second one.
    private func listener(
        for inbox: Inbox<Scheduler.Message>,
        and resolver: SecretResolver
    ) throws -> StopSignalListener {
        try Exit.environment { () throws(SystemError) in
            try StopSignalListener(
                receive: { signal in
                    resolver.stop(signal)
                    let turn = inbox.push(.signal(signal))
                    return { inbox.isTaken(turn) }
                },
                giveUp: { signal in
                    let code: RunnerExitCode = signal == .interrupt ? .interrupted : .terminated
                    ProcessContext.exit(code.rawValue)
                }
            )
        }
    }

    /// A connection and a file for each transfer, and some for everything else.
    private func requireOpenFiles(for schedule: ScheduleConfiguration) throws(Exit) {
        let needed = schedule.maxConcurrentTasks * 2 + 64
        guard ProcessContext.allowOpenFiles(needed) >= needed else {
            throw Exit(
                .environment,
                "\(schedule.maxConcurrentTasks) concurrent tasks need \(needed) open files (ulimit -n)"
            )
        }
    }

    /// The report's file, opened before anything is sent: a run that could not be reported sends nothing.
    private func openReport() throws -> PublishedReport {
        let file = try Exit.environment { () throws(SystemError) in
            try PublishedReport(path: reportPath)
        }
        // When all folders on the way to the report are there, so that no `..` hides that it is the same file.
        if ProcessContext.isSameFile(path, reportPath) {
            throw Exit(.usage, "the report would replace the job file \(path); name another one")
        }
        return file
    }

    private func engine(
        for plan: Plan,
        _ redactor: Redactor?,
        _ clock: RunClock,
        deliver: @escaping @Sendable ([AttemptEvent]) -> Void
    ) throws(Exit) -> Engine {
        do {
            return try Engine(
                sessions: plan.sessions,
                maximumConcurrentAttempts: plan.schedule.maxConcurrentTasks,
                durability: plan.schedule.durability,
                clock: clock,
                claims: claims(of: plan),
                mayName: { redactor?.firstSecret(in: $0) == nil },
                environment: ProcessContext.variable,
                deliver: deliver
            )
        } catch {
            throw Exit(.environment, error.message)
        }
    }

    /// Which file belongs to which task; nil when no server names one.
    private func claims(of plan: Plan) -> DestinationClaims? {
        guard !plan.reservedPaths.isEmpty else { return nil }
        let claims = DestinationClaims(folders: plan.foldersOfServerNames()) { plan.id(of: $0) }
        plan.forEachPlannedPath(claims.reserve)
        return claims
    }

    /// Does what a missing secret can stop, which is then explained.
    private func explained<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let rejected as PlanRejected {
            FileDiagnostics(source: source, diagnostics: rejected.diagnostics).printAsText()
            throw Exit(.environment)
        }
    }

    private func header(clock: RunClock, engine: Engine) -> RunHeader {
        RunHeader(
            jobName: plan.name,
            jobFile: plan.fileName,
            jobSHA256: Engine.sha256(of: source.bytes) ?? "",
            runIdentifier: plan.runIdentifier,
            startDate: clock.wall,
            runnerVersion: RunnerVersion.current,
            host: ProcessContext.hostName,
            engine: engine.description,
            clock: .init(
                wall: clock.wall,
                monotonicMicroseconds: clock.monotonic.nanoseconds / 1000,
                maximumSkewMicroseconds: clock.maximumSkewMicroseconds
            ),
            taskCount: plan.taskCount
        )
    }
}

extension RunClock {
    /// Reads both clocks together: the wall clock between two monotonic readings.
    static func now() -> RunClock {
        let before = Clock.monotonicNanoseconds()
        let wall = Clock.wallNanoseconds()
        let after = Clock.monotonicNanoseconds()
        return RunClock(
            wall: Timestamp(microseconds: wall / 1000),
            monotonic: MonotonicTime(nanoseconds: before + (after - before) / 2),
            maximumSkewMicroseconds: (after - before) / 1000 + 1
        )
    }
}
