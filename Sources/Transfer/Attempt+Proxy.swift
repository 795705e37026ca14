internal import CurlKit
internal import TransferModel

extension Attempt {
    /// One for each round that a scheme takes, and one after a nonce that was stale.
    private static let mostQuestions = 3

    /// Chooses the way to the hop's origin.
    func chooseRoute() {
        route = session.route(to: hop.url.origin)
        tunnel = nil
        questions = 0
        if let route { recorder.willUseProxy(route.url) }
    }

    /// Whether the proxy hands requests on, so that it may answer in the place of the origin; otherwise it makes tunnels.
    private var isForwarded: Bool {
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
        guard case .violation(let words) = step else { return true }
        failure = TransferFailure(
            kind: .protocolViolation,
            phase: .connect,
            detail: "the proxy \(route?.url ?? ""): \(words)"
        )
        failure?.urlError = TransferFailure.URLErrorCode(code: -1011, name: "badServerResponse")
        failure?.isKnownUnprocessed = true
        return false
    }

    /// Whether a head is a proxy's question who asks, which libcurl may answer by itself.
    func isQuestion(_ head: ResponseHead) -> Bool {
        head.statusCode == 407 && isForwarded
    }

    /// Takes a proxy's question; false ends the transfer, because no scheme needs so many, and libcurl would answer for
    /// ever.
    func didReceiveQuestion() -> Bool {
        sink.keepExcerpt()
        questions += 1
        guard questions > Self.mostQuestions else { return true }
        failure = proxyRefusal
        return false
    }

    /// Notes that libcurl sends the hop's request once more.
    func noteAnswer() {
        if let route { recorder.willUseProxy(route.url) }
    }

    /// The failure of a request whose proxy wants to know who asks, and is not content.
    var proxyRefusal: TransferFailure {
        var failure = TransferFailure(
            kind: .httpStatus,
            phase: .receive,
            detail: "the proxy \(route?.url ?? "") answered 407"
        )
        failure.httpStatus = 407
        failure.urlError = TransferFailure.URLErrorCode(
            code: -1013,
            name: "userAuthenticationRequired"
        )
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        failure.help = TransferFailure.proxyHelp
        return failure
    }

    /// What is known of the proxy when the exchange has failed; nil when it is not the proxy that failed.
    var proxyEnd: ExchangeEnd.Proxy? {
        guard isBeforeOrigin, let route else { return nil }
        return ExchangeEnd.Proxy(
            url: route.url,
            connectStatus: tunnel?.response?.statusCode ?? handle.connectStatus,
            errorCode: handle.proxyErrorCode
        )
    }

    /// The answer of a proxy that has refused a tunnel.
    var refusedTunnel: ResponseHead? {
        guard let tunnel, !tunnel.isOpen else { return nil }
        return tunnel.response
    }
}
