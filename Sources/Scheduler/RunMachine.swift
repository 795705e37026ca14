import SystemKit
import Transfer
import TransferModel

/// Decides what a run does next, without I/O, clock or dice.
///
/// It is a value: events go in, actions come out. In between it asks a `RunQuestion` for each fact
/// that must be read. Each task gets exactly one record. For each task, memory holds one byte and
/// those needs that it does not share, and the whole task only from its start to its end.
struct RunMachine {
    enum Event: Sendable {
        /// Time has passed, or the run begins.
        case tick
        /// The answer to one of `destinationChecks`.
        case destinationChecked(task: Int, PathOccupant)
        /// A signal, and the time of its arrival: the main thread may have been busy since.
        case signal(StopSignal, at: MonotonicTime)
        /// Interfaces, addresses or routes have changed.
        case networkChanged
        /// The machine has got or lost external power.
        case powerChanged(isExternal: Bool)
        /// The sessions that are suspended now, by their positions.
        case suspensionsChanged(Set<Int>)
    }

    /// How many tasks may be recorded in one turn that never begin, so that a turn is short and
    /// its actions are few.
    private static let unbegunTasksPerTurn = 64

    /// When the last event came in.
    var now: MonotonicTime

    let overview: any TaskOverview
    let schedule: ScheduleConfiguration
    let clock: RunClock

    var sessions: RunSessions
    var ledger: TaskLedger
    var queue: StartQueue
    var captures: CaptureStore
    var active = ActiveTasks()
    var sums = SumsFetches()
    var connectivity: Connectivity
    var retryBudget: RetryBudget
    /// Tasks in the stages `checking` and `running`.
    var running = 0
    /// Whether this turn has ended the waits that are over.
    private var hasWoken = false
    /// How many more tasks may be recorded in this turn that never begin.
    private var unbegunTasks = unbegunTasksPerTurn

    var stopping: StopMachine
    var tally = RunTally()
    var actions = RunActions()

    init(
        overview: any TaskOverview,
        sessions: [SessionConfiguration],
        schedule: ScheduleConfiguration,
        clock: RunClock,
        now: MonotonicTime,
        keepsTransfers: Bool = false,
        hasExternalPower: Bool = true,
        requestTurns: [RequestTurns?]? = nil,
        retryBudget: RetryBudget? = nil
    ) {
        self.now = now
        self.overview = overview
        self.sessions = RunSessions(sessions, keepsTransfers: keepsTransfers)
        self.schedule = schedule
        connectivity = Connectivity(sessions, hasExternalPower: hasExternalPower)
        self.clock = clock
        self.retryBudget = retryBudget ?? RetryBudget(mostAttempts: overview.mostAttempts)
        queue = StartQueue(
            limits: sessions.map { max($0.httpMaximumConnectionsPerHost, 1) },
            requests: requestTurns
                ?? sessions.map { RequestTurns($0.limits, now: clock.monotonic) },
            clock: clock
        )
        stopping = StopMachine(
            window: schedule.window,
            deadline: schedule.deadline.map { now + $0 }
        )
        ledger = TaskLedger(overview.graph, taskCount: overview.taskCount)
        captures = CaptureStore(overview.captureUses)
        for tasks in ledger.freeTasks { makeReady(tasks) }
    }

    /// How the run proceeds.
    var phase: StopMachine.Phase { stopping.phase }

    /// Why the run stops; nil while it does not.
    var stopReason: StopReason? { stopping.reason }

    /// Whether the run has abandoned attempts: the runner has not ended them.
    var hasAbandoned: Bool { stopping.hasAbandoned }

    /// Whether every task has its record.
    var isFinished: Bool { ledger.isFinished }

    /// The sums; complete once the run is finished.
    func summary(_ now: MonotonicTime) -> RunSummary {
        tally.summary(endDate: clock.timestamp(of: now), stopReason: stopReason)
    }

    /// When `tick` has something to do; nil when only another event can continue the run.
    var nextTick: MonotonicTime? {
        if ledger.hasUnbegun(isStopping: phase != .running) {
            return MonotonicTime(nanoseconds: .min)
        }
        guard phase == .running, let next = queue.nextTime else { return stopping.nextTime }
        return stopping.nextTime.map { min($0, next) } ?? next
    }

    /// Handles an event; its actions add up until `takeActions`.
    ///
    /// The next event may come only after the questions are answered.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: The present.
    /// - Returns: The first question; nil without one.
    mutating func on(_ event: Event, now: MonotonicTime) -> RunQuestion? {
        self.now = now
        switch event {
        case .tick: break
        case .destinationChecked(let task, let occupant):
            change(task, in: .checking) { $0.destinationChecked(&$1, occupant) }
        case .signal(let signal, let time): carryOut(stopping.take(signal, time))
        case .networkChanged: networkChanged()
        case .powerChanged(let isExternal): powerChanged(isExternal)
        case .suspensionsChanged(let sessions): suspensionsChanged(sessions)
        }
        return beginTurn()
    }

    /// Whether it needs a reading of the wall clock in each turn.
    var watchesWallClock: Bool { stopping.watchesWallClock || queue.watchesWallClock }

    /// Records a reading of the wall clock.
    mutating func read(_ wall: WallReading, now: MonotonicTime) {
        queue.read(wall, now)
        stopping.read(wall, now: now)
    }

    /// Handles the end of an attempt; apart from `on`, because attempts end often.
    ///
    /// `dice` gives numbers from 0 up to but not including 1.
    mutating func attemptFinished(
        _ ended: EndedAttempt,
        now: MonotonicTime,
        dice: () -> Double
    ) -> RunQuestion? {
        self.now = now
        change(ended.result.key, in: .running) { $0.finish(&$1, ended, dice) }
        return beginTurn()
    }

    /// Hands over the actions since the last time.
    mutating func takeActions() -> RunActions {
        var taken = RunActions()
        swap(&taken, &actions)
        taken.nextTick = nextTick
        taken.watchesWallClock = watchesWallClock
        return taken
    }

    /// Changes an active task in place; not at all when it is in another stage than `stage`.
    mutating func change(
        _ index: Int,
        in stage: ActiveTask.Stage? = nil,
        _ body: (inout RunMachine, inout ActiveTask) -> Void
    ) {
        guard var slot = active.take(index) else { return }
        if stage == nil || slot.task.stage == stage { body(&self, &slot.task) }
        active.putBack(slot)
    }

    /// Lets tasks start when there is room.
    mutating func makeReady(_ tasks: Range<Int>) {
        for task in tasks {
            queue.insert(TaskKey(task: task, priority: overview.priority(of: task)))
        }
    }

    private mutating func beginTurn() -> RunQuestion? {
        while let step = stopping.nextStep(now) { carryOut(step) }
        hasWoken = false
        unbegunTasks = Self.unbegunTasksPerTurn
        return proceed()
    }

    /// Takes the steps that time and free places allow, up to the next question.
    mutating func proceed() -> RunQuestion? {
        if !hasWoken {
            let reason = phase == .running ? nil : stopReason
            if let end = ledger.nextUnbegun(reason, steps: &unbegunTasks) {
                return .record(end, captured: captures.values)
            }
            guard phase == .running else { return nil }
            hasWoken = true
            queue.beginTurn(now)
            while let task = queue.takeDue(now) { change(task) { $0.wake(&$1) } }
            while let task = queue.beginDates.takeNext(now) { makeReady(task..<task + 1) }
        }
        return startTasks()
    }
}

/// Tasks of background sessions that a user has suspended (`URLSessionTask.suspend`).
extension RunMachine {
    /// Records which sessions are suspended.
    ///
    /// Their running attempts are cancelled, and their waiting tasks try to begin, which ends them.
    mutating func suspensionsChanged(_ suspended: Set<Int>) {
        sessions.suspended = suspended
        guard phase == .running, !suspended.isEmpty else { return }
        actions.cancellations += active.indices(of: suspended) { $0 == .running }
        for task in connectivity.open(sessions: suspended) { makeReady(task..<task + 1) }
        let active = active
        queue.hurry(now) { active.session(of: $0).map(suspended.contains) == true }
    }

    /// Ends a task that would begin an attempt in a suspended session; false for any other task.
    mutating func endsSuspended(_ task: inout ActiveTask) -> Bool {
        guard sessions.isSuspended(task.spec) else { return false }
        release(task)
        suspend(&task)
        return true
    }

    /// Ends a task without a place, because its session is suspended: a later run continues it.
    mutating func suspend(_ task: inout ActiveTask) {
        fail(&task, sessions.suspension(of: task))
    }
}

/// The sums over the ended tasks.
struct RunTally {
    private var sums = RunSummary(endDate: Timestamp(microseconds: 0))

    /// Adds one task; `verdict` is the exit code of its outcome.
    mutating func add(_ record: TaskRecord, verdict: ExitCode) {
        sums.tasks += 1
        switch record.outcome {
        case .succeeded: sums.succeeded += 1
        case .unchanged: sums.unchanged += 1
        case .failed: sums.failed += 1
        case .deferred: sums.deferred += 1
        case .cancelled: sums.cancelled += 1
        case .skipped: sums.skipped += 1
        }
        if record.isCached { sums.cached += 1 }
        sums.attempts += record.attemptCount
        sums.redirects += record.redirectCount
        for index in record.transactions.indices
        where record.transactions[index].resourceFetchType == .localCache {
            sums.cacheHits += 1
        }
        sums.countOfBytesSent &+= record.countOfBytesSent
        sums.countOfBytesReceived &+= record.countOfBytesReceived
        if record.required, verdict != .success {
            sums.exitCode = sums.exitCode.combined(with: verdict)
        }
    }

    /// The sums of a run that ended at `endDate`; a signal's exit code wins over that of the tasks.
    func summary(endDate: Timestamp, stopReason: StopReason?) -> RunSummary {
        var summary = sums
        summary.endDate = endDate
        if let code = stopReason?.exitCode { summary.exitCode = code }
        return summary
    }
}
