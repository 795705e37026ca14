import SystemKit
import TransferModel

/// How long a task may take, and the waits before its attempts.
struct TaskWaits {
    typealias Reason = TaskRecord.Attempt.WaitReason

    /// When the session's `timeoutIntervalForResource` ends the task; nil without a limit.
    let deadline: MonotonicTime?
    /// When the retry budget is used up; waits for an interface or for power move it on.
    private var budgetEnd: MonotonicTime?
    /// The start of the present wait for an interface or for power; nil without such a wait.
    private var heldSince: MonotonicTime?
    /// The sum of the ended waits for an interface or for power.
    private(set) var held: Duration = .zero
    /// The start of the wait before the next attempt, or before the present one.
    private var waitStart: MonotonicTime?
    /// The reason for that wait; nil for a wait without one of its own.
    private(set) var reason: Reason?
    /// How long the task waited before the present attempt.
    private(set) var waited: Duration = .zero

    /// The waits of a task that begins.
    ///
    /// - Parameters:
    ///   - deadline: When the task ends in any case.
    ///   - budgetEnd: When its retry budget is used up.
    ///   - hold: How it was kept back; nil when it was not.
    ///   - pausedSince: Since when a pause of its origin has kept it back.
    ///   - pacedSince: Since when its session's limit of requests has kept it back.
    init(
        deadline: MonotonicTime?,
        budgetEnd: MonotonicTime?,
        hold: ClosedPaths.Hold? = nil,
        pausedSince: MonotonicTime? = nil,
        pacedSince: MonotonicTime? = nil
    ) {
        self.deadline = deadline
        self.budgetEnd = budgetEnd
        heldSince = hold?.since
        waitStart = hold?.since ?? pausedSince
        reason = hold?.cause.reason ?? pausedSince.map { _ in .originPaused }
        if let pacedSince { waitForTurn(since: pacedSince) }
    }

    /// When no attempt may begin any more: the deadline or the end of the retry budget, which
    /// stops during a hold.
    var retryLimit: MonotonicTime? {
        guard heldSince == nil, let budgetEnd else { return deadline }
        return deadline.map { min($0, budgetEnd) } ?? budgetEnd
    }

    /// Measures the wait that an attempt ends.
    mutating func attemptBegins(_ now: MonotonicTime) {
        waited = waitStart.map { now - $0 } ?? .zero
    }

    /// Begins a wait before the next attempt.
    mutating func wait(_ reason: Reason?, since now: MonotonicTime) {
        waitStart = now
        self.reason = reason
    }

    /// Continues the wait, because the origin is paused for other tasks too.
    mutating func waitForOrigin() { reason = .originPaused }

    /// Records a wait for the session's turn to send a request; an earlier wait keeps its reason.
    mutating func waitForTurn(since time: MonotonicTime) {
        waitStart = waitStart ?? time
        reason = reason ?? .requestLimit
    }

    /// Begins a wait for an interface or for power; a wait that `continues` for the same reason
    /// keeps its start.
    mutating func hold(for reason: Reason, since now: MonotonicTime, continues: Bool) {
        if !continues || self.reason != reason { waitStart = now }
        self.reason = reason
        heldSince = heldSince ?? now
    }

    /// Ends a wait for an interface or for power, and moves the retry budget on by it.
    mutating func endHold(_ now: MonotonicTime) {
        guard let since = heldSince else { return }
        heldSince = nil
        held += now - since
        budgetEnd = budgetEnd.map { $0 + (now - since) }
    }
}
