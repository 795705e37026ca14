import NetworkPath
import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// The parts of a run, made in the order of `init` and released in reverse by `release`.
struct RunResources {
    private let context: RunContext
    /// Nil when no task makes idempotency keys.
    let keys: JournalledKeys?
    /// The records of cut uploads; nil without a state folder.
    private let uploads: UploadStore?
    /// Nil when no peer names files, and without a usable record of them.
    private let written: RecordedFiles?
    /// Nil when the job has no background session.
    let background: BackgroundSessions?
    /// Keeps the end of the run in the journals of keys and background sessions.
    private let ending: RunEnding
    private let caches: SessionCaches
    private let cookies: SessionCookies
    private let scripts: SessionScripts
    let watch: MachineWatch
    /// nil for a job without a background session.
    private let suspensions: Suspensions?
    let engine: Engine

    /// Makes all parts; the idempotency keys' seed is on the disk when this returns.
    ///
    /// - Throws: `RunObstacle` for the first part that cannot be made; a signal ends the run before
    ///   it begins.
    init(for job: FilledJob, in context: RunContext) throws(RunObstacle) {
        self.context = context
        let (plan, request) = (job.plan, context.request)
        try OpenFileLimit.raise(for: plan.schedule, connections: plan.mostConnections)

        Self.warnOfAbsentState(request.state, for: plan)
        keys = try .open(for: plan, request: request, at: context.start.clock.wall)
        uploads = request.state.uploadFolder(of: request.job).map(UploadStore.init(folder:))
        written = RecordedFiles.open(for: plan, of: request.job, in: request.state)
        background = try BackgroundOpening(
            job: job,
            request: request,
            startDate: context.start.clock.wall
        ).open(uploads: uploads)
        ending = RunEnding(
            keys: keys,
            background: background,
            hook: context.hook,
            signals: context.signals
        )
        try ending.deliverEarlierEnds()

        caches = SessionCaches(
            of: job.sessions,
            folder: CacheFolder.path(in: ProcessContext.environment),
            findSecret: job.redactor?.firstSecret
        )
        cookies = SessionCookies(
            of: plan.sessions,
            file: {
                request.state.cookieFile(of: $0, in: request.job)
            },
            at: context.start.clock.wall,
            findSecret: job.redactor?.firstSecret
        )

        scripts = try SessionScripts(of: job.sessions)
        if scripts.scripts.contains(where: { $0 != nil }) { try context.inbox.obeySignal() }
        watch = try MachineWatch(for: plan)
        MachineWatch.warnOfSinglePath(for: plan)
        if watch.network != nil { try context.inbox.obeySignal() }
        engine = try Self.makeEngine(
            for: job,
            in: context,
            cookies: cookies,
            caches: caches,
            scripts: scripts,
            uploads: uploads,
            written: written,
            network: watch.network
        )
        suspensions = Suspensions(of: plan.sessions, in: request.state)
        try watch.start(for: engine, telling: context.inbox)
        try suspensions?.start(telling: context.inbox)
    }

    /// The positions of the sessions that are suspended now.
    var suspended: Set<Int> { suspensions?.suspended ?? [] }

    /// Releases the parts in reverse order and keeps the end of the run.
    ///
    /// - Parameters:
    ///   - summary: The end of the run.
    ///   - leavesAttempts: Whether the engine still waits for a disk or a name lookup, which ends
    ///     with the process.
    ///   - reportFailure: The reason why there is no report; nil when the report is published.
    /// - Throws: `Exit` when the end may not be on the disk.
    func release(
        after summary: RunSummary,
        leavesAttempts: Bool,
        reportFailure: SystemError?
    ) throws {
        defer {
            watch.stop()
            suspensions?.stop()
        }
        if !leavesAttempts { try stopEngine(after: summary) }
        cookies.save(at: RunClock.now().wall)
        written?.warnOfLostNotes()
        caches.close()
        if summary.exitCode == .success, !context.request.isPart { uploads?.sweep() }
        try ending.end(summary, reportFailure: reportFailure)
    }

    /// Ends refreshes of the cache, which outlast the tasks; a signal or the deadline ends them at
    /// once.
    private func stopEngine(after summary: RunSummary) throws(Exit) {
        let (engine, inbox) = (engine, context.inbox)
        if [.interrupted, .terminated].contains(summary.exitCode) { engine.endRefreshes() }
        try context.signals.hear { _ in
            engine.endRefreshes()
            return { true }
        }
        let deadline = context.request.plan.schedule.deadline
        engine.stop(refreshingUntil: deadline.map { context.start.clock.monotonic + $0 })
        try context.signals.hear { inbox.pass($0) }
    }

    private static func makeEngine(
        for job: FilledJob,
        in context: RunContext,
        cookies: SessionCookies,
        caches: SessionCaches,
        scripts: SessionScripts,
        uploads: UploadStore?,
        written: RecordedFiles?,
        network: NetworkMonitor?
    ) throws(RunObstacle) -> Engine {
        let (inbox, redactor) = (context.inbox, job.redactor)
        var files = EngineFiles()
        files.durability = job.plan.schedule.durability
        files.uploads = uploads
        files.claims = job.claims
        files.written = written
        files.mayName = { redactor?.firstSecret(in: $0) == nil }
        do {
            return try Engine(
                sessions: EngineSession.all(job.sessions, cookies, caches, scripts),
                invalidation: caches.invalidation,
                // Two threads share the connections of a host, which would halve the segments of
                // the file of a small job.
                maximumConcurrentAttempts: max(
                    1,
                    min(job.plan.schedule.maxConcurrentTasks, job.plan.taskCount)
                ),
                files: files,
                clock: context.start.clock,
                network: network,
                environment: ProcessContext.variable,
                say: { text in
                    let turn = inbox.push(.said(text))
                    return { inbox.isTaken(turn) }
                },
                deliver: { inbox.push(.attempts($0)) }
            )
        } catch {
            throw RunObstacle(error.message)
        }
    }

    /// Warns that nothing outlives the run, for a job with a session that keeps something.
    private static func warnOfAbsentState(_ state: StateFolder, for plan: Plan) {
        guard let absence = state.absence, plan.sessions.contains(where: { $0.kind != .ephemeral })
        else { return }
        StandardError.say(
            "warning: \(absence): cookies and records of interrupted uploads are not stored; name "
                + "a state folder with --state-dir"
        )
    }
}

extension EngineSession {
    /// The sessions of an engine with their cookies, caches and scripts.
    static func all(
        _ sessions: [SessionConfiguration],
        _ cookies: SessionCookies,
        _ caches: SessionCaches,
        _ scripts: SessionScripts
    ) -> [EngineSession] {
        sessions.enumerated().map { index, session in
            EngineSession(
                session,
                cookieJar: cookies.jars[index],
                cache: caches.caches[index],
                script: scripts.scripts[index]
            )
        }
    }
}

/// The values that all steps of one run share.
struct RunContext {
    let request: RunRequest
    let start: RunStart
    let signals: RunSignals
    let inbox: Inbox<Scheduler.Message>
    let hook: RunHook
}

/// The relation between open files and concurrent tasks: a file and its connections for each, and
/// some for the rest.
enum OpenFileLimit {
    private static let spareFiles = 64

    /// The number of open files that so many concurrent tasks need, each with so many connections.
    static func openFiles(for tasks: Int, connections: Int = 1) -> Int {
        tasks * (1 + connections) + spareFiles
    }

    /// The number of concurrent tasks that so many open files allow.
    static func concurrentTasks(withOpenFiles count: Int) -> Int { (count - spareFiles) / 2 }

    /// Raises the limit of this process for the tasks of a run.
    ///
    /// - Throws: `RunObstacle` when the hard limit is too low.
    static func raise(for schedule: ScheduleConfiguration, connections: Int) throws(RunObstacle) {
        let tasks = schedule.maxConcurrentTasks
        let needed = openFiles(for: tasks, connections: connections)
        let allowed = ProcessContext.allowOpenFiles(needed)
        guard allowed >= needed else {
            let each = connections > 1 ? " with up to \(connections) connections each" : ""
            let keys = "`maxConcurrentTasks`" + (connections > 1 ? " or `segments`" : "")
            throw RunObstacle(
                "\(tasks) concurrent tasks\(each) need \(needed) open files, and the limit is "
                    + "\(allowed) (ulimit -n); raise it or lower \(keys)"
            )
        }
    }
}
