import SystemKit
import TransferModel

/// Decides when a run starts no more attempts, cancels the running ones and abandons them.
///
/// It knows no task: each of its steps names an effect that `RunMachine` carries out on the tasks.
struct StopMachine {
    /// How the run proceeds; each phase leads only to the phases below it.
    enum Phase {
        case running
        /// The run starts no more attempts; running attempts continue to their own end.
        case draining
        /// The running attempts are told to end.
        case cancelling
    }

    /// An effect on the tasks.
    enum Step {
        /// Ends the tasks that wait between two attempts, and starts no more attempts.
        case drain
        /// Tells the running attempts to end.
        case cancel
        /// Ends the tasks whose cancelled attempts do not end.
        case abandon
    }

    /// How long running attempts continue after the first signal.
    ///
    /// Half of the ten seconds that container engines give between SIGTERM and SIGKILL, so that the
    /// report is written well before the end.
    static let grace = Duration.seconds(5)

    /// How long the run waits for attempts that a signal or the deadline has cancelled: a disk, a
    /// library or a search in a body may hold one up.
    static let lastWait = Duration.seconds(1)

    private let window: DailyWindow?
    private let deadline: MonotonicTime?
    private(set) var phase = Phase.running
    private(set) var reason: StopReason?
    /// When a signal's grace ends and the running attempts are cancelled.
    private var graceEnd: MonotonicTime?
    /// When the run abandons the cancelled attempts.
    private var lastWaitEnd: MonotonicTime?
    /// Local time at the last reading of the wall clock; nil before the first reading.
    private var minuteOfDay: Int?
    /// Whether the run has abandoned an attempt.
    private(set) var hasAbandoned = false
    /// When a run with a window reads the wall clock again.
    private var windowCheckTime: MonotonicTime?

    /// The state of a run that begins.
    ///
    /// - Parameters:
    ///   - window: The part of the day in which attempts may start; nil for the whole day.
    ///   - deadline: When the run cancels its attempts; nil for never.
    init(window: DailyWindow?, deadline: MonotonicTime?) {
        self.window = window
        self.deadline = deadline
    }

    /// Whether the run must read the wall clock in each turn.
    var watchesWallClock: Bool { window != nil }

    /// When `nextStep` may have a step; nil when only another event can cause one.
    var nextTime: MonotonicTime? {
        switch phase {
        case .running: Self.earlier(window == nil ? nil : windowCheckTime, deadline)
        case .draining: Self.earlier(graceEnd, deadline)
        case .cancelling: Self.earlier(graceEnd, lastWaitEnd)
        }
    }

    private static func earlier(_ one: MonotonicTime?, _ other: MonotonicTime?) -> MonotonicTime? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// Notes a reading of the wall clock.
    mutating func read(_ wall: WallReading, now: MonotonicTime) {
        minuteOfDay = wall.minuteOfDay
        windowCheckTime = now + WallReading.interval
    }

    /// Stops the run for a reason, which replaces an earlier reason; nil when the run was stopping
    /// already.
    mutating func stop(_ reason: StopReason) -> Step? {
        self.reason = reason
        guard phase == .running else { return nil }
        phase = .draining
        return .drain
    }

    /// The first signal stops the run, the second signal cancels the running attempts.
    mutating func take(_ signal: StopSignal, _ now: MonotonicTime) -> Step? {
        if case .signal = reason { return cancel(now) }
        graceEnd = now + Self.grace
        return stop(.signal(signal))
    }

    /// Stops the run outside of its window; running attempts continue.
    mutating func checkWindow() -> Step? {
        guard phase == .running, let window, let minuteOfDay, !window.contains(minuteOfDay) else {
            return nil
        }
        return stop(.window(window))
    }

    /// The next step that is due; the caller carries it out and asks again, until there is none.
    mutating func nextStep(_ now: MonotonicTime) -> Step? {
        if let deadline, now >= deadline, phase != .cancelling {
            if reason?.exitCode == nil, let step = stop(.deadline) { return step }
            return cancel(now)
        }
        if let graceEnd, now >= graceEnd, let step = cancel(now) { return step }
        if let lastWaitEnd, now >= lastWaitEnd {
            self.lastWaitEnd = nil
            return .abandon
        }
        return checkWindow()
    }

    /// Records that an attempt was abandoned; a step `abandon` may find none.
    mutating func noteAbandoned() { hasAbandoned = true }

    /// Cancels the running attempts and limits the wait for their ends.
    private mutating func cancel(_ now: MonotonicTime) -> Step? {
        graceEnd = nil
        lastWaitEnd = lastWaitEnd ?? now + Self.lastWait
        guard phase != .cancelling else { return nil }
        phase = .cancelling
        return .cancel
    }
}
