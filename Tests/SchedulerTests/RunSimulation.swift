import SystemKit
import TransferModel

@testable import Scheduler
@testable import Transfer

/// Drives a `RunMachine` by hand: the test is the clock, the network and the disk.
struct RunSimulation {
    static let clock = RunClock(
        wall: Timestamp(microseconds: 1_000_000_000_000_000),
        monotonic: MonotonicTime(nanoseconds: 0),
        maximumSkewMicroseconds: 0
    )

    private(set) var machine: RunMachine
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// The attempts that run, by task.
    private(set) var running: [Int: AttemptRequest] = [:]
    /// The task's ids in the order in which their attempts were started.
    private(set) var starts: [String] = []
    private(set) var checks: [Int: String] = [:]
    private(set) var cancelled: [Int] = []
    private(set) var records: [TaskRecord] = []
    /// How many tasks were said to be still running when the run stopped.
    private(set) var stillRunning: [Int] = []
    /// The tasks that were said to wait for an interface.
    private(set) var waiting: [String] = []
    private(set) var retries: [(id: String, attempt: Int, wait: Int64)] = []
    private let source: FakeSource
    private let resolver: TaskResolver
    /// The tasks whose destinations a test answers for although they would be replaced.
    private let occupied: Set<String>
    var dice = 0.5
    var minuteOfDay: Int
    /// How far the wall clock has been set forward.
    private var step = Duration.zero

    init(
        _ tasks: [FakeSource.Task],
        sessions: [SessionConfiguration] = [SessionConfiguration(name: "default")],
        retryTokens: Int = RetryBudget.usualCapacity,
        minuteOfDay: Int = 0,
        hasExternalPower: Bool = true,
        requestTurns: [RequestTurns?]? = nil,
        schedule change: (inout ScheduleConfiguration) -> Void = { _ in },
        orderKeys: FakeKeys? = nil,
        background: FakeBackground? = nil,
        occupied: Set<String> = []
    ) {
        self.occupied = occupied
        var schedule = ScheduleConfiguration()
        change(&schedule)
        self.minuteOfDay = minuteOfDay
        source = FakeSource(tasks: tasks)
        resolver = TaskResolver(
            source,
            sessions: sessions,
            clock: Self.clock,
            orderKeys: orderKeys,
            background: background
        )
        machine = RunMachine(
            overview: source,
            sessions: sessions,
            schedule: schedule,
            clock: Self.clock,
            now: now,
            keepsTransfers: background != nil,
            hasExternalPower: hasExternalPower,
            requestTurns: requestTurns,
            retryBudget: RetryBudget(tokens: retryTokens)
        )
        settle()
    }

    var runningIDs: [String] { running.keys.sorted().map(source.id) }
    var summary: RunSummary { machine.summary(now) }

    func record(_ id: String) -> TaskRecord? {
        records.first { $0.id == id }
    }

    /// Lets the machine do everything that needs no more time.
    mutating func settle() {
        repeat { tell(.tick) } while machine.nextTick.map { $0 <= now } ?? false
    }

    mutating func advance(by duration: Duration) {
        now = now + duration
        settle()
    }

    /// Lets time pass until the machine wants to be woken.
    mutating func advanceToNextTick() {
        if let next = machine.nextTick { now = max(now, next) }
        settle()
    }

    mutating func finish(_ id: String, _ change: (inout AttemptResult) -> Void = { _ in }) {
        guard let index = source.tasks.firstIndex(where: { $0.id == id }),
            let request = running.removeValue(forKey: index)
        else { return }
        var result = AttemptResult(
            key: index,
            startTime: now,
            endTime: now,
            currentRequest: TransactionMetrics.SentRequest(
                method: request.request.method,
                url: request.request.url.text,
                headers: HeaderFields()
            )
        )
        change(&result)
        readWallClock()
        let part = dice
        let question = machine.attemptFinished(EndedAttempt(result), now: now, dice: { part })
        resolver.answer(question, of: &machine)
        act()
        settle()
    }

    mutating func fail(
        _ id: String,
        _ kind: TransferFailure.Kind,
        _ change: (inout TransferFailure) -> Void = { _ in }
    ) {
        var failure = TransferFailure(kind: kind, phase: .receive, detail: "it broke")
        change(&failure)
        finish(id) { $0.failure = failure }
    }

    /// Ends an attempt with a refused status.
    mutating func refuse(_ id: String, _ status: Int, _ fields: [HeaderField] = []) {
        finish(id) { result in
            result.response = ResponseHead(statusCode: status, fields: HeaderFields(fields))
            var failure = TransferFailure(
                kind: .httpStatus,
                phase: .wait,
                detail: "status \(status)"
            )
            failure.httpStatus = status
            result.failure = failure
        }
    }

    mutating func signal(_ signal: StopSignal) {
        tell(.signal(signal, at: now))
        settle()
    }

    mutating func networkChanges() {
        tell(.networkChanged)
        settle()
    }

    mutating func powerChanges(isExternal: Bool) {
        tell(.powerChanged(isExternal: isExternal))
        settle()
    }

    mutating func suspensionsChange(_ sessions: Set<Int>) {
        tell(.suspensionsChanged(sessions))
        settle()
    }

    mutating func answerCheck(_ task: Int, _ occupant: PathOccupant) {
        checks[task] = nil
        tell(.destinationChecked(task: task, occupant))
        settle()
    }

    /// Ends every running attempt that was cancelled.
    mutating func obeyCancellations() {
        for task in cancelled { fail(source.id(of: task), .cancelled) }
    }

    /// Sets the wall clock, forward or back.
    mutating func stepWallClock(by duration: Duration) {
        step += duration
    }

    /// Lets the machine look at the wall clock, as it is in each turn.
    private mutating func readWallClock() {
        guard machine.watchesWallClock else { return }
        let wall = Self.clock.timestamp(of: now + step)
        machine.read(WallReading(time: wall, minuteOfDay: minuteOfDay), now: now)
    }

    private mutating func tell(_ event: RunMachine.Event) {
        readWallClock()
        resolver.answer(machine.on(event, now: now), of: &machine)
        act()
    }

    private mutating func act() {
        let actions = machine.takeActions()
        resolver.keep(actions.journalSteps)
        for request in actions.starts + actions.orders {
            running[request.key] = request
            starts.append(source.id(of: request.key))
        }
        cancelled += actions.cancellations
        for check in actions.destinationChecks { checks[check.task] = check.path }
        // Files that would be replaced are not there unless a test says so.
        let replaced = checks.keys.filter {
            source.tasks[$0].destination?.ifExists.mayReplace == true
                && !occupied.contains(source.tasks[$0].id)
        }
        for event in actions.events {
            switch event {
            case .taskFinished(let task): records.append(task.record)
            case .stopping(_, let running, _): stillRunning.append(running)
            case .taskWaiting(let id, _): waiting.append(id)
            case .taskWillRetry(let id, let attempt, _, let wait, _, _):
                retries.append((id, attempt, wait))
            default: break
            }
        }
        for task in replaced.sorted() { answerCheck(task, .nothing) }
    }
}

extension ResumeOutcome {
    /// The state of an upload after an attempt.
    static func upload(mayBeComplete: Bool, isKept: Bool = false) throws -> ResumeOutcome {
        let partial = PartialUpload(
            url: try TransferURL("http://a.test/upload/1"),
            version: .v6,
            digest: "d",
            salt: "s",
            total: 1000,
            mayBeComplete: mayBeComplete,
            creationDate: Timestamp(microseconds: 0),
            isKept: isKept
        )
        return ResumeOutcome(upload: UploadOutcome(partial: partial))
    }
}
