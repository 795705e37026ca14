internal import TransferModel

/// The phases of an exchange as the script of the HTML report knows them.
struct HTMLPhases {
    /// The lengths of `blocked`, `dns`, `connect`, `tls`, `send`, `wait` and `receive`,
    /// microseconds.
    private(set) var lengths: [Int64]

    /// Measures an exchange.
    ///
    /// The phase in which the exchange broke off, such as the wait for a response that never came,
    /// lasts until `end`.
    init(_ exchange: ReportedExchange, until end: Timestamp?) {
        let timings = ExchangeTimings(exchange)
        let secure = timings.ssl ?? 0
        lengths = [
            timings.blocked ?? 0, timings.dns ?? 0, max(0, (timings.connect ?? 0) - secure),
            secure, timings.send, timings.wait, timings.receive,
        ]
        let steps = exchange.steps
        guard let end, !exchange.isFromCache, let last = Self.brokenPhase(steps) else { return }
        let known = lengths.reduce(0, +)
        lengths[last] += max(0, end.microseconds(since: steps.fetchStart) - known)
    }

    /// The place in `lengths` of the phase that has no end; nil for a complete exchange.
    private static func brokenPhase(_ steps: ReportedExchange.Steps) -> Int? {
        if steps.responseEnd != nil { return nil }
        if steps.responseStart != nil { return 6 }
        if steps.requestEnd != nil { return 5 }
        if steps.requestStart != nil { return 4 }
        if steps.connectEnd != nil { return 0 }
        if steps.secureStart != nil { return 3 }
        if steps.connectStart != nil { return 2 }
        return steps.lookupStart != nil && steps.lookupEnd == nil ? 1 : 0
    }
}
