import SystemKit
import Transfer
import TransferModel

extension RunMachine {
    /// Stops the run for a reason.
    mutating func stop(_ reason: StopReason, _ now: MonotonicTime) {
        carryOut(stopping.stop(reason), now)
    }

    /// Carries out a step of the stop on the tasks.
    mutating func carryOut(_ step: StopMachine.Step?, _ now: MonotonicTime) {
        switch step {
        case .drain: drain(now)
        case .cancel:
            actions.cancellations += active.indices { $0 == .running }
        case .abandon: abandonRunning(now)
        case nil: break
        }
    }

    /// Starts no more attempts, and cancels the tasks between two attempts; the turns that follow
    /// cancel the tasks that never began.
    ///
    /// Running attempts continue to their end, as with `curl --fail-early`: a part of their work is
    /// done. They are not repeated.
    private mutating func drain(_ now: MonotonicTime) {
        actions.reportStop(stopReason, running: running)
        connectivity.stop()
        queue.stop()
        for task in active.indices(where: { $0 != .checking && $0 != .running }) {
            change(task) { $0.cancelTask(&$1, now) }
        }
    }

    /// Ends the tasks whose cancelled attempts have not ended.
    private mutating func abandonRunning(_ now: MonotonicTime) {
        for task in active.indices(where: { _ in true }) {
            stopping.noteAbandoned()
            change(task) {
                $1.abandon($0.clock, now)
                $0.release($1)
                $0.cancelTask(&$1, now)
            }
        }
    }

    /// Ends a task that has begun because the run stops.
    mutating func cancelTask(_ task: inout ActiveTask, _ now: MonotonicTime) {
        let failure = task.cancellation(stopReason?.text ?? "")
        let outcome = stopReason?.haltedOutcome ?? .cancelled
        var record = task.record(outcome, clock, now)
        record.end(cancelledBy: failure)
        end(&task)
        let verdict = failure.isOutcomeUnknown ? failure.exitCode : stopReason?.verdict ?? .success
        complete(task.spec.index, record, verdict: verdict)
    }

    // MARK: Tasks that never begin

    /// Takes in the record of a task that never begins.
    mutating func unbegunRecorded(
        _ end: TaskLedger.UnbegunEnd,
        _ record: consuming TaskRecord,
        _ now: MonotonicTime
    ) -> RunQuestion? {
        complete(end.task, record, verdict: end.verdict)
        if case .skipped(let skip) = end.cause { ledger.skip(end.task, for: skip) }
        return proceed(now)
    }
}
