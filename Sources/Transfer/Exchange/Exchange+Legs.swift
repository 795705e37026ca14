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
        policies.upload?.willRepeat()
        beginRecord(.authentication, at: now)
        if let route = policies.proxy.route { recorder.willUseProxy(route.url) }
        _ = EasyRequest.Body(of: self)
        return true
    }

    /// Whether a response that opens no WebSocket may have a rest, which is not read.
    var hasLeftRest: Bool {
        guard request.conversationStart != nil, response.isCutOff else { return false }
        return response.parser.framing.contentLength != recorder.receivedBodyBytes
    }

    /// Makes room for the response of another exchange, and for its checks.
    func forgetResponse() {
        response.reset()
        outcome.forgetChecks()
        policies.caching?.forgetResponse()
    }

    /// Notes how many body bytes the running request has sent.
    func noteSent() {
        guard let upload = policies.upload, body.isCarried, !policies.bodyHold.lacksBody else {
            return
        }
        upload.didSend(
            recorder.sentBodyBytes,
            isRequestSent: recorder.isRequestSent,
            isBuffered: hop.url.origin.scheme == .https || policies.proxy.route != nil
        )
    }
}

// MARK: - Proxies

extension Exchange {
    /// Takes a line of a proxy's answer to a request for a tunnel; false ends the transfer.
    func didReceiveTunnelHeader(_ line: Span<UInt8>) throws(TransferFailure) -> Bool {
        _ = move(bytes: line.count)
        let step = policies.proxy.didReceiveTunnelHeader(line)
        let answer = policies.proxy.tunnel?.response
        recorder.didReceiveTunnelHead(count: line.count, statusCode: answer?.statusCode)
        switch step {
        case .answered(407):
            if let answer { try ResponseJudge(answer, of: self).judgeChallengeOfProxy() }
        case .answered, .reading: break
        case .violation(let words): throw policies.proxy.violation(words, at: recorder.stage)
        }
        return true
    }
}
