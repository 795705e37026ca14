internal import TransferModel

// The steps of an attempt whose file several connections fetch at the same time.
extension Attempt {
    /// Ends the exchange of a download over several connections; nil when the attempt ends, too.
    func endSegment() -> Next? {
        guard let role = SegmentRole.of(exchange) else { return nil }
        guard !role.download.isOver else { return role.request == nil ? nil : .leftSegment }
        role.download.didEnd(role.lane, exchange)
        guard role.request == nil else { return .leftSegment }
        exchange.outcome.forgetFailure()
        return .receives
    }

    /// Continues the attempt after the end of all requests: one more request fetches the rest from
    /// a server that was of no use for parts, or the whole file if the server refuses ranges.
    func conclude(_ outcome: SegmentMachine.Outcome, of download: SegmentedDownload) -> Next {
        download.end(outcome)
        guard outcome == .incomplete, let refusal = download.refusal, !download.hasMainFailed,
            exchange.failure?.kind != .localIO
        else { return finish() }
        exchange.outcome.forgetFailure()
        let hasRest = exchange.policies.part.endSegments(for: exchange.request, refusal)
        let isResuming = hasRest && !download.refusesRanges
        return perform { () throws(TransferFailure) in
            try take(.again(isResuming ? .rest : .wholeFile))
        }
    }
}
