internal import CurlKit
internal import TransferModel

extension Attempt {
    /// Chooses the way to the hop's origin.
    func chooseRoute() {
        route = session.route(to: hop.url.origin)
        tunnel = nil
        dialogue = dialogue.next(
            canAsk: carriesBody && isForwarded && route?.asking != nil,
            keepsChallenge: sent.answersChallenge
        )
        if let route { recorder.willUseProxy(route.url) }
    }

    /// Whether the proxy hands requests on, so that it may answer in the place of the origin;
    /// otherwise it makes tunnels.
    var isForwarded: Bool {
        route?.speaksHTTP == true && hop.url.origin.scheme == .http
    }

    /// Whether what libcurl does now is about reaching the origin by way of the proxy.
    private var isBeforeOrigin: Bool {
        route != nil && !recorder.hasBegunRequest && recorder.phase != .tls
    }

    /// Whether TLS that is spoken now is the proxy's own, which is a part of connecting to it.
    var isTLSOfProxy: Bool {
        guard let route, route.isEncrypted else { return false }
        return isForwarded || tunnel?.isOpen != true
    }

    /// Takes a line of a proxy's answer to being asked for a tunnel; false ends the transfer.
    func didReceiveTunnelHeader(_ line: Span<UInt8>) -> Bool {
        _ = move(bytes: line.count)
        let tunnel = tunnel ?? TunnelRequest()
        self.tunnel = tunnel
        let step = tunnel.read(line)
        recorder.didReceiveTunnelHead(count: line.count, statusCode: tunnel.response?.statusCode)
        switch step {
        case .reading: return true
        case .answered(407): return didAsk(tunnel.response)
        case .answered: return true
        case .violation(let words):
            var failure = TransferFailure(
                kind: .protocolViolation,
                phase: .connect,
                detail: "the proxy \(route?.url ?? ""): \(words)"
            )
            failure.urlError = .badServerResponse
            failure.isKnownUnprocessed = !recorder.hasSentAnything
            self.failure = failure
            return false
        }
    }

    /// Whether another byte may come of the body of an answer to being asked for a tunnel.
    ///
    /// libcurl reads it for as long as there is more, and nothing else goes on meanwhile on this
    /// thread.
    func mayDiscardTunnelBody() -> Bool {
        guard tunnel?.mayDiscardByte() == false else { return true }
        failure = passedOverQuestion(TunnelRequest.bodyLimit)
        return false
    }

    /// The failure of an attempt that the body of a proxy's question holds up.
    func passedOverQuestion(_ limit: Int64? = nil) -> TransferFailure {
        var failure = passedOverBodyFailure(limit)
        failure.detail = "the proxy \(route?.url ?? ""): \(failure.detail)"
        // What was asked is not handed on.
        if isForwarded { failure.isKnownUnprocessed = !recorder.hasSentBody }
        return failure
    }

    /// Notes whether a request that goes to the proxy itself says who asks.
    func noteLogin(_ head: Span<UInt8>) {
        guard route?.method != nil, isForwarded || !recorder.hasBegunRequest else { return }
        var fields = HeaderFields()
        fields.append(sentLines: head)
        dialogue.didSend(hasLogin: fields.firstValue(of: "proxy-authorization") != nil)
    }

    /// Whether a head is a proxy's question who asks, which libcurl may answer by itself.
    func isQuestion(_ head: ResponseHead) -> Bool {
        head.statusCode == 407 && isForwarded
    }

    /// Takes a proxy's question in the place of the origin's answer; false ends the transfer.
    func didReceiveQuestion(_ head: ResponseHead) -> Bool {
        let mayGoOn = didAsk(head)
        if dialogue.sequel == nil { response.sink.keepExcerpt() } else { response.sink.discard() }
        return mayGoOn
    }

    /// The proxy asks who wants this; false ends the transfer, because libcurl would answer a nonce
    /// that is stale for ever.
    private func didAsk(_ head: ResponseHead?) -> Bool {
        handle.hearDiscardedBody()
        guard let head, let route, let method = route.method else { return true }
        let challenges = Challenge.all(in: head.fields, named: "proxy-authenticate")
        if dialogue.didAsk(challenges, method) { handle.noteChallenge() }
        guard dialogue.questions > route.mostQuestions else { return true }
        refuseForProxy()
        return false
    }

    /// Whether a question has ended the exchange, and another one follows.
    func isAsked(isComplete: Bool) -> Bool {
        !hasFailed && dialogue.sequel != nil
            && (isForwarded ? isComplete : refusedTunnel?.statusCode == 407)
    }

    /// Goes on behind a question that libcurl has not answered.
    func answerProxy() -> Next {
        sent.answersChallenge = dialogue.sequel == .answer
        return exchange(.authentication)
    }

    /// Notes that libcurl sends the hop's request once more.
    func noteAnswer() {
        if let route { recorder.willUseProxy(route.url) }
    }

    /// Makes the proxy's question, which stays without an answer, the end.
    func refuseForProxy() { failure = proxyRefusal }

    /// The failure of a request whose proxy wants to know who asks, and is not content.
    private var proxyRefusal: TransferFailure {
        let words = isForwarded ? "answered 407" : "made no tunnel: it answered 407"
        var failure = TransferFailure(
            kind: isForwarded ? .httpStatus : .connect,
            phase: isForwarded ? .receive : .connect,
            detail: "the proxy \(route?.url ?? "") \(words)"
        )
        if isForwarded { failure.httpStatus = 407 }
        failure.urlError = .userAuthenticationRequired
        failure.isPermanent = true
        failure.isKnownUnprocessed = !recorder.hasSentBody
        failure.help = TransferFailure.proxyHelp
        return failure
    }

    /// What is known of the proxy when the exchange has failed; nil when it is not the proxy that
    /// failed.
    var proxyEnd: ExchangeEnd.Proxy? {
        guard isBeforeOrigin, let route else { return nil }
        return ExchangeEnd.Proxy(
            url: route.url,
            connectStatus: tunnel?.response?.statusCode,
            informationalStatus: tunnel?.informationalStatus,
            errorCode: handle.proxyErrorCode
        )
    }

    /// The answer of a proxy that has refused a tunnel.
    var refusedTunnel: ResponseHead? {
        guard let tunnel, !tunnel.isOpen else { return nil }
        return tunnel.response
    }
}
