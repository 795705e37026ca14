import TransferModel

extension RunMachine {
    /// Whether a task is one of those that later runs go on with.
    func isKept(_ spec: TaskSpec) -> Bool {
        keepsTransfers && sessions[spec.session].kind == .background
    }

    /// Ends a task that earlier runs have left nothing to do of; false when the task is to begin,
    /// or to continue.
    mutating func isEnded(
        _ spec: TaskSpec,
        by earlier: Recollection,
        _ now: MonotonicTime
    ) -> Bool {
        let transfer = earlier.transfer
        if let end = transfer.end {
            repeatEnd(end, of: spec, after: transfer.attempts, now)
            return true
        }
        let interval = sessions[spec.session].timeoutIntervalForResource
        guard
            let failure = transfer.obstacle(
                to: spec,
                within: interval,
                at: clock.timestamp(of: now),
                leavesUpload: earlier.leavesUpload
            )
        else { return false }
        var record = record(of: spec, .failed, now)
        record.earlier = .init(attempts: transfer.attempts, end: nil)
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
        for tasks in ledger.succeed(index) { makeReady(tasks) }
    }

    private func record(
        of spec: TaskSpec,
        _ outcome: TaskOutcome,
        _ now: MonotonicTime
    ) -> TaskRecord {
        .unbegun(
            spec,
            outcome,
            session: sessions[spec.session],
            required: overview.isRequired(spec.index),
            at: clock.timestamp(of: now)
        )
    }
}
