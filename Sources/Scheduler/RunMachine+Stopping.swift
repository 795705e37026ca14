import DequeModule
import HeapModule
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
            actions.cancellations += active.filter { $0.value.stage == .running }.keys.sorted()
        case .abandon: abandonRunning(now)
        case nil: break
        }
    }

    /// Starts no more attempts; running attempts continue.
    ///
    /// Tasks between two attempts are cancelled now, those that never began by `writeRecords`, bit
    /// by bit.
    ///
    /// Under fail-fast the running attempts continue to their end, as with `curl --fail-early`: a
    /// part of their work is done, and an attempt that ends by itself leaves nothing behind. It is
    /// not tried again.
    private mutating func drain(_ now: MonotonicTime) {
        actions.events.append(.stopping(reason: stopReason?.text ?? "", running: running))
        isLookingFurther = false
        ready = TaskQueue()
        retries = Heap()
        beginDates = BeginDates(clock: clock)
        connectivity.stop()
        lanes.dropParked()
        let halted = active.values.filter {
            [.waiting, .queued, .awaitingChecksums].contains($0.stage)
        }
        for task in halted.sorted(by: { $0.spec.index < $1.spec.index }) { cancelTask(task, now) }
    }

    /// Ends the tasks whose cancelled attempts have not ended.
    private mutating func abandonRunning(_ now: MonotonicTime) {
        for task in active.values.sorted(by: { $0.spec.index < $1.spec.index }) {
            stopping.noteAbandoned()
            task.abandon(clock, now)
            release(task)
            cancelTask(task, now)
        }
    }

    /// Ends a task that has begun because the run stops.
    ///
    /// An attempt that was ended in flight says where it was, and whether the server may have acted
    /// on its request.
    mutating func cancelTask(_ task: ActiveTask, _ now: MonotonicTime) {
        let text = stopReason?.text ?? ""
        var failure = TransferFailure.cancelled(text)
        if let last = task.failure {
            if last.kind == .cancelled {
                failure = last
                failure.detail = text
                failure = failure.explained(.notRetried, task)
            } else {
                failure.detail +=
                    task.number == 0
                    ? "; it could not begin (\(last.detail))"
                    : "; attempt \(task.number) had failed (\(last.detail)) and was not repeated"
                // Only this run could have asked how much of it has arrived.
                failure.isOutcomeUnknown = task.leavesOutcomeUnknown(last)
                failure.explain(.notRetried, under: task.spec.retry)
            }
        }
        let outcome = stopReason?.haltedOutcome ?? .cancelled
        let record = task.record(outcome, clock, now)
        cancel(task.spec.index, record, failure)
    }

    private mutating func cancel(
        _ index: Int,
        _ record: consuming TaskRecord,
        _ failure: TransferFailure
    ) {
        record.error = failure
        // What was missing in the environment is missing in the next run too.
        record.isRetryable = !failure.isOutcomeUnknown && record.outcome != .skipped
        let verdict = failure.isOutcomeUnknown ? failure.exitCode : stopReason?.verdict ?? .success
        complete(index, record, verdict: verdict)
    }

    // MARK: Tasks that never begin

    /// Whether a skipped or cancelled task has no record yet, running ones apart.
    var hasRecordsToWrite: Bool {
        !skips.isEmpty || phase != .running && sweepPosition < states.count
    }

    /// Writes some records of tasks that will never begin.
    mutating func writeRecords(_ now: MonotonicTime) {
        var steps = 0
        while steps < Self.stepsPerTurn, var skip = skips.popFirst() {
            steps += 1
            writeSkipped(skip, now)
            skip.tasks.removeFirst()
            if !skip.tasks.isEmpty { skips.prepend(skip) }
        }
        guard phase != .running, let reason = stopReason else { return }
        while steps < Self.stepsPerTurn, sweepPosition < states.count {
            let index = sweepPosition
            sweepPosition += 1
            guard states[index] == .idle else { continue }
            steps += 1
            cancel(index, blankRecord(index, reason.outcome, now), .cancelled(reason.text))
        }
    }

    private mutating func writeSkipped(_ skip: Skip, _ now: MonotonicTime) {
        let index = skip.tasks.lowerBound
        guard states[index] == .doomed else { return }
        var record = blankRecord(index, .skipped, now)
        record.error = .cancelled(reason(of: skip))
        record.isRetryable = skip.verdict == .temporary || skip.verdict == .deferred
        record.isForWantOfMachine = skip.verdict == .environment
        complete(index, record, verdict: skip.verdict)
        skipDependants(of: index, root: Int(skip.root), skip.kind, verdict: skip.verdict)
    }

    private func reason(of skip: Skip) -> String {
        let need = source.id(of: Int(skip.need))
        let failed = skip.kind.isDeferral ? "was deferred" : "failed (\(skip.kind.label))"
        guard skip.need != skip.root else { return "it needs `\(need)`, which \(failed)" }
        return
            "it needs `\(need)`, which was skipped because `\(source.id(of: Int(skip.root)))` \(failed)"
    }

    /// The record of a task that never began; of one that cannot be resolved, what is known
    /// without.
    func blankRecord(_ index: Int, _ outcome: TaskOutcome, _ now: MonotonicTime) -> TaskRecord {
        let date = clock.timestamp(of: now)
        let required = source.isRequired(index)
        if let spec = try? source.task(at: index, captured: captures.values),
            sessions.indices.contains(spec.session)
        {
            return AttemptTrace().record(
                of: spec,
                outcome,
                session: sessions[spec.session].name,
                required: required,
                from: date,
                to: date
            )
        }
        let outline = source.outline(of: index)
        return TaskRecord(
            id: source.id(of: index),
            taskIdentifier: index + 1,
            taskDescription: outline.description,
            kind: source.kind(of: index),
            session: outline.session.flatMap { session in
                sessions.indices.contains(session) ? sessions[session].name : nil
            } ?? "",
            source: outline.source,
            outcome: outcome,
            required: required,
            request: TransactionMetrics.SentRequest(
                method: outline.method,
                url: outline.url,
                headers: HeaderFields()
            ),
            startDate: date,
            endDate: date
        )
    }
}

extension TransferFailure {
    /// The failure of a task that the run itself kept from succeeding.
    fileprivate static func cancelled(_ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: .cancelled, phase: .prepare, detail: detail)
        failure.urlError = .cancelled
        return failure
    }
}
