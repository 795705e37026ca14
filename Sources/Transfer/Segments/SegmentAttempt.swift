internal import TransferModel

/// The steps of an attempt whose file several connections fetch at the same time.
///
/// A value without state of its own: the download has it.
struct SegmentAttempt {
    let attempt: Attempt
    let role: SegmentRole

    /// Notes the end of an exchange; nil when the attempt itself has ended with it.
    func endExchange() -> Attempt.Next? {
        guard !role.download.isOver else { return role.request == nil ? nil : .leftSegment }
        role.download.didEnd(role.lane, attempt.exchange)
        guard role.request == nil else { return .leftSegment }
        attempt.exchange.forgetFailure()
        return .awaitsSegments
    }

    /// Continues the attempt after the end of all requests: one more request fetches the rest from
    /// a server that was of no use for parts, or the whole file if the server refuses ranges.
    func conclude(_ outcome: SegmentMachine.Outcome) -> Attempt.Next {
        role.download.end(outcome)
        let exchange = attempt.exchange
        guard outcome == .incomplete, let refusal = role.download.refusal,
            !role.download.hasMainFailed, exchange.failure?.kind != .localIO
        else { return attempt.finish() }
        exchange.forgetFailure()
        let hasRest = exchange.part.endSegments(for: exchange.request, refusal)
        let isResuming = hasRest && !role.download.refusesRanges
        return attempt.perform { () throws(TransferFailure) in
            try attempt.take(isResuming ? .askAgain : .startOver)
        }
    }
}
