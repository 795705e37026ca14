package import TransferModel

/// Keeps the transfers of background sessions over the runs of a job; used on the scheduler's
/// thread.
package protocol BackgroundTransfers: AnyObject {
    /// Whether an earlier run has begun a task of that id.
    func knows(_ spec: TaskSpec) -> Bool

    /// A transfer as earlier runs have left it; nil when it begins now.
    ///
    /// - Throws: When the journal cannot be read; the transfer is not sent then.
    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer?

    /// Whether an earlier run has left the URL of a transfer's upload, where the server reports how
    /// much has arrived.
    func leavesUpload(_ spec: TaskSpec) -> Bool

    /// Notes that an attempt begins; the transfer's time is over at the deadline, if there is one.
    func attemptBegins(_ spec: TaskSpec, deadline: Timestamp?)

    /// Notes that an attempt has ended and another one follows; so many count towards
    /// `retry.attempts`.
    func attemptEnded(_ spec: TaskSpec, failures: Int)

    /// Writes to the disk that the noted attempts begin, before any of them is sent.
    ///
    /// - Throws: When that fails; none of them is sent then.
    func commit() throws(TransferFailure)

    /// Stores the outcomes of tasks before any other listener learns them.
    func keep(_ events: [RunEvent])
}

extension EarlierTransfer {
    /// How long a transfer may still take; nil without a limit.
    ///
    /// The wall clock may have been set since, so the time is at most that of a transfer that
    /// begins now.
    func remaining(of interval: Duration?, at date: Timestamp) -> Duration? {
        guard let interval, let deadline else { return interval }
        return min(interval, .microseconds(deadline.microseconds(since: date)))
    }

    /// Why a transfer that an earlier run has begun does not continue; nil when it does.
    func obstacle(
        to spec: TaskSpec,
        within interval: Duration?,
        at date: Timestamp,
        leavesUpload: @autoclosure () -> Bool
    ) -> TransferFailure? {
        var cut = TransferFailure(
            kind: .cancelled,
            phase: .finish,
            detail: "the run that sent the request was interrupted"
        )
        cut.urlError = .backgroundSessionWasDisconnected
        // A key that the runner made stays the same. A key that the job added later does not cover
        // the earlier try, which had none.
        var request = spec.request
        if !hadKey { request.headers.removeAll { $0.isNamed(IdempotencyKeyField.name) } }
        if wasCut, !(hadKey && spec.wantsKey),
            RetryDecision.leavesOutcomeUnknown(cut, of: request, under: spec.retry),
            !leavesUpload()
        {
            cut.isOutcomeUnknown = true
            cut.explain(.outcomeUnknown, of: request, under: spec.retry)
            return cut
        }
        guard let remaining = remaining(of: interval, at: date), remaining <= .zero else {
            return nil
        }
        let limit = interval.map { TimeLimit(.timeoutIntervalForResource, $0) }
        let words = "before this run the transfer exceeded"
        var failure = TransferFailure(phase: .prepare, words, limit)
        failure.isPermanent = true
        return failure
    }
}
