import HeapModule
import SystemKit
import Transfer
import TransferModel

/// The tasks that wait for their start or their next attempt, by their keys; decides which is next.
struct StartQueue {
    /// A task that may start, or begin its next attempt.
    struct Candidate {
        let key: TaskKey
        /// Its place; nil while its host is not known.
        var lane: HostLanes.Lane?
        /// Since when a pause of its origin alone has kept it back; nil without such a pause.
        var pausedSince: MonotonicTime?
        /// Since when the session's limit of requests has kept it back, which has admitted it now;
        /// nil without such a wait.
        var pacedSince: MonotonicTime?
    }

    /// How many tasks may be read in one turn to learn their host, so that a turn is short.
    private static let freshTasksPerTurn = 64

    /// Tasks without open needs whose host is not known yet.
    private var ready = TaskQueue()
    private var retries = Heap<TaskTimer>()
    /// The places at hosts, and the tasks that wait for one.
    var lanes: HostLanes
    /// The limits of requests, and the tasks that wait for their turn.
    var paces: RequestPaces
    /// Ready tasks whose `earliestBeginDate` is to come.
    var beginDates: BeginDates
    /// How many more tasks may be read in this turn.
    private var freshTasks = freshTasksPerTurn
    /// The task that `next` has returned last.
    private(set) var candidate: Candidate?
    /// Whether this turn has stopped looking for a task because it has read enough of them.
    private(set) var isLookingFurther = false

    /// An empty queue; each session has a limit of connections to a host, and perhaps of requests.
    init(limits: [Int], requests: [RequestTurns?] = [], clock: RunClock) {
        lanes = HostLanes(limits: limits)
        paces = RequestPaces(requests, now: clock.monotonic)
        beginDates = BeginDates(clock: clock)
    }

    /// When `next` may have another task; nil when only another event can make one ready.
    var nextTime: MonotonicTime? {
        if isLookingFurther { return MonotonicTime(nanoseconds: .min) }
        return [retries.min?.time, lanes.nextResumption, beginDates.nextTime, paces.nextTime].lazy
            .compactMap(\.self).min()
    }

    /// Whether the wall clock must be read in each turn.
    var watchesWallClock: Bool { beginDates.watchesWallClock || paces.watchesWallClock }

    /// Records a reading of the wall clock.
    mutating func read(_ wall: WallReading, _ now: MonotonicTime) {
        beginDates.read(wall: wall.time, now)
        paces.read(minuteOfDay: wall.minuteOfDay, now)
    }

    /// Adds a task without open needs.
    mutating func insert(_ task: TaskKey) { ready.insert(task) }

    /// Adds a task whose next attempt is due at a time.
    mutating func insert(_ task: Int, dueAt time: MonotonicTime) {
        retries.insert(TaskTimer(time: time, task: task))
    }

    /// Begins a turn.
    mutating func beginTurn(_ now: MonotonicTime) {
        freshTasks = Self.freshTasksPerTurn
        isLookingFurther = false
        lanes.resume(now)
        paces.beginTurn(now)
    }

    /// Takes a task out whose next attempt is due.
    mutating func takeDue(_ now: MonotonicTime) -> Int? {
        guard let timer = retries.min, timer.time <= now else { return nil }
        return retries.popMin()?.task
    }

    /// Makes the next attempts of some tasks due now.
    mutating func hurry(_ now: MonotonicTime, where fits: (Int) -> Bool) {
        retries = Heap(
            retries.unordered.map { fits($0.task) ? TaskTimer(time: now, task: $0.task) : $0 }
        )
    }

    /// Takes out the best task that may start.
    ///
    /// A ready task has to be read before its host is known. If the host has no room the task is
    /// parked, as a key, and the search continues: a slow host keeps no other task waiting.
    ///
    /// - Parameter acceptsFresh: Whether the run has memory for another task that begins.
    /// - Returns: The task, which has a place if its host is known.
    mutating func next(acceptsFresh: Bool) -> Candidate? {
        candidate = takeBest(acceptsFresh: acceptsFresh)
        return candidate
    }

    private mutating func takeBest(acceptsFresh: Bool) -> Candidate? {
        while let paced = paces.takeNext(acceptsFresh: acceptsFresh) {
            guard let lane = paced.lane, lanes.pauseEnd(lane.origin) != nil else { return paced }
            // The origin was paused meanwhile.
            paces.charge(-1, session: lane.session)
            lanes.leave(lane)
            lanes.park(paced.key, lane)
        }
        let fresh = ready.min
        if let parked = lanes.next(), fresh.map({ parked < $0 }) ?? true {
            guard parked.isRetry || acceptsFresh, let (key, lane, heldSince) = lanes.takeNext()
            else { return nil }
            return Candidate(key: key, lane: lane, pausedSince: heldSince)
        }
        guard acceptsFresh, let fresh else { return nil }
        isLookingFurther = freshTasks == 0
        guard !isLookingFurther else { return nil }
        freshTasks -= 1
        ready.removeMin()
        return Candidate(key: fresh)
    }

    /// Gives the candidate, whose settings are known now, a place at its host.
    ///
    /// - Parameters:
    ///   - spec: The settings of the candidate.
    ///   - isSuspended: Whether its session is suspended, so that it ends at once.
    ///   - connectivity: Keeps tasks back whose path is closed.
    ///   - now: The present.
    /// - Returns: False when the candidate is kept back.
    mutating func takePlace(
        for spec: TaskSpec,
        isSuspended: Bool,
        _ connectivity: inout Connectivity,
        _ now: MonotonicTime
    ) -> Bool {
        if let lane = candidate?.lane {
            guard connectivity.hold(spec, now) else { return paces.admits(candidate) }
            lanes.leave(lane)
            return false
        }
        if let date = spec.earliestBeginDate, !isSuspended,
            beginDates.keepBack(spec.index, until: date, now)
        {
            return false
        }
        guard let key = candidate?.key, !connectivity.hold(spec, now) else { return false }
        let lane = HostLanes.Lane(session: spec.session, origin: spec.request.url.origin)
        candidate?.lane = lane
        return lanes.enter(key, lane, at: now) && paces.admits(candidate)
    }

    /// Forgets every task, because the run starts no more attempts.
    mutating func stop() {
        isLookingFurther = false
        ready = TaskQueue()
        retries = Heap()
        beginDates.removeAll()
        paces.removeAll()
        lanes.dropParked()
    }
}
