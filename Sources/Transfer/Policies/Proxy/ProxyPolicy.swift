internal import CurlKit
internal import TransferModel

/// Decides how the exchanges of one attempt reach their origins through a proxy.
///
/// A value without I/O. Call `beginExchange` first; then the proxy answers a request for a tunnel,
/// or, if it forwards requests, answers instead of the origin.
struct ProxyPolicy {
    /// The step after a challenge of the proxy.
    struct QuestionStep: Equatable {
        /// Whether libcurl keeps a useless challenge of the proxy.
        var forgetsChallenge = false
        /// Whether the proxy sent too many challenges: libcurl would answer stale nonces forever.
        var isLast = false
    }

    /// The route to the hop's origin; nil for a direct connection.
    private(set) var route: ProxyRoute?
    /// nil before the first request for a tunnel.
    private(set) var tunnel: TunnelRequest?
    /// Whether the proxy forwards requests, so that it may answer instead of the origin; otherwise
    /// it makes tunnels.
    private(set) var isForwarded = false
    private var dialogue = ProxyDialogue()

    /// Begins another exchange.
    ///
    /// With `tunnels`, the exchange uses a tunnel for http too, as WebSockets do (RFC 6455 §4.1).
    mutating func beginExchange(
        to origin: Origin,
        by route: ProxyRoute?,
        carriesBody: Bool,
        keepsChallenge: Bool,
        tunnels: Bool = false
    ) {
        self.route = route
        tunnel = nil
        isForwarded = route?.speaksHTTP == true && origin.scheme == .http && !tunnels
        dialogue = dialogue.next(
            canAsk: carriesBody && isForwarded && route?.asking != nil,
            keepsChallenge: keepsChallenge
        )
    }

    /// The proxy for libcurl; nil for a direct connection.
    var easy: EasyProxy? { dialogue.asksFirst ? route?.asking : route?.easy }

    /// Whether the exchange is sent without a login and holds its body back.
    var asksFirst: Bool { dialogue.asksFirst }

    /// Whether another exchange follows the proxy's challenge.
    var hasSequel: Bool { dialogue.sequel != nil }

    /// Whether the next exchange answers the challenge; otherwise it ignores the challenge.
    var answersNext: Bool { dialogue.sequel == .answer }

    /// Whether libcurl asks a Kerberos service for a ticket to the proxy.
    var asksForTicket: Bool { route?.method == .negotiate && !dialogue.asksFirst }

    /// Whether the TLS traffic is the proxy's own, which is part of connecting to the proxy.
    var isTLSOfProxy: Bool {
        guard let route, route.isEncrypted else { return false }
        return isForwarded || tunnel?.isOpen != true
    }

    /// Takes the head of a sent request, which may be another request for a tunnel.
    mutating func didSend(_ head: Span<UInt8>, toOrigin isToOrigin: Bool) {
        if !isToOrigin { tunnel?.willAnswerAnew() }
        guard route?.method != nil, isForwarded || !isToOrigin else { return }
        var fields = HeaderFields()
        fields.append(sentLines: head)
        dialogue.didSend(hasLogin: fields.firstValue(of: "proxy-authorization") != nil)
    }

    /// Takes a line of the proxy's response to a request for a tunnel.
    mutating func didReceiveTunnelHeader(_ line: Span<UInt8>) -> TunnelRequest.Step {
        let tunnel = tunnel ?? TunnelRequest()
        self.tunnel = tunnel
        return tunnel.read(line)
    }

    /// Takes the head of a proxy's challenge (407).
    mutating func didAsk(_ head: ResponseHead) -> QuestionStep {
        guard let route, let method = route.method else { return QuestionStep() }
        let challenges = Challenge.all(in: head.fields, named: "proxy-authenticate")
        let forgetsChallenge = dialogue.didAsk(challenges, method)
        return QuestionStep(
            forgetsChallenge: forgetsChallenge,
            isLast: dialogue.questions > route.mostQuestions
        )
    }

    /// Whether a challenge ended the exchange, and another exchange follows.
    func isAsked(isComplete: Bool) -> Bool {
        hasSequel && (isForwarded ? isComplete : refusedTunnel?.statusCode == 407)
    }

    /// Whether a head is the proxy's challenge, which libcurl may answer by itself.
    func isQuestion(_ head: ResponseHead) -> Bool { head.statusCode == 407 && isForwarded }

    /// The response of a proxy that refused a tunnel.
    var refusedTunnel: ResponseHead? {
        guard let tunnel, !tunnel.isOpen else { return nil }
        return tunnel.response
    }

    // MARK: - Failures

    /// The failure when the proxy's challenge stays unanswered.
    func refusal(at stage: ExchangeStage) -> TransferFailure {
        let words = isForwarded ? "answered 407" : "opened no tunnel: it answered 407"
        var failure = TransferFailure(
            kind: isForwarded ? .httpStatus : .connect,
            phase: isForwarded ? .receive : .connect,
            detail: "the proxy \(route?.url ?? "") \(words)"
        )
        if isForwarded { failure.httpStatus = 407 }
        failure.urlError = .userAuthenticationRequired
        failure.isPermanent = true
        failure.isKnownUnprocessed = !stage.hasSentBody
        failure.help = TransferFailure.proxyHelp
        failure.decidingKey = TransferFailure.proxyKey
        return failure
    }

    /// The failure when the body of the proxy's challenge is longer than `limit`, or, without a
    /// limit, has framing without an end.
    func excessQuestion(
        at stage: ExchangeStage,
        _ head: ResponseHead?,
        limit: Int64? = nil
    ) -> TransferFailure {
        let status = (head ?? tunnel?.response)?.statusCode
        var failure = stage.excessBody(of: status, limit: limit)
        failure.detail = "the proxy \(route?.url ?? ""): \(failure.detail)"
        failure.decidingKey = TransferFailure.proxyKey
        // A proxy does not forward a request that it challenges.
        if isForwarded { failure.isKnownUnprocessed = !stage.hasSentBody }
        return failure
    }

    /// Counts a byte of the body of a tunnel response.
    ///
    /// libcurl reads the whole body before this thread does anything else.
    func discardTunnelByte(_ head: ResponseHead?, at stage: ExchangeStage) throws(TransferFailure) {
        guard tunnel?.mayDiscardByte() == false else { return }
        throw excessQuestion(at: stage, head, limit: TunnelRequest.bodyLimit)
    }

    /// The failure when the proxy's response to a request for a tunnel breaks the protocol.
    func violation(_ words: String, at stage: ExchangeStage) -> TransferFailure {
        var failure = ExchangeStage.badResponse("the proxy \(route?.url ?? ""): \(words)")
        failure.phase = .connect
        failure.decidingKey = TransferFailure.proxyKey
        failure.isKnownUnprocessed = !stage.hasSentAnything
        return failure
    }

    /// The proxy's part in the end of a failed exchange; nil when the proxy did not fail.
    func end(
        in phase: TransferFailure.Phase,
        isToOrigin: Bool,
        errorCode: Int
    ) -> ExchangeEnd.Proxy? {
        guard let route, !isToOrigin, phase != .tls else { return nil }
        return ExchangeEnd.Proxy(
            url: route.url,
            connectStatus: tunnel?.response?.statusCode,
            informationalStatus: tunnel?.informationalStatus,
            errorCode: errorCode
        )
    }
}

/// The responses of a proxy so far to requests for a tunnel.
final class TunnelRequest {
    /// The result of reading a line.
    enum Step {
        case reading
        /// The head of a response is complete.
        case answered(statusCode: Int)
        /// The proxy's response is unusable; the text says why.
        case violation(String)
    }

    /// The most bytes of a response's body, which libcurl reads and reports one by one without a
    /// pause: the pages of proxies are shorter.
    static let bodyLimit: Int64 = 64 << 10

    private var parser = ResponseHeadParser()
    private var discardedBytes: Int64 = 0
    /// The response to the last request; nil before it arrives.
    private(set) var response: ResponseHead?
    /// The status of an informational response, which libcurl mistakes for the final one.
    private(set) var informationalStatus: Int?

    /// Whether the tunnel exists.
    var isOpen: Bool { response.map { (200...299).contains($0.statusCode) } ?? false }

    /// Prepares for another request: earlier responses do not answer it.
    func willAnswerAnew() {
        parser = ResponseHeadParser()
        response = nil
        discardedBytes = 0
    }

    /// Takes one line with its line end.
    func read(_ line: Span<UInt8>) -> Step {
        switch parser.read(line) {
        case .reading, .began, .trailer: return .reading
        case .informed(let head):
            informationalStatus = head.statusCode
            return .reading
        case .violation(let words): return .violation(words)
        case .ended(let head):
            parser = ResponseHeadParser()
            response = head
            return .answered(statusCode: head.statusCode)
        }
    }

    /// Notes a byte of a response's body; returns whether another one is acceptable.
    func mayDiscardByte() -> Bool {
        discardedBytes += 1
        return discardedBytes <= Self.bodyLimit
    }
}
