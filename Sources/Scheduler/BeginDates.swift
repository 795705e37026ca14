import HeapModule
import TransferModel

/// A task that is due at a time.
struct TaskTimer: Comparable {
    var time: MonotonicTime
    var task: Int

    static func < (left: TaskTimer, right: TaskTimer) -> Bool {
        (left.time, left.task) < (right.time, right.task)
    }
}

/// The tasks whose time has not come, by the clock that decides about each; sixteen bytes a task.
struct BeginDates {
    private struct Dated: Comparable {
        var date: Timestamp
        var task: Int

        static func < (left: Dated, right: Dated) -> Bool {
            (left.date, left.task) < (right.date, right.task)
        }
    }

    private var delayed = Heap<TaskTimer>()
    private var dated = Heap<Dated>()
    /// When the run began.
    private let start: MonotonicTime
    /// The wall clock as it was read last.
    private var wall: Timestamp
    private var readTime: MonotonicTime

    /// `clock` has both clocks at the run's start.
    init(clock: RunClock) {
        start = clock.monotonic
        wall = clock.wall
        readTime = clock.monotonic
    }

    /// Whether the wall clock must be read in each turn.
    var watchesWallClock: Bool { !dated.isEmpty }

    /// Notes a reading of the wall clock.
    mutating func read(wall: Timestamp, _ now: MonotonicTime) {
        self.wall = wall
        readTime = now
    }

    /// The time of the wall clock at a monotonic time, from the last reading.
    func date(of time: MonotonicTime) -> Timestamp {
        RunClock(wall: wall, monotonic: readTime, maximumSkewMicroseconds: 0).timestamp(of: time)
    }

    /// Keeps the task back if its time has not come, or if only the next reading of the wall clock
    /// shows that.
    mutating func keepBack(_ task: Int, until date: BeginDate, _ now: MonotonicTime) -> Bool {
        switch date {
        case .delay(let delay):
            guard start + delay > now else { return false }
            delayed.insert(TaskTimer(time: start + delay, task: task))
        case .date(let date):
            guard date > wall || readTime != now else { return false }
            dated.insert(Dated(date: date, task: task))
        }
        return true
    }

    /// Forgets every task.
    mutating func removeAll() {
        delayed = Heap()
        dated = Heap()
    }

    /// When `takeNext` has a task, or the wall clock must be read again.
    var nextTime: MonotonicTime? {
        guard let date = dated.min?.date else { return delayed.min?.time }
        let wait = Duration.microseconds(date.microseconds(since: wall))
        let time = readTime + min(wait, WallReading.interval)
        return delayed.min.map { min($0.time, time) } ?? time
    }

    /// Takes out a task whose time has come.
    mutating func takeNext(_ now: MonotonicTime) -> Int? {
        if let next = delayed.min, next.time <= now { return delayed.popMin()?.task }
        if let next = dated.min, next.date <= wall, readTime == now { return dated.popMin()?.task }
        return nil
    }
}
