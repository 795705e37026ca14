import Diagnostics
import Journal
import NetworkPath
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
    let state: StateFolder
    let signals: RunSignals
    /// Whether only some of the job's tasks were chosen.
    let isPart: Bool
    /// Who waits for the run to begin.
    let waiter: Waiter
    /// Finds the secrets that are known so far.
    let hidden = HiddenSecrets()

    /// Why a run cannot begin.
    struct Obstacle: Error {
        var reason: StopReason
        /// For people; nil when they were told.
        var message: String?

        /// A fault of the environment.
        init(_ message: String) {
            reason = .environment(message)
            self.message = message
        }

        init(_ reason: StopReason, _ message: String? = nil) {
            self.reason = reason
            self.message = message
        }
    }

    /// Runs to the end, the report included; a run that cannot begin leaves one too.
    func run() throws -> RunSummary {
        let hasCredentials =
            plan.sessions.contains { !$0.credentials.isEmpty } || !plan.proxyPasswords.isEmpty
        if hasCredentials || !plan.declaredSecrets.isEmpty { ProcessContext.hideMemory() }
        let known =
            SecretResolver.environmentValues(of: plan.secretVariables)
            + SecretResolver.proxyPasswords(in: ProcessContext.variable)
        hidden.hide(known)
        let inbox = Inbox<Scheduler.Message>()
        let resolver = SecretResolver()
        try signals.hear { signal in
            resolver.stop(signal)
            return Self.pass(signal, to: inbox)
        }

        // Before anything is sent or started: what could not be reported is not done.
        let file: PublishedReport
        do throws(SystemError) {
            file = try PublishedReport(path: reportPath)
        } catch {
            throw told(Exit(.environment, error.message), inbox, hasReport: false)
        }
        try waiter.runBegins(reportPath: absoluteReportPath)
        let clock = RunClock.now()
        let jitter = drawnJitter()
        do {
            // Before secrets are asked for, too: all machines would ask at once.
            try wait(for: jitter, since: clock, inbox)
            if let window = plan.schedule.window, !window.contains(LocalTime.minuteOfDay) {
                throw Obstacle(
                    .window(window),
                    "outside the window \(window.text): every task is deferred"
                )
            }
            let secrets = try explained(resolver) {
                try resolver.resolve(plan.neededSecrets, besides: known, in: plan.folder)
            }
            hidden.hide(known + secrets.values)
            let filled = try explained(resolver) {
                try plan.with(secrets) { secret in
                    let redactor = Redactor([secret])
                    return { redactor?.firstSecret(in: $0) }
                }
            }
            let sessions = try sessions(of: filled)
            let credentials = sessions.flatMap(\.credentials).flatMap(\.secrets)
            let passwords = SecretResolver.longEnough(filled.proxyPasswords)
            let redactor = hidden.hide(known + secrets.values + credentials + passwords)
            return try run(filled, sessions, redactor, file, clock, jitter, inbox)
        } catch let obstacle as Obstacle {
            let redactor = hidden.hide(known + resolver.found)
            throw end(for: obstacle, redactor, file, clock, jitter, inbox)
        }
    }

    /// The sessions with the logins of their netrc files.
    private func sessions(of plan: Plan) throws(Obstacle) -> [SessionConfiguration] {
        do throws(NetrcFiles.Fault) {
            return try NetrcFiles.resolve(plan.sessions)
        } catch {
            throw Obstacle(error.message)
        }
    }

    private func run(
        _ plan: Plan,
        _ sessions: [SessionConfiguration],
        _ redactor: Redactor?,
        _ file: PublishedReport,
        _ clock: RunClock,
        _ jitter: Duration,
        _ inbox: Inbox<Scheduler.Message>
    ) throws -> RunSummary {
        try requireOpenFiles(for: plan.schedule)
        let report = JSONReport(path: reportPath, redactor: redactor) { _ in file }
        let display = ProgressDisplay(
            style: progress,
            redactor: redactor,
            reportPath: report.isPublished ? reportPath : nil
        )

        warnOfAbsentState(of: plan)
        let keys = try keys(of: plan, clock)
        let uploads = state.uploadFolder(jobName: plan.name, jobPath: path)
            .map(UploadStore.init(folder:))
        let background = try background(of: plan, redactor, uploads, clock)
        try deliver(background, inbox)
        let cookies = cookies(of: plan, redactor, clock)
        let network = try network(of: plan)
        let power = try power(of: plan)
        warnOfSinglePath(of: plan)
        if network != nil { try obeySignal(in: inbox) }
        let caches = SessionCaches(
            of: sessions,
            folder: CacheFolder.path(in: ProcessContext.environment),
            findSecret: redactor?.firstSecret
        )
        let engine = try engine(
            for: plan,
            sessions,
            cookies,
            caches,
            uploads,
            redactor,
            clock,
            network,
            inbox
        )
        try listen(to: network, power, for: engine, inbox)
        defer {
            network?.stop()
            power?.stop()
        }

        var sinks: [any RunEventSink] = [report, display]
        if let keys { sinks.append(keys.journal) }
        var schedule = plan.schedule
        schedule.failFast = schedule.failFast || failFast
        let scheduler = Scheduler(
            source: plan,
            sessions: plan.sessions,
            schedule: schedule,
            header: header(
                clock,
                jitter,
                engine: engine.description,
                keyRoundBeginDate: keys?.journal.roundBeginDate
            ),
            clock: clock,
            runner: engine,
            inbox: inbox,
            sinks: sinks,
            progressInterval: display.progressInterval,
            occupant: PathOccupant.init(at:),
            orderKeys: keys,
            background: background,
            hasExternalPower: power?.isExternal ?? true
        )
        let summary = scheduler.run()
        // What a disk or a search holds up ends with the process.
        if !scheduler.leavesAttempts { try stop(engine, after: summary, clock, inbox) }
        cookies.save(at: RunClock.now().wall)
        caches.close()
        if summary.exitCode == .success, !isPart { uploads?.sweep() }
        try end(summary, report.failure, keys, background, inbox)
        return summary
    }

    /// Keeps how the run has ended and tells who is to be told, in this order: what a crash leaves out of it the next run
    /// makes good.
    private func end(
        _ summary: RunSummary,
        _ failure: SystemError?,
        _ keys: JournalledKeys?,
        _ background: BackgroundSessions?,
        _ inbox: Inbox<Scheduler.Message>
    ) throws {
        guard failure == nil, summary.exitCode == .success else {
            // When that fails, orders keep their keys for longer.
            try? keys?.journal.keep()
            if let failure {
                let code = summary.exitCode.combined(with: .environment)
                throw told(Exit(code, failure.message), inbox, hasReport: false)
            }
            try end(background, summary, inbox)
            return try conclude(background, summary)
        }
        try end(background, summary, inbox)
        // Last of all, and the process ends at once: whoever sees another exit code runs the job again, and means the same
        // orders.
        try signals.withoutGivingUp { () throws(Exit) in
            do throws(Exit) { try keys?.end() } catch { throw told(error, inbox) }
            try conclude(background, summary)
            if keys != nil || background != nil { Exit(.success).leave() }
        }
    }

    /// Reports a run that does not begin, and says how the process ends.
    private func end(
        for obstacle: Obstacle,
        _ redactor: Redactor?,
        _ file: PublishedReport,
        _ clock: RunClock,
        _ jitter: Duration,
        _ inbox: Inbox<Scheduler.Message>
    ) -> Exit {
        let report = JSONReport(path: reportPath, redactor: redactor) { _ in file }
        let summary = Scheduler.endUnbegun(
            plan,
            sessions: plan.sessions,
            schedule: plan.schedule,
            header: header(clock, jitter, engine: nil),
            clock: clock,
            reason: obstacle.reason,
            sinks: [report]
        )
        let messages = [obstacle.message, report.failure?.message].compactMap(\.self)
        let exit = Exit(
            summary.exitCode.combined(with: report.failure == nil ? .success : .environment),
            messages
        )
        return told(exit, inbox, hasReport: report.failure == nil)
    }

    /// The path of the report, wherever it is read.
    var absoluteReportPath: String {
        guard !reportPath.hasBytePrefix("/"), let folder = ProcessContext.workingFolder else {
            return reportPath
        }
        return "\(folder)/\(reportPath)"
    }

    /// How many open files concurrent tasks need: a connection and a file for each, and some for everything else.
    static func openFiles(for tasks: Int) -> Int { tasks * 2 + spareFiles }

    /// How many concurrent tasks so many open files are enough for.
    static func concurrentTasks(withOpenFiles count: Int) -> Int { (count - spareFiles) / 2 }

    private static let spareFiles = 64

    private func requireOpenFiles(for schedule: ScheduleConfiguration) throws(Obstacle) {
        let needed = Self.openFiles(for: schedule.maxConcurrentTasks)
        guard ProcessContext.allowOpenFiles(needed) >= needed else {
            throw Obstacle(
                "\(schedule.maxConcurrentTasks) concurrent tasks need \(needed) open files (ulimit -n)"
            )
        }
    }

    private func engine(
        for plan: Plan,
        _ sessions: [SessionConfiguration],
        _ cookies: SessionCookies,
        _ caches: SessionCaches,
        _ uploads: UploadStore?,
        _ redactor: Redactor?,
        _ clock: RunClock,
        _ network: NetworkMonitor?,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Obstacle) -> Engine {
        do {
            return try Engine(
                sessions: sessions,
                cookieJars: cookies.jars,
                caches: caches.caches,
                invalidation: caches.invalidation,
                maximumConcurrentAttempts: plan.schedule.maxConcurrentTasks,
                durability: plan.schedule.durability,
                clock: clock,
                uploads: uploads,
                claims: claims(of: plan),
                mayName: { redactor?.firstSecret(in: $0) == nil },
                network: network,
                environment: ProcessContext.variable,
                say: { text in
                    let turn = inbox.push(.said(text))
                    return { inbox.isTaken(turn) }
                },
                deliver: { inbox.push(.attempts($0)) }
            )
        } catch {
            throw Obstacle(error.message)
        }
    }

    private func cookies(
        of plan: Plan,
        _ redactor: Redactor?,
        _ clock: RunClock
    ) -> SessionCookies {
        SessionCookies(
            of: plan.sessions,
            file: { state.cookieFile(jobName: plan.name, jobPath: path, session: $0.name) },
            at: clock.wall,
            findSecret: redactor?.firstSecret
        )
    }

    /// Which file belongs to which task; nil when no server names one.
    private func claims(of plan: Plan) -> DestinationClaims? {
        guard !plan.reservedPaths.isEmpty else { return nil }
        let claims = DestinationClaims(folders: plan.foldersOfServerNames()) { plan.id(of: $0) }
        plan.forEachPlannedPath(claims.reserve)
        return claims
    }

    /// Does what a missing secret can stop, which is then explained.
    private func explained<Result>(
        _ resolver: SecretResolver,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch let rejected as PlanRejected {
            // Taken out of the text as it is, not out of what is printed.
            FileDiagnostics(
                showing: rejected.diagnostics,
                of: source,
                without: plan.confidentialText,
                and: hidden.secrets + resolver.found
            ).printAsText()
            throw Obstacle(
                .environment(rejected.diagnostics.map(\.message).joined(separator: "; "))
            )
        } catch let stopped as SecretResolver.Stopped {
            throw Obstacle(.signal(stopped.signal))
        }
    }

    private func header(
        _ clock: RunClock,
        _ jitter: Duration,
        engine: RunHeader.Engine?,
        keyRoundBeginDate: Timestamp? = nil
    ) -> RunHeader {
        var header = RunHeader(
            jobName: plan.name,
            jobFile: plan.fileName,
            jobSHA256: Engine.sha256(of: source.bytes),
            runIdentifier: plan.runIdentifier,
            startDate: clock.wall,
            runnerVersion: RunnerVersion.current,
            host: ProcessContext.hostName,
            engine: engine,
            clock: .init(
                wall: clock.wall,
                monotonicMicroseconds: clock.monotonic.nanoseconds / 1000,
                maximumSkewMicroseconds: clock.maximumSkewMicroseconds
            ),
            taskCount: plan.taskCount
        )
        header.startJitterMicroseconds = jitter.microseconds
        header.keyRoundBeginDate = keyRoundBeginDate
        return header
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
