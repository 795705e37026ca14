internal import TransferModel

/// The stretches of an exchange, microseconds; nil for one that did not happen.
///
/// They follow each other without gaps, and `ssl` is a part of `connect`, so that the others add up
/// to `total`.
struct ExchangeTimings {
    private(set) var blocked: Int64?
    private(set) var dns: Int64?
    private(set) var connect: Int64?
    private(set) var ssl: Int64?
    private(set) var send: Int64 = 0
    private(set) var wait: Int64 = 0
    private(set) var receive: Int64 = 0

    /// From the beginning to the last step.
    var total: Int64 {
        (blocked ?? 0) + (dns ?? 0) + (connect ?? 0) + send + wait + receive
    }

    init(_ exchange: ReportedExchange) {
        let steps = exchange.steps
        var last = steps.fetchStart
        /// The time since the last step; nil for a step that did not happen.
        func stretch(to date: Timestamp?) -> Int64? {
            guard let date else { return nil }
            defer { last = max(last, date) }
            return max(0, date.microseconds(since: last))
        }
        blocked = stretch(to: steps.lookupStart ?? steps.connectStart ?? steps.requestStart)
        if steps.lookupStart != nil { dns = stretch(to: steps.lookupEnd) }
        if steps.connectStart != nil { connect = stretch(to: steps.connectEnd) }
        if let start = steps.secureStart, let end = steps.secureEnd {
            ssl = min(connect ?? 0, max(0, end.microseconds(since: start)))
        }
        // The time between a connection and the request belongs to neither: the request waits.
        if let gap = stretch(to: steps.requestStart) { blocked = (blocked ?? 0) + gap }
        send = stretch(to: steps.requestEnd) ?? 0
        wait = stretch(to: steps.responseStart) ?? 0
        receive = stretch(to: steps.responseEnd) ?? 0
    }
}
