import SystemKit
import Transfer
import TransferModel

extension RunMachine {
    /// Takes in how the attempt of a task has ended.
    mutating func finish(_ task: inout ActiveTask, _ ended: EndedAttempt, _ dice: () -> Double) {
        if task.presence == .examined {
            fileExamined(&task, ended)
            return
        }
        if let list = ended.result.checksums, ended.result.failure == nil,
            let key = task.checksumKey
        {
            queue.paces.charge(ended.result.requestCount, session: task.spec.session)
            checksumsFetched(&task, key, list, ended.result)
            return
        }
        release(task)
        queue.paces.charge(ended.result.requestCount - 1, session: task.spec.session)
        if ended.result.failure?.kind != .network { openPath(of: task) }
        if task.lane.origin.scheme == .https, ended.result.transactions.first?.hasStreams == true {
            queue.lanes.didSpeakStreams(task.lane)
        }
        if let failure = ended.result.failure {
            let history = task.history(
                after: ended.result,
                wall: queue.beginDates.date(of: now),
                now
            )
            if ended.result.isUnbegun { task.retract(ended.result) } else { task.end(ended, clock) }
            if failure.kind == .network, !task.hasUntriedMirror(after: failure),
                mayAwait(task, ended.result, failure)
            {
                awaitConnectivity(&task, ended.result, failure)
            } else {
                attemptFailed(&task, ended.result, failure, history, dice())
            }
        } else {
            task.end(ended, clock)
            captures.keep(ended.result.captured, of: ended.result.key)
            retryBudget.deposit()
            succeed(&task, ended.result.isUnchanged ? .unchanged : .succeeded)
        }
    }

    /// Repeats a failed attempt or ends its task; a wait takes `part` of the backoff.
    private mutating func attemptFailed(
        _ task: inout ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ history: RetryDecision.History,
        _ part: Double
    ) {
        if failure.kind == .cancelled, phase == .cancelling {
            cancelTask(&task)
            return
        }
        if failure.kind == .cancelled, sessions.isSuspended(task.spec) {
            suspend(&task)
            return
        }
        if let pause = task.originPause(after: result, history, part: part) {
            queue.lanes.pause(pause.origin, until: now + pause.duration, from: now)
        }
        let hasTime = phase == .running && task.hasTime(now)
        switch task.next(after: failure, history, part: part, hasTime: hasTime) {
        case .atOnce:
            task.waits.wait(nil, since: now)
            park(&task)
            announceRetry(task, failure, due: now)
        case .awaitWay(let unreachable) where mayAwait(task, result, unreachable):
            awaitConnectivity(&task, result, unreachable)
        case .awaitWay(let unreachable):
            fail(&task, unreachable.explained(.notRetried, task))
        case .decided(.giveUp(let reason)):
            fail(&task, failure.explained(reason, task))
        case .decided(.retry) where phase != .running:
            cancelTask(&task)
        case .decided(.retry) where !retryBudget.take():
            fail(&task, failure.explained(.runBudgetExhausted, task))
        case .decided(.retry(let wait, let reason)):
            task.wait(reason, since: now)
            queue.insert(task.spec.index, dueAt: now + wait)
            announceRetry(task, failure, due: now + wait)
        }
    }

    /// Reports that another attempt follows; a pause of its origin may delay it further.
    private mutating func announceRetry(
        _ task: ActiveTask,
        _ failure: TransferFailure,
        due: MonotonicTime
    ) {
        // The journal must know it before the next attempt, which may begin in the same turn.
        tellAttemptEnded(task, failure)
        let start = max(due, queue.lanes.pauseEnd(task.lane.origin) ?? due)
        actions.reportRetry(of: task, after: failure, wait: start - now)
    }

    /// Tells the journal that an attempt has ended and another one follows.
    ///
    /// The journal records the cut of an order that may have arrived if only this run can ask about
    /// it.
    mutating func tellAttemptEnded(_ task: ActiveTask, _ failure: TransferFailure) {
        guard sessions.isKept(task.spec), !task.leavesOutcomeUnknown(failure) else { return }
        actions.journalSteps.append(
            .attemptEnded(task.spec, failures: task.count.failuresForLaterRuns)
        )
    }

    /// Ends a waiting task with the failure of its last attempt.
    mutating func giveUp(_ task: inout ActiveTask, _ reason: RetryDecision.Reason) {
        guard let failure = task.failure else { return }
        fail(&task, failure.explained(reason, task))
    }

    /// Gives back the place of a task in the stages `checking` and `running`.
    mutating func release(_ task: ActiveTask) {
        running -= 1
        queue.lanes.leave(task.lane)
    }

    mutating func succeed(_ task: inout ActiveTask, _ outcome: TaskOutcome) {
        end(&task)
        succeed(task.spec.index, task.record(outcome, clock, now))
    }

    mutating func succeed(_ index: Int, _ record: consuming TaskRecord) {
        complete(index, record, verdict: .success)
        for tasks in ledger.succeed(index) where phase == .running { makeReady(tasks) }
    }

    /// Ends a task that has begun, and the tasks that wait for a list it could not fetch.
    mutating func fail(_ task: inout ActiveTask, _ failure: TransferFailure) {
        let outcome: TaskOutcome = failure.isDeferral ? .deferred : .failed
        let record = task.record(outcome, clock, now)
        end(&task)
        var failure = failure
        if sessions.isKept(task.spec), task.isOutOfTime(at: now) { failure.isPermanent = true }
        guard task.fetchesChecksums, let key = task.checksumKey else {
            fail(task.spec.index, record, failure)
            return
        }
        // First, because it may stop the run, which ends every other task that waits.
        failure.detail = "the checksum list \(key.url) cannot be fetched: \(failure.detail)"
        failure.decidingKey = ["checksum", "from"]
        fail(task.spec.index, record, failure)
        checksumsFailed(key, failure)
    }

    /// Ends a task with a failure, and the run too under `failFast` if the failure `stops` it.
    mutating func fail(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure,
        stops: Bool = true
    ) {
        record.end(with: failure, at: overview.place(deciding: failure, of: index))
        complete(index, record, verdict: failure.exitCode)
        for tasks in ledger.fail(index, failure) where phase == .running { makeReady(tasks) }
        guard stops, schedule.failFast, phase == .running, overview.isRequired(index),
            !failure.isDeferral
        else { return }
        carryOut(stopping.stop(.failFast))
    }

    /// Lets `ActiveTasks` forget a task.
    mutating func end(_ task: inout ActiveTask) {
        if !connectivity.isEmpty { openPath(of: task) }
        task.stage = .ended
    }

    /// Writes a task's one record.
    mutating func complete(_ index: Int, _ record: consuming TaskRecord, verdict: ExitCode) {
        ledger.end(index)
        captures.taskEnded(index)
        tally.add(record, verdict: verdict)
        actions.events.append(.taskFinished(record))
    }
}

/// The stop of a run, and the tasks that it ends.
extension RunMachine {
    /// Stops the run for a reason.
    mutating func stop(_ reason: StopReason, _ now: MonotonicTime) {
        self.now = now
        carryOut(stopping.stop(reason))
    }

    /// Carries out a step of the stop on the tasks.
    mutating func carryOut(_ step: StopMachine.Step?) {
        switch step {
        case .drain: drain()
        case .cancel:
            actions.cancellations += active.indices { $0 == .running }
        case .abandon: abandonRunning()
        case nil: break
        }
    }

    /// Starts no more attempts, and cancels the tasks between two attempts; the turns that follow
    /// cancel the tasks that never began.
    ///
    /// Running attempts continue to their end, as with `curl --fail-early`: a part of their work is
    /// done. They are not repeated.
    private mutating func drain() {
        actions.reportStop(stopReason, running: running)
        connectivity.stop()
        queue.stop()
        for task in active.indices(where: { $0 != .checking && $0 != .running }) {
            change(task) { $0.cancelTask(&$1) }
        }
    }

    /// Ends the tasks whose cancelled attempts have not ended.
    private mutating func abandonRunning() {
        for task in active.indices(where: { _ in true }) {
            stopping.noteAbandoned()
            change(task) {
                $1.abandon($0.clock, $0.now)
                $0.release($1)
                $0.cancelTask(&$1)
            }
        }
    }

    /// Ends a task that has begun because the run stops.
    mutating func cancelTask(_ task: inout ActiveTask) {
        let failure = task.cancellation(stopReason?.failure ?? .cancelled(""))
        let outcome = stopReason?.haltedOutcome ?? .cancelled
        var record = task.record(outcome, clock, now)
        record.end(
            cancelledBy: failure,
            at: overview.place(deciding: failure, of: task.spec.index)
        )
        end(&task)
        let verdict = failure.isOutcomeUnknown ? failure.exitCode : stopReason?.verdict ?? .success
        complete(task.spec.index, record, verdict: verdict)
    }

    // MARK: Tasks that never begin

    /// Stores the record of a task that never begins.
    mutating func unbegunRecorded(
        _ end: TaskLedger.UnbegunEnd,
        _ record: consuming TaskRecord
    ) -> RunQuestion? {
        complete(end.task, record, verdict: end.verdict)
        for tasks in ledger.settle(end) where phase == .running { makeReady(tasks) }
        return proceed()
    }
}

extension TransferFailure {
    /// The failure of a task that ends with it, and why no attempt follows.
    func explained(_ reason: RetryDecision.Reason, _ task: ActiveTask) -> TransferFailure {
        var failure = self
        failure.isOutcomeUnknown = task.leavesOutcomeUnknown(self)
        failure.explain(reason, of: task.request, under: task.spec.retry)
        return failure
    }
}
