import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Tasks that wait for an interface that they may use.
extension RunMachine {
    /// How long a task waits before it looks by itself: not everything that helps is told of by the kernel.
    static let connectivityInterval = Duration.seconds(30)

    /// Whether a task whose attempt had no way waits for one.
    func mayAwait(_ task: ActiveTask, _ failure: TransferFailure, _ now: MonotonicTime) -> Bool {
        phase == .running && sessions[task.lane.session].waitsForConnectivity && task.hasTime(now)
            && !RetryDecision.leavesOutcomeUnknown(
                failure,
                of: task.request,
                under: task.spec.retry
            )
    }

    /// Lets a task wait until the network changes.
    mutating func awaitConnectivity(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        let isUnbegun = result.transactions.isEmpty
        if isUnbegun { task.retract(result) } else { task.end(result, clock) }
        task.awaitConnectivity(since: now, goesOn: isUnbegun)
        if isKept(task.spec) { background?.attemptEnded(task.spec, failures: task.failures) }
        closedPaths.close(.init(task.spec))
        let look = now + Self.connectivityInterval
        let time = task.retryLimit.map { min($0, look) } ?? look
        retries.insert(Timer(time: time, task: task.spec.index))
        guard !task.isKnownToWait else { return }
        task.isKnownToWait = true
        actions.events.append(.taskWaiting(id: task.spec.id, failure: failure))
    }

    /// Lets the tasks that wait for an interface look again.
    mutating func networkChanged(_ now: MonotonicTime) {
        guard phase == .running else { return }
        for task in closedPaths.openAll() { makeReady(task..<task + 1) }
        retries = Heap(
            retries.unordered.map { timer in
                let isWaiting = active[timer.task]?.awaitsConnectivity ?? false
                return isWaiting ? Timer(time: now, task: timer.task) : timer
            }
        )
    }

    /// Lets the tasks start again that go over the same interfaces as one that has found a way, or waits no more.
    mutating func openPath(of task: ActiveTask) {
        guard !closedPaths.isEmpty else { return }
        for task in closedPaths.open(.init(task.spec)) { makeReady(task..<task + 1) }
    }
}
