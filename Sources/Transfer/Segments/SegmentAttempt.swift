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

    /// Continues the attempt after the end of all requests.
    func conclude(_ outcome: SegmentMachine.Outcome) -> Attempt.Next {
        role.download.end(outcome)
        return attempt.finish()
    }
}
