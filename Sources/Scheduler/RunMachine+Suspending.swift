import SystemKit
import Transfer
import TransferModel

/// Tasks of background sessions that a user has suspended (`URLSessionTask.suspend`).
extension RunMachine {
    /// Takes in which sessions are suspended.
    ///
    /// Their running attempts are cancelled, and their waiting tasks try to begin, which ends them.
    mutating func suspensionsChanged(_ sessions: Set<Int>, _ now: MonotonicTime) {
        suspended = sessions
        guard phase == .running, !sessions.isEmpty else { return }
        actions.cancellations += active.indices(of: sessions) { $0 == .running }
        for task in connectivity.open(sessions: sessions) { makeReady(task..<task + 1) }
        let active = active
        queue.hurry(now) { active.session(of: $0).map(sessions.contains) == true }
    }

    /// Whether the session of a task is suspended.
    func isSuspended(_ spec: TaskSpec) -> Bool { suspended.contains(spec.session) }

    /// Ends a task that would begin an attempt in a suspended session; false for any other task.
    mutating func endsSuspended(_ task: inout ActiveTask, _ now: MonotonicTime) -> Bool {
        guard isSuspended(task.spec) else { return false }
        release(task)
        suspend(&task, now)
        return true
    }

    /// Ends a task without a place, because its session is suspended: a later run continues it.
    mutating func suspend(_ task: inout ActiveTask, _ now: MonotonicTime) {
        fail(&task, task.suspension(of: sessions[task.spec.session].identifier ?? ""), now)
    }
}

extension ActiveTask {
    /// The failure of a task whose session is suspended; tells of an order that may have arrived.
    fileprivate func suspension(of identifier: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .suspended,
            phase: .prepare,
            detail: "the background session `\(identifier)` is suspended"
        )
        failure.isKnownUnprocessed = number == 0
        failure.help = "`runner resume \(identifier)` lets the next run continue the transfer"
        guard let last = self.failure, leavesOutcomeUnknown(last) else { return failure }
        failure.isOutcomeUnknown = true
        failure.explain(.outcomeUnknown, of: request, under: spec.retry)
        return failure
    }
}
