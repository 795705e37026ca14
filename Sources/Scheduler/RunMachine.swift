import DequeModule
import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Decides what a run does next, without I/O, clock or dice.
///
/// It is told what has happened and says what is to be done. Each task gets exactly one record.
/// Kept in memory are one byte for each task, its needs where it does not share them, and all of a
/// task only from its start to its end.
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
        /// Paths to look at for the tasks that they are the destinations of.
        var destinationChecks: [(task: Int, path: String)] = []
        var events: [RunEvent] = []
    }

    /// How far a task has come.
    enum TaskState: UInt8 {
        /// Never started; it waits for its needs, its turn or its host.
        case idle
        /// A need has not succeeded: to be recorded as skipped.
        case doomed
        /// In `active`.
        case active
        case ended
    }

    /// A task whose next attempt is due at a time.
    struct Timer: Comparable {
        var time: MonotonicTime
        var task: Int

        static func < (left: Timer, right: Timer) -> Bool {
            (left.time, left.task) < (right.time, right.task)
        }
    }

    /// Tasks that are skipped, and what for.
    struct Skip {
        /// Those that have no record yet.
        var tasks: Range<Int>
        var need: UInt32
        /// The task that failed: the need itself, or one that kept it from beginning.
        var root: UInt32
        /// How the root failed.
        var kind: TransferFailure.Kind
        /// The exit code that the need's end asks for.
        var verdict: ExitCode
    }

    /// How much of what needs no network (tasks to be recorded, tasks decoded to learn their host)
    /// is done in one turn, so that a turn is short and its actions are few.
    static let stepsPerTurn = 64

    let source: any TaskSource
    /// nil when no task wants a key.
    let orderKeys: (any OrderKeys)?
    /// nil when the job has no background session.
    let background: (any BackgroundTransfers)?
    let sessions: [SessionConfiguration]
    let schedule: ScheduleConfiguration
    let clock: RunClock

    var states: [TaskState]
    var graph: DependencyGraph
    /// Tasks without open needs whose host is not known yet.
    var ready = TaskQueue()
    var lanes: HostLanes
    var captures: CaptureStore
    var active: [Int: ActiveTask] = [:]
    var retries = Heap<Timer>()
    /// Tasks in the state `idle` whose `earliestBeginDate` is to come.
    var beginDates: BeginDates
    var sums = SumsFetches()
    var connectivity: Connectivity
    var retryBudget: RetryBudget
    var skips: Deque<Skip> = []
    /// Tasks in the stages `checking` and `running`.
    var running = 0
    var unended: Int
    /// Whether the last turn stopped looking for startable tasks because it had done enough.
    var isLookingFurther = false

    var stopping: StopMachine
    /// The first task that the sweep of never-started tasks has not seen.
    var sweepPosition = 0

    var tally = RunTally()
    var actions = Actions()

    init(
        source: any TaskSource,
        sessions: [SessionConfiguration],
        schedule: ScheduleConfiguration,
        clock: RunClock,
        now: MonotonicTime,
        orderKeys: (any OrderKeys)? = nil,
        background: (any BackgroundTransfers)? = nil,
        hasExternalPower: Bool = true,
        retryBudget: RetryBudget? = nil
    ) {
        self.source = source
        self.orderKeys = orderKeys
        self.background = background
        self.sessions = sessions
        self.schedule = schedule
        connectivity = Connectivity(sessions, hasExternalPower: hasExternalPower)
        self.clock = clock
        self.retryBudget = retryBudget ?? RetryBudget(mostAttempts: source.mostAttempts)
        beginDates = BeginDates(clock: clock)
        stopping = StopMachine(
            window: schedule.window,
            deadline: schedule.deadline.map { now + $0 }
        )
        graph = DependencyGraph(source.graph)
        states = Array(repeating: .idle, count: source.taskCount)
        unended = source.taskCount
        captures = CaptureStore(source.captureUses)
        lanes = HostLanes(limits: sessions.map { max($0.httpMaximumConnectionsPerHost, 1) })
        for tasks in graph.freeTasks { makeReady(tasks) }
    }

    /// How the run proceeds.
    var phase: StopMachine.Phase { stopping.phase }

    /// Why the run stops; nil while it does not.
    var stopReason: StopReason? { stopping.reason }

    /// Whether the run has abandoned attempts: the runner has not ended them.
    var hasAbandoned: Bool { stopping.hasAbandoned }

    /// Whether every task has its record.
    var isFinished: Bool { unended == 0 }

    /// The sums; complete once the run is finished.
    func summary(_ now: MonotonicTime) -> RunSummary {
        tally.summary(endDate: clock.timestamp(of: now), stopReason: stopReason)
    }

    /// When `tick` has something to do; nil when only another event can bring the run on.
    var nextTick: MonotonicTime? {
        if isLookingFurther || hasRecordsToWrite { return MonotonicTime(nanoseconds: .min) }
        var next = stopping.nextTime
        guard phase == .running else { return next }
        for case let time? in [retries.min?.time, lanes.nextResumption, beginDates.nextTime] {
            next = min(next ?? time, time)
        }
        return next
    }

    /// Takes in what has happened; what is to be done about it adds up until `takeActions`.
    ///
    /// `dice` gives numbers from 0 up to but not including 1.
    mutating func on(_ event: Event, now: MonotonicTime, dice: () -> Double) {
        switch event {
        case .tick: break
        case .destinationChecked(let task, let occupant): destinationChecked(task, occupant, now)
        case .signal(let signal): carryOut(stopping.take(signal, now), now)
        case .networkChanged: networkChanged(now)
        case .powerChanged(let isExternal): powerChanged(isExternal, now)
        }
        advance(now)
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
    mutating func attemptFinished(
        _ result: AttemptResult,
        now: MonotonicTime,
        dice: () -> Double
    ) {
        finish(result, now, dice)
        advance(now)
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
            ready.insert(TaskKey(task: task, priority: source.priority(of: task)))
        }
    }

    /// Does what time and free places allow.
    private mutating func advance(_ now: MonotonicTime) {
        while let step = stopping.nextStep(now) { carryOut(step, now) }
        writeRecords(now)
        guard phase == .running else { return }
        lanes.resume(now)
        wakeRetries(now)
        while let task = beginDates.takeNext(now) { makeReady(task..<task + 1) }
        startTasks(now)
    }
}
