import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// Asks the servers of a plan's downloads as a run would request them, and changes nothing on the
/// disk.
///
/// The scheduler and the engine of a run do it, with its sessions, secrets, limits and redirects.
/// Each response ends with its head.
struct PlanQuestions {
    let plan: Plan
    /// The job file, as on the command line.
    let jobPath: String
    /// The state that earlier runs have left, which is only read.
    let state: StateFolder
    /// Whether reasons may have paths and other values of the job.
    let showsValues: Bool

    /// Asks about tasks by their numbers.
    ///
    /// - Throws: `Exit` for a fault that would keep a run from beginning.
    func answers(about tasks: Set<Int>) throws -> ServerAnswers {
        guard !tasks.isEmpty else { return ServerAnswers(showsValues, nil) }
        ProcessContext.disableCoreDumps()
        let (secrets, signals) = (RunSecrets(of: plan), RunSignals())
        defer { withExtendedLifetime(signals) {} }
        try signals.hear { signal in
            secrets.stop(signal)
            ScratchFolder.removeAll()
            // No state has to be kept.
            ProcessContext.exit(ExitCode(signal).rawValue)
        }
        do {
            let job = try secrets.fill(plan)
            let answers = ServerAnswers(showsValues, job.redactor)
            try ask(tasks, of: job, telling: answers)
            return answers
        } catch let obstacle as RunObstacle {
            throw Exit(.environment, obstacle.message)
        }
    }

    private func ask(
        _ tasks: Set<Int>,
        of job: FilledJob,
        telling answers: ServerAnswers
    ) throws(RunObstacle) {
        let clock = RunClock.now()
        let inbox = Inbox<Scheduler.Message>()
        var schedule = plan.schedule
        (schedule.window, schedule.deadline, schedule.failFast) = (nil, nil, false)
        try OpenFileLimit.raise(for: schedule, connections: plan.mostConnections)
        // A command at a terminal does not wait for another network.
        let sessions = job.sessions.map { session in
            var session = session
            session.waitsForConnectivity = false
            return session
        }
        let scripts = try SessionScripts(of: sessions)
        defer { withExtendedLifetime(scripts) {} }
        let engine = try engine(
            sessions,
            scripts,
            of: job,
            at: clock,
            min(schedule.maxConcurrentTasks, tasks.count),
            inbox
        )
        let scheduler = Scheduler(
            TaskResolver(AskedTasks(job.plan, tasks), sessions: sessions, clock: clock),
            schedule: schedule,
            header: RunHeader(of: plan, jobSHA256: nil, engine: nil, at: clock),
            runner: engine,
            inbox: inbox,
            sinks: [answers],
            progressInterval: nil,
            requestTurns: engine.requestTurns
        )
        _ = scheduler.run()
        if !scheduler.leavesAttempts { engine.stop() }
    }

    /// An engine that reads the cookies and caches of the job's sessions, and writes neither.
    private func engine(
        _ sessions: [SessionConfiguration],
        _ scripts: SessionScripts,
        of job: FilledJob,
        at clock: RunClock,
        _ attempts: Int,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(RunObstacle) -> Engine {
        let identity = JobIdentity(of: plan, path: jobPath)
        let redactor = job.redactor
        let cookies = SessionCookies(
            of: sessions,
            file: { state.cookieFile(of: $0, in: identity) },
            at: clock.wall,
            findSecret: redactor?.firstSecret
        )
        let caches = SessionCaches(
            of: sessions,
            folder: CacheFolder.path(in: ProcessContext.environment),
            findSecret: redactor?.firstSecret,
            isReadOnly: true
        )
        let network = try MachineWatch(for: plan).network
        var files = EngineFiles()
        files.durability = .none
        files.claims = job.claims
        files.written = RecordedFiles.open(for: plan, of: identity, in: state, isReadOnly: true)
        files.mayName = { redactor?.firstSecret(in: $0) == nil }
        do {
            return try Engine(
                sessions: EngineSession.all(sessions, cookies, caches, scripts),
                maximumConcurrentAttempts: max(1, attempts),
                files: files,
                clock: clock,
                network: network,
                environment: ProcessContext.variable,
                say: { _ in { true } },
                deliver: { inbox.push(.attempts($0)) }
            )
        } catch {
            throw RunObstacle(error.message)
        }
    }
}

/// The answers of the servers to the questions about a plan's downloads.
///
/// Used on the scheduler's thread, and after its run.
final class ServerAnswers: RunEventSink {
    /// A server's answer about one download.
    enum Answer {
        /// The present file stays.
        case keep
        /// The server has a response; nil if its length is not known.
        case fetch(size: Int64?)
        /// A run would fail for that reason; `mayChange` when the tasks before it may matter.
        case fail(String, mayChange: Bool)
    }

    /// The most bytes of a reason.
    private static let longestReason = 500

    /// The kinds of failure whose details may have paths, URLs and other values of the job.
    private static let kindsWithValues: Set<TransferFailure.Kind> = [
        .content, .integrity, .localIO, .redirectLimit,
    ]

    private let showsValues: Bool
    private let redactor: Redactor?
    private var answers: [Int: Answer] = [:]
    private var hasContact = false

    /// No answers yet; reasons are shown without the secrets of `redactor`.
    init(_ showsValues: Bool, _ redactor: Redactor?) {
        self.showsValues = showsValues
        self.redactor = redactor
    }

    /// Whether servers were asked, and none of them could be reached.
    var isWithoutContact: Bool { !answers.isEmpty && !hasContact }

    /// The answer about the task at an index; nil for a task that was not asked about.
    subscript(index: Int) -> Answer? { answers[index] }

    /// Takes the end of a question.
    func receive(_ event: RunEvent) {
        guard case .taskFinished(let task) = event else { return }
        let record = task.record
        guard record.outcome != .skipped else { return }
        answers[record.taskIdentifier - 1] = answer(of: record)
        if record.response != nil || !record.isRetryable { hasContact = true }
    }

    private func answer(of record: TaskRecord) -> Answer {
        guard let failure = record.error else {
            return record.outcome == .unchanged
                ? .keep : .fetch(size: record.countOfBytesExpectedToReceive)
        }
        return .fail(reason(failure), mayChange: failure.kind == .httpStatus)
    }

    /// The reason as half a sentence.
    private func reason(_ failure: TransferFailure) -> String {
        let label = failure.kind.label
        guard showsValues || !Self.kindsWithValues.contains(failure.kind) else {
            return "\(label), which --show-values explains"
        }
        let detail = failure.kind == .httpStatus ? failure.detail : "\(label): \(failure.detail)"
        return ForeignText(redactor: redactor).open(detail, maximumBytes: Self.longestReason)
    }
}
