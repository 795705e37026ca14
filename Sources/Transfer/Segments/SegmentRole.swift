internal import SystemKit
internal import TransferModel

/// The part of an exchange in a download whose file several connections fetch at the same time.
///
/// Lives on its engine's thread.
final class SegmentRole: SegmentPart {
    let download: SegmentedDownload
    /// The number of the exchange's request in the machine.
    let lane: Int
    /// nil for the attempt's own exchange, which had begun to fetch the whole file or its rest.
    let request: SegmentRequest?

    init(_ download: SegmentedDownload, lane: Int, request: SegmentRequest?) {
        self.download = download
        self.lane = lane
        self.request = request
    }

    /// The part of an exchange in such a download; nil for one connection.
    static func of(_ exchange: Exchange) -> SegmentRole? {
        exchange.policies.part.segment.flatMap { $0 as? SegmentRole }
    }

    /// The download, for the attempt's own exchange; nil for the others.
    var downloadOfAttempt: SegmentedDownload? { request == nil ? download : nil }

    /// Begins to fetch the file of an exchange over several connections, if its task wants that and
    /// its response permits it; returns the role of the exchange.
    ///
    /// - Throws: The error of removing the bytes after gaps, which one connection fetches again.
    static func begin(
        for exchange: Exchange,
        _ file: TaskSpec.Destination
    ) throws(SystemError) -> SegmentRole? {
        guard let wanted = file.segments, exchange.policies.part.refusal == nil,
            let download = SegmentedDownload(of: exchange, file, wanted)
        else {
            try exchange.policies.part.resumption?.partial?.dropLoose()
            return nil
        }
        exchange.policies.caching?.reject(.segmented)
        let role = SegmentRole(download, lane: download.adoptMain(at: .now), request: nil)
        exchange.session.turn.begin(role)
        return role
    }

    /// Whether the exchange is for a source of that download.
    func isOf(_ source: Int, of other: SegmentedDownload) -> Bool {
        download === other && other.isOf(source, lane)
    }

    var isForPart: Bool { request != nil }
    var looseRanges: [Range<Int64>] { download.looseRanges }
    var mirrors: [Origin] { download.mirrors }
    var receivedCount: Int64 { download.receivedCount }
    var refusal: String? { download.refusal }

    func judge(_ head: ResponseHead) -> Bool {
        request.map { download.judge(head, of: lane, to: $0) } ?? true
    }

    func write(_ bytes: Span<UInt8>) throws(SystemError) -> Bool {
        try download.write(bytes, of: lane)
    }
}

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
