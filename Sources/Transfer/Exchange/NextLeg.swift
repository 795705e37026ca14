internal import CurlKit
internal import SystemKit
internal import TransferModel

/// Another request that libcurl is about to send within the running transfer: decides whether it
/// may.
struct NextLeg {
    let exchange: Exchange

    init(of exchange: Exchange) { self.exchange = exchange }

    /// Decides whether libcurl may send the request.
    ///
    /// - Throws: The failure of an exchange that libcurl must not continue.
    func mayBegin(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        // libcurl would try the flooding server again.
        if exchange.isCut { throw exchange.recorder.stage.flood }
        guard !exchange.response.isCutOff else { return false }
        guard exchange.head == nil else { return try mayFollow(at: now) }
        try checkRepetition()
        return true
    }

    /// Checks a request that repeats the running one when its connection ended without a response.
    ///
    /// A new connection prevents that only for the first request of an exchange: the request with
    /// the body may follow a challenge, over a kept connection.
    ///
    /// - Throws: The failure of a request that must not arrive twice and stays without an answer.
    private func checkRepetition() throws(TransferFailure) {
        guard exchange.recorder.didSend, !exchange.request.resending.allows(exchange.hop) else {
            return
        }
        exchange.response.isCutOff = true
        throw exchange.recorder.stage.unansweredRequest
    }

    /// Decides about a request that answers a challenge of the server or the proxy, and begins it.
    ///
    /// Without a limit libcurl would continue for as long as the server challenges: its state is
    /// lost with each closed connection.
    ///
    /// - Returns: Whether libcurl may; otherwise the received response stays the exchange's,
    ///   without its body.
    private func mayFollow(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        exchange.recorder.didPassOver(body: exchange.response.discarded.count)
        // Without a verdict the challenge is a proxy's.
        if let verdict = exchange.verdict, !verdict.isLibraryChallenge {
            exchange.response.isCutOff = true
            if case .accept = verdict, let head = exchange.head {
                throw ResponseVerdict.statusFailure(head)
            }
            return false
        }
        let protocolName = exchange.handle.networkProtocolName
        exchange.recorder.end(
            isComplete: exchange.response.hasPassedOverAll(
                of: exchange.hop.method,
                received: exchange.recorder.receivedBodyBytes,
                over: protocolName
            ),
            protocolName: protocolName
        )
        exchange.recorder.didGetRefusal()
        exchange.forgetResponse()
        exchange.policies.upload?.willRepeat()
        exchange.beginRecord(.authentication, at: now)
        if let route = exchange.policies.proxy.route { exchange.recorder.willUseProxy(route.url) }
        _ = EasyRequest.Body(of: exchange)
        return true
    }
}
