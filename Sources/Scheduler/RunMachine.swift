import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Decides what a run does next, without I/O, clock or dice.
///
/// Events go in, actions come out. What the machine must read in between it asks for
/// (`RunQuestion`). Each task gets exactly one record. Kept in memory are one byte for each task,
/// its needs where it does not share them, and all of a task only from its start to its end.
struct RunMachine {
    /// What has happened.
    enum Event: Sendable {
        /// Time has passed, or the run begins.
        case tick
        /// The answer to one of `destinationChecks`.
        case destinationChecked(task: Int, PathOccupant)
        case signal(StopSignal)
        /// Interfaces, addresses or routes are others.
        case networkChanged
        /// The machine has external power now, or has none any more.
        case powerChanged(isExternal: Bool)
    }

    /// What is to be done, in this order.
    struct Actions: Sendable {
        /// Attempts for the runner to start.
        var starts: [AttemptRequest] = []
        /// Those to start once it is kept that they begin: the first ones under a key that was
        /// made, and all of background sessions.
        var orders: [AttemptRequest] = []
        /// Keys of attempts for the runner to end.
        var cancellations: [Int] = []
        /// Steps for the journals of background sessions, in order.
        var journalSteps: [JournalStep] = []
        /// Paths to look at for the tasks that they are the destinations of.
        var destinationChecks: [(task: Int, path: String)] = []
        var events: [RunEvent] = []
    }

    /// A task whose next attempt is due at a time.
    struct Timer: Comparable {
        var time: MonotonicTime
        var task: Int

        static func < (left: Timer, right: Timer) -> Bool {
            (left.time, left.task) < (right.time, right.task)
        }
    }

    /// A task between the question for its settings and its begin.
    struct Start {
        let key: TaskKey
        /// Its place; nil while its host is not known.
        var lane: HostLanes.Lane?
        /// Since when a pause of its origin alone has kept it back; nil without such a pause.
        var pausedSince: MonotonicTime?
    }

    /// What is left to do in the present turn.
    struct Turn {
        /// Whether waits that are over were ended.
        var hasWoken = false
        /// How many more tasks may be recorded that never begin, so that a turn is short and its
        /// actions are few.
        var unbegunTasks = 64
        /// How many more tasks may be read to learn their host.
        var freshTasks = 64
    }

    let overview: any TaskOverview
    /// Whether transfers of background sessions are kept for later runs.
    let keepsTransfers: Bool
    let sessions: [SessionConfiguration]
    let schedule: ScheduleConfiguration
    let clock: RunClock

    var ledger: TaskLedger
    /// Tasks without open needs whose host is not known yet.
    var ready = TaskQueue()
    var lanes: HostLanes
    var captures: CaptureStore
    var active = ActiveTasks()
    var retries = Heap<Timer>()
    /// Tasks in the state `idle` whose `earliestBeginDate` is to come.
    var beginDates: BeginDates
    var sums = SumsFetches()
    var connectivity: Connectivity
    var retryBudget: RetryBudget
    /// Tasks in the stages `checking` and `running`.
    var running = 0
    var start: Start?
    var turn = Turn()
    /// Whether the last turn stopped looking for startable tasks because it had done enough.
    var isLookingFurther = false

    var stopping: StopMachine
    var tally = RunTally()
    var actions = Actions()

    init(
        overview: any TaskOverview,
        sessions: [SessionConfiguration],
        schedule: ScheduleConfiguration,
        clock: RunClock,
        now: MonotonicTime,
        keepsTransfers: Bool = false,
        hasExternalPower: Bool = true,
        retryBudget: RetryBudget? = nil
    ) {
        self.overview = overview
        self.keepsTransfers = keepsTransfers
        self.sessions = sessions
        self.schedule = schedule
        connectivity = Connectivity(sessions, hasExternalPower: hasExternalPower)
        self.clock = clock
        self.retryBudget = retryBudget ?? RetryBudget(mostAttempts: overview.mostAttempts)
        beginDates = BeginDates(clock: clock)
        stopping = StopMachine(
            window: schedule.window,
            deadline: schedule.deadline.map { now + $0 }
        )
        ledger = TaskLedger(overview.graph, taskCount: overview.taskCount)
        captures = CaptureStore(overview.captureUses)
        lanes = HostLanes(limits: sessions.map { max($0.httpMaximumConnectionsPerHost, 1) })
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

    /// When `tick` has something to do; nil when only another event can bring the run on.
    var nextTick: MonotonicTime? {
        if isLookingFurther || ledger.hasUnbegun(isStopping: phase != .running) {
            return MonotonicTime(nanoseconds: .min)
        }
        var next = stopping.nextTime
        guard phase == .running else { return next }
        for case let time? in [retries.min?.time, lanes.nextResumption, beginDates.nextTime] {
            next = min(next ?? time, time)
        }
        return next
    }

    /// Takes in an event; its actions add up until `takeActions`.
    ///
    /// The next event may come only after the questions are answered.
    ///
    /// - Parameters:
    ///   - event: The event.
    ///   - now: The present.
    /// - Returns: The first question; nil without one.
    mutating func on(_ event: Event, now: MonotonicTime) -> RunQuestion? {
        switch event {
        case .tick: break
        case .destinationChecked(let task, let occupant): destinationChecked(task, occupant, now)
        case .signal(let signal): carryOut(stopping.take(signal, now), now)
        case .networkChanged: networkChanged(now)
        case .powerChanged(let isExternal): powerChanged(isExternal, now)
        }
        return beginTurn(now)
    }

    /// Whether it has to be told in each turn what the wall clock reads.
    var watchesWallClock: Bool { stopping.watchesWallClock || beginDates.watchesWallClock }

    /// Takes in what the wall clock reads now.
    mutating func read(_ wall: WallReading, now: MonotonicTime) {
        beginDates.read(wall: wall.time, now)
        stopping.read(wall, now: now)
    }

    /// Takes in how an attempt has ended; apart from `on`, because a result is large and comes
    /// often.
    ///
    /// `dice` gives numbers from 0 up to but not including 1.
    mutating func attemptFinished(
        _ result: AttemptResult,
        now: MonotonicTime,
        dice: () -> Double
    ) -> RunQuestion? {
        finish(result, now, dice)
        return beginTurn(now)
    }

    /// Hands over everything that is to be done since the last time.
    mutating func takeActions() -> Actions {
        let taken = actions
        actions = Actions()
        return taken
    }

    /// Lets tasks start when there is room.
    mutating func makeReady(_ tasks: Range<Int>) {
        for task in tasks {
            ready.insert(TaskKey(task: task, priority: overview.priority(of: task)))
        }
    }

    private mutating func beginTurn(_ now: MonotonicTime) -> RunQuestion? {
        while let step = stopping.nextStep(now) { carryOut(step, now) }
        turn = Turn()
        return proceed(now)
    }

    /// Does what time and free places allow, up to the next question.
    mutating func proceed(_ now: MonotonicTime) -> RunQuestion? {
        start = nil
        if !turn.hasWoken {
            let reason = phase == .running ? nil : stopReason
            if let end = ledger.nextUnbegun(reason, steps: &turn.unbegunTasks) {
                return .record(end, captured: captures.values)
            }
            guard phase == .running else { return nil }
            turn.hasWoken = true
            isLookingFurther = false
            lanes.resume(now)
            wakeRetries(now)
            while let task = beginDates.takeNext(now) { makeReady(task..<task + 1) }
        }
        return startTasks(now)
    }
}
