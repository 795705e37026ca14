import TransferModel

extension RunMachine {
    /// Whether a task is one of those that later runs go on with.
    func isKept(_ spec: TaskSpec) -> Bool {
        background != nil && sessions[spec.session].kind == .background
    }

    /// Ends a task that earlier runs have left nothing to do of; false when it is to begin, or to
    /// go on.
    mutating func isEndedByEarlierRun(_ spec: TaskSpec, _ now: MonotonicTime) -> Bool {
        guard isKept(spec), let background, background.knows(spec) else { return false }
        let earlier: EarlierTransfer
        do throws(TransferFailure) {
            guard let left = try background.recall(spec) else { return false }
            earlier = left
        } catch {
            fail(spec.index, record(of: spec, .failed, now), error, now)
            return true
        }
        if let end = earlier.end {
            // Its key belongs to this run too: it is spent with the order, and not kept for one of
            // a later round.
            if spec.wantsKey { _ = try? orderKeys?.key(of: spec) }
            repeatEnd(end, of: spec, after: earlier.attempts, now)
            return true
        }
        let interval = sessions[spec.session].timeoutIntervalForResource
        guard
            let failure = earlier.obstacle(
                to: spec,
                within: interval,
                at: clock.timestamp(of: now),
                leavesUpload: background.leavesUpload(spec)
            )
        else { return false }
        var record = record(of: spec, .failed, now)
        record.earlier = .init(attempts: earlier.attempts, end: nil)
        fail(spec.index, record, failure, now)
        return true
    }

    /// Records a task as an earlier run has ended it.
    private mutating func repeatEnd(
        _ end: EarlierTransfer.End,
        of spec: TaskSpec,
        after attempts: Int,
        _ now: MonotonicTime
    ) {
        let index = spec.index
        var record = record(of: spec, end.outcome, now)
        record.changed = false
        record.file = end.file
        record.voucher = end.voucher
        record.earlier = .init(attempts: attempts, end: end)
        if let failure = end.error {
            // It is no news: `failFast` has stopped the run that it was.
            fail(index, record, failure, now, stops: false)
            return
        }
        complete(index, record, verdict: .success)
        guard phase == .running else { return }
        for tasks in graph.succeed(index) { makeReady(tasks) }
    }

    private func record(
        of spec: TaskSpec,
        _ outcome: TaskOutcome,
        _ now: MonotonicTime
    ) -> TaskRecord {
        let date = clock.timestamp(of: now)
        return AttemptTrace().record(
            of: spec,
            outcome,
            session: sessions[spec.session].name,
            required: source.isRequired(spec.index),
            from: date,
            to: date
        )
    }
}

extension EarlierTransfer {
    /// How long a transfer may still take; nil without a limit.
    ///
    /// By the wall clock, which may have been set since: in no case longer than a transfer that
    /// begins now.
    func remaining(of interval: Duration?, at date: Timestamp) -> Duration? {
        guard let interval, let deadline else { return interval }
        return min(interval, .microseconds(deadline.microseconds(since: date)))
    }

    /// Why a transfer that an earlier run has begun does not go on; nil when it does.
    fileprivate func obstacle(
        to spec: TaskSpec,
        within interval: Duration?,
        at date: Timestamp,
        leavesUpload: @autoclosure () -> Bool
    ) -> TransferFailure? {
        var cut = TransferFailure(
            kind: .cancelled,
            phase: .finish,
            detail: "the run that sent it was cut"
        )
        cut.urlError = .backgroundSessionWasDisconnected
        // A key that was made for it is the same again; one that it has got since says nothing of
        // the try without it.
        var request = spec.request
        if !hadKey { request.headers.removeAll { $0.isNamed(IdempotencyKeyField.name) } }
        if wasCut, !(hadKey && spec.wantsKey),
            RetryDecision.leavesOutcomeUnknown(cut, of: request, under: spec.retry),
            !leavesUpload()
        {
            cut.isOutcomeUnknown = true
            cut.explain(.outcomeUnknown, under: spec.retry)
            return cut
        }
        guard let remaining = remaining(of: interval, at: date), remaining <= .zero else {
            return nil
        }
        var failure = TransferFailure(
            kind: .timeout,
            phase: .prepare,
            detail: "its time (`timeoutIntervalForResource`) was over before this run began"
        )
        failure.urlError = .timedOut
        failure.isPermanent = true
        return failure
    }
}
