import CurlKit
import Testing
import TransferModel

@testable import Transfer

/// Decisions about a proxy, without a proxy.
@Suite struct ProxyPolicyTests {
    private static let http = Origin(scheme: .http, host: "origin.test", port: 80)
    private static let https = Origin(scheme: .https, host: "origin.test", port: 443)
    private static let stage = ExchangeStage(
        phase: .wait,
        hasSentAnything: true,
        hasSentBody: false
    )

    private static func policy(
        _ method: ProxyCredentials.Method? = nil,
        kind: ProxyServer.Kind = .http,
        to origin: Origin = http,
        carriesBody: Bool = false
    ) -> ProxyPolicy {
        let credentials = method.map {
            ProxyCredentials(user: "me", password: Secret("hush-hush"), method: $0)
        }
        let route = ProxyRoute(
            ProxyServer(kind: kind, host: "proxy.test", port: 3128, credentials: credentials)
        )
        var policy = ProxyPolicy()
        policy.beginExchange(
            to: origin,
            by: route,
            carriesBody: carriesBody,
            keepsChallenge: false
        )
        return policy
    }

    private static func question(_ value: String) -> ResponseHead {
        ResponseHead(
            statusCode: 407,
            fields: HeaderFields([HeaderField(name: "Proxy-Authenticate", value: value)])
        )
    }

    private static func tunnel(_ lines: String..., in policy: inout ProxyPolicy)
        -> [TunnelRequest.Step]
    {
        lines.map { policy.didReceiveTunnelHeader(Array("\($0)\r\n".utf8).span) }
    }

    @Test func `an HTTP proxy forwards http requests and makes tunnels for https`() {
        #expect(Self.policy(to: Self.http).isForwarded)
        #expect(!Self.policy(to: Self.https).isForwarded)
        #expect(!Self.policy(kind: .socks5, to: Self.http).isForwarded)
        #expect(!ProxyPolicy().isForwarded)
    }

    @Test(arguments: [ProxyCredentials.Method.digest, .ntlm, .negotiate])
    func `a forwarded body waits for the proxy's question`(method: ProxyCredentials.Method) {
        let policy = Self.policy(method, carriesBody: true)
        #expect(policy.asksFirst)
        #expect(policy.easy?.user == "")
        #expect(!policy.asksForTicket)
        #expect(!Self.policy(method).asksFirst)
        #expect(!Self.policy(method, to: Self.https, carriesBody: true).asksFirst)
    }

    @Test func `a 407 is the proxy's question only where it forwards requests`() {
        let head = Self.question("Basic realm=x")
        #expect(Self.policy().isQuestion(head))
        #expect(!Self.policy(to: Self.https).isQuestion(head))
        #expect(!ProxyPolicy().isQuestion(head))
    }

    @Test func `the answer to a question before the login is another exchange`() {
        var policy = Self.policy(.digest, carriesBody: true)
        let head = Array("POST / HTTP/1.1\r\n\r\n".utf8)
        policy.didSend(head.span, toOrigin: false)
        #expect(policy.didAsk(Self.question("Digest nonce=\"n\"")) == ProxyPolicy.QuestionStep())
        #expect(policy.answersNext)
        #expect(policy.isAsked(isComplete: true))
        #expect(!policy.isAsked(isComplete: false))
    }

    @Test(arguments: [(ProxyCredentials.Method.digest, 3), (.ntlm, 5)])
    func `a proxy may ask so often only`(method: ProxyCredentials.Method, last: Int) {
        var policy = Self.policy(method)
        let steps = (1...last).map { _ in policy.didAsk(Self.question("Digest nonce=\"n\"")) }
        #expect(steps.map(\.isLast) == steps.indices.map { $0 == last - 1 })
    }

    @Test func `a stale nonce that answers no question is forgotten`() {
        var policy = Self.policy(.digest)
        let head = "GET / HTTP/1.1\r\nProxy-Authorization: Digest x\r\n\r\n"
        policy.didSend(Array(head.utf8).span, toOrigin: false)
        #expect(policy.didAsk(Self.question("Digest nonce=\"m\"")).forgetsChallenge)
        #expect(policy.hasSequel)
        #expect(!policy.answersNext)
    }

    @Test func `a refused tunnel keeps the proxy's answer`() {
        var policy = Self.policy(to: Self.https)
        _ = Self.tunnel("HTTP/1.1 403 Forbidden", "", in: &policy)
        #expect(policy.refusedTunnel?.statusCode == 403)
        let end = policy.end(in: .connect, isToOrigin: false, errorCode: 0)
        #expect(end?.connectStatus == 403)
        #expect(policy.end(in: .connect, isToOrigin: true, errorCode: 0) == nil)
        #expect(policy.end(in: .tls, isToOrigin: false, errorCode: 0) == nil)
    }

    @Test func `an open tunnel is no refusal, and TLS inside it is the origin's`() {
        var policy = Self.policy(kind: .https, to: Self.https)
        #expect(policy.isTLSOfProxy)
        _ = Self.tunnel("HTTP/1.1 200 OK", "", in: &policy)
        #expect(policy.refusedTunnel == nil)
        #expect(!policy.isTLSOfProxy)
    }

    @Test func `a refusal says whether the proxy answered for the origin or made no tunnel`() {
        let forwarded = Self.policy().refusal(at: Self.stage)
        #expect(forwarded.kind == .httpStatus)
        #expect(forwarded.httpStatus == 407)
        #expect(forwarded.isKnownUnprocessed)
        let tunnelled = Self.policy(to: Self.https).refusal(at: Self.stage)
        #expect(tunnelled.kind == .connect)
        #expect(tunnelled.detail.hasSuffix("opened no tunnel: it answered 407"))
    }
}
