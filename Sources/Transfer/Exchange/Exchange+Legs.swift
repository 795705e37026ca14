internal import CurlKit
internal import TransferModel

// Decides whether libcurl may send another request within the running transfer.
extension Exchange {
    /// Decides whether libcurl may send a request, which repeats the running one when its
    /// connection ended without a response.
    ///
    /// A new connection prevents that only for the first request of an exchange: the request with
    /// the body may follow a challenge, over a kept connection.
    ///
    /// - Throws: The failure of a request that must not arrive twice and stays without an answer.
    func mayRepeat() throws(TransferFailure) -> Bool {
        guard !response.isCutOff else { return false }
        guard recorder.didSend, !request.resending.allows(hop) else { return true }
        response.isCutOff = true
        throw recorder.stage.unansweredRequest
    }

    /// Decides whether libcurl may send another request within the same transfer, which answers a
    /// challenge of the server or the proxy.
    ///
    /// Without a limit it would continue for as long as the server challenges: its state is lost
    /// with each closed connection.
    ///
    /// - Returns: Whether libcurl may; otherwise the received response stays the exchange's,
    ///   without its body.
    func beginLeg(at now: MonotonicTime) throws(TransferFailure) -> Bool {
        guard !response.isCutOff else { return false }
        recorder.didPassOver(body: response.discarded.count)
        // Without a verdict the challenge is a proxy's.
        if let verdict, !verdict.isLibraryChallenge {
            response.isCutOff = true
            if case .accept = verdict, let head { throw ResponseVerdict.statusFailure(head) }
            return false
        }
        recorder.end(
            isComplete: response.hasPassedOverAll(
                of: hop.method,
                received: recorder.receivedBodyBytes,
                over: handle.networkProtocolName
            ),
            protocolName: handle.networkProtocolName
        )
        recorder.didGetRefusal()
        forgetResponse()
        checks = []
        upload?.machine.willRepeat()
        beginRecord(.authentication, at: now)
        if let route = proxy.route { recorder.willUseProxy(route.url) }
        _ = EasyRequest.Body(of: self)
        return true
    }

    /// Whether a response that opens no WebSocket may have a rest, which is not read.
    var hasLeftRest: Bool {
        guard request.conversationStart != nil, response.isCutOff else { return false }
        return response.parser.framing.contentLength != recorder.receivedBodyBytes
    }

    /// Makes room for the response of another exchange.
    func forgetResponse() {
        response.reset()
        caching?.forgetResponse()
    }

    /// Notes how many body bytes the running request has sent.
    func noteSent() {
        guard let upload, carriesBody, !bodyHold.lacksBody else { return }
        upload.didSend(
            recorder.sentBodyBytes,
            isRequestSent: recorder.isRequestSent,
            isBuffered: hop.url.origin.scheme == .https || proxy.route != nil
        )
    }
}
