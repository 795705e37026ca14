import Glibc
import HeapModule
import Transfer
import TransferModel

extension RunMachine {
    /// Goes on with a download whose destination's presence decides.
    mutating func destinationChecked(_ index: Int, _ exists: Bool, _ now: MonotonicTime) {
        guard let task = active[index], task.stage == .checking else { return }
        if exists, let destination = task.spec.destination {
            release(task)
            if destination.ifExists == .skip {
                succeed(task, .unchanged, now)
            } else {
                fail(task, .destinationExists(destination.displayPath), now)
            }
        } else if phase == .running {
            startAttempt(of: task, now)
        } else {
            release(task)
            cancelTask(task, now)
        }
    }

    /// Goes on with a task whose attempt has ended.
    mutating func attemptFinished(
        _ result: AttemptResult,
        _ now: MonotonicTime,
        _ dice: () -> Double
    ) {
        guard let task = active[result.key], task.stage == .running else { return }
        release(task)
        if let failure = result.failure {
            let history = task.history(after: result, clock, now)
            task.end(result, clock)
            attemptFailed(task, result, failure, history, dice(), now)
        } else {
            task.end(result, clock)
            retryBudget.deposit()
            succeed(task, .succeeded, now)
        }
    }

    /// Decides whether there is another attempt; `part` is the part of its backoff that is waited.
    private mutating func attemptFailed(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ failure: TransferFailure,
        _ history: RetryDecision.History,
        _ part: Double,
        _ now: MonotonicTime
    ) {
        if failure.kind == .cancelled, phase == .cancelling {
            cancelTask(task, now)
            return
        }
        pauseOrigin(task, result, history, part, now)
        let decision = RetryDecision.decide(
            failure,
            of: task.spec.request,
            under: task.spec.retry,
            history: history,
            dice: part
        )
        switch decision {
        case .giveUp(let reason):
            fail(task, failure.explained(reason, task.spec), now)
        case .retry where phase != .running:
            cancelTask(task, now)
        case .retry where !retryBudget.take():
            fail(task, failure.explained(.runBudgetExhausted, task.spec), now)
        case .retry(let wait, let reason):
            task.wait(reason, since: now)
            let due = now + wait
            retries.insert(Timer(time: due, task: task.spec.index))
            let start = max(due, lanes.pauseEnd(task.lane.origin) ?? due)
            actions.events.append(
                .taskWillRetry(
                    id: task.spec.id,
                    attempt: task.number,
                    failure: failure,
                    waitMicroseconds: (start - now).microseconds
                )
            )
        }
    }

    /// Ends a waiting task with the failure of its last attempt.
    mutating func giveUp(
        _ task: ActiveTask,
        _ reason: RetryDecision.Reason,
        _ now: MonotonicTime
    ) {
        guard let failure = task.failure else { return }
        fail(task, failure.explained(reason, task.spec), now)
    }

    /// Pauses the origin that answered 429 or 503: for as long as it asks, else for this attempt's backoff.
    ///
    /// A wait longer than `maximumRetryAfter` fails the task at once; it does not hold the other tasks up for so long, only
    /// for the backoff.
    private mutating func pauseOrigin(
        _ task: ActiveTask,
        _ result: AttemptResult,
        _ history: RetryDecision.History,
        _ part: Double,
        _ now: MonotonicTime
    ) {
        guard let status = result.response?.statusCode, status == 429 || status == 503 else {
            return
        }
        let policy = task.spec.retry
        var pause = RetryDecision.backoff(policy.backoff, after: task.number, dice: part)
        if policy.respectRetryAfter, let asked = history.retryAfter,
            asked <= policy.maximumRetryAfter
        {
            pause = max(pause, asked)
        }
        let answered = try? HTTPURL(result.currentRequest.url)
        lanes.pause((answered ?? task.spec.request.url).origin, until: now + pause)
    }

    // MARK: Records

    /// Gives back the place of a task in the stages `checking` and `running`.
    private mutating func release(_ task: ActiveTask) {
        running -= 1
        lanes.leave(task.lane)
    }

    private mutating func succeed(
        _ task: ActiveTask,
        _ outcome: TaskOutcome,
        _ now: MonotonicTime
    ) {
        let index = task.spec.index
        complete(index, task.record(outcome, at: clock.timestamp(of: now)), verdict: .success)
        guard phase == .running else { return }
        for tasks in graph.succeed(index) { makeReady(tasks) }
    }

    private mutating func fail(
        _ task: ActiveTask,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        let record = task.record(.failed, at: clock.timestamp(of: now))
        fail(task.spec.index, record, failure, now)
    }

    /// Ends a task with a failure, and the run as well if the job asks for that.
    mutating func fail(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure,
        _ now: MonotonicTime
    ) {
        record.error = failure
        record.isRetryable = failure.exitCode == .temporary
        complete(index, record, verdict: failure.exitCode)
        skipDependants(of: index, verdict: failure.exitCode)
        if schedule.failFast, phase == .running, source.isRequired(index) { stop(.failFast, now) }
    }

    /// Writes a task's one record and forgets the task.
    mutating func complete(_ index: Int, _ record: consuming TaskRecord, verdict: ExitCode) {
        active[index] = nil
        states[index] = .ended
        unended -= 1
        tally.add(record, verdict: verdict)
        actions.events.append(.taskFinished(record))
    }

    /// Dooms the tasks that need this one and were not doomed before.
    mutating func skipDependants(of index: Int, verdict: ExitCode) {
        for tasks in graph.fail(index) {
            for task in tasks where states[task] == .idle { states[task] = .doomed }
            skips.append(Skip(tasks: tasks, need: UInt32(index), verdict: verdict))
        }
    }
}

extension TransferFailure {
    /// A download that must not replace what is there.
    fileprivate static func destinationExists(_ path: String) -> TransferFailure {
        var failure = TransferFailure(
            kind: .localIO,
            phase: .prepare,
            detail: "the destination `\(path)` exists and `ifExists` is `fail`"
        )
        failure.osErrno = Int(EEXIST)
        failure.urlError = URLErrorCode(code: -3000, name: "cannotCreateFile")
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        failure.help = "remove the file, or set `ifExists` to `replace` or `skip`"
        return failure
    }

    /// The failure of a task that ends with it, and why it is not tried again.
    func explained(
        _ reason: RetryDecision.Reason,
        _ spec: TaskSpec
    ) -> TransferFailure {
        var failure = self
        failure.isOutcomeUnknown = RetryDecision.leavesOutcomeUnknown(
            self,
            of: spec.request,
            under: spec.retry
        )
        failure.explain(reason, under: spec.retry)
        return failure
    }
}
