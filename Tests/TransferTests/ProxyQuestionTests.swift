import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Proxies that ask for a login, and their other behaviour.
@Suite struct ProxyQuestionTests {
    private static let user = "me"
    private static let body = Array("secret order".utf8)

    private static func harness(
        _ proxy: ScriptedServer,
        _ method: ProxyCredentials.Method = .digest,
        kind: ProxyServer.Kind = .http,
        connectTimeout: Duration = .seconds(30)
    ) throws -> EngineHarness {
        let server = ProxyServer(
            kind: kind,
            host: "127.0.0.1",
            port: Int(proxy.port),
            credentials: ProxyCredentials(
                user: user,
                password: Secret("hush-hush"),
                method: method
            )
        )
        var servers = ProxyServers()
        servers.http = kind.isSOCKS ? nil : server
        servers.https = kind.isSOCKS ? nil : server
        servers.socks = kind.isSOCKS ? server : nil
        return try EngineHarness {
            $0.proxy = .servers(servers)
            $0.connectTimeout = connectTimeout
        }
    }

    private static let challenge =
        "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

    /// A proxy that accepts a body only from an authenticated client.
    private static func proxy(
        _ answer: @escaping @Sendable (RecordedRequest) -> Reply
    ) throws -> ScriptedServer {
        try ScriptedServer(continues: { $0["proxy-authorization"] != nil }, answer: answer)
    }

    /// The proxy's next challenge after a proof; nil when it is satisfied.
    private static func question(after proof: String?) -> Reply? {
        switch proof {
        case nil: .status(407, [challenge, "Proxy-Authenticate: NTLM"], text: "who?")
        case let proof? where proof.hasPrefix("NTLM TlRMTVNTUAAB"):
            .status(407, ["Proxy-Authenticate: NTLM \(ntlmChallenge)"], text: "who?")
        default: nil
        }
    }

    // MARK: - Bodies

    // A connection that libcurl keeps after a question is not a fresh one: it would send the
    // request again.
    @Test(arguments: [ProxyCredentials.Method.digest, .ntlm], [Reply.hangUp, Reply([.reset])])
    func `a body after a challenge is not sent again if the proxy is silent`(
        method: ProxyCredentials.Method,
        end: Reply
    ) throws {
        let proxy = try Self.proxy { request in
            if request.method == "GET" { return .ok("x") }
            return Self.question(after: request.headers["proxy-authorization"]) ?? end
        }
        let harness = try Self.harness(proxy, method)
        // Connections that are idle already could be taken, too.
        let gets = try (0..<3).map { try AttemptRequest.to("http://origin.test/", key: $0) }
        #expect(try harness.run(gets).allSatisfy { $0.failure == nil })
        let result = try harness.run(
            .to("http://origin.test/", method: "POST", body: .bytes(Self.body)) {
                $0.requiresFreshConnection = true
            }
        )
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.isKnownUnprocessed == false)
        #expect(proxy.requests.filter { $0.body == Self.body }.count == 1)
        let questions = method == .ntlm ? 2 : 1
        #expect(result.transactions.count == questions + 1)
        #expect(result.transactions.dropFirst().allSatisfy { $0.reason == .authentication })
        #expect(result.transactions.dropLast().allSatisfy { $0.response?.statusCode == 407 })
        #expect(result.transactions.dropLast().allSatisfy { $0.countOfRequestBodyBytesSent == 0 })
        #expect(result.transactions.last?.response == nil)
        #expect(result.transactions.last?.countOfRequestBodyBytesSent == 12)
    }

    @Test func `a body after a server's challenge is not sent again either`() throws {
        let server = try ScriptedServer { request in
            switch request.headers["authorization"] {
            case nil: .status(401, ["WWW-Authenticate: NTLM"], text: "who?")
            case let proof? where proof.hasPrefix("NTLM TlRMTVNTUAAB"):
                .status(401, ["WWW-Authenticate: NTLM \(ntlmChallenge)"], text: "who?")
            default: .hangUp
            }
        }
        let origin = try TransferURL(server.origin).origin
        let login = Login(user: "me", password: Secret("open sesame"))
        let harness = try EngineHarness {
            $0.credentials = [Credential(space: .init(scope: .origin(origin)), proof: .ntlm(login))]
        }
        let result = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes(Self.body)) {
                $0.requiresFreshConnection = true
            }
        )
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.isKnownUnprocessed == false)
        let last = server.requests.filter {
            $0.headers["authorization"]?.hasPrefix("NTLM TlRMTVNTUAAD") == true
        }
        #expect(last.map(\.body) == [Self.body])
    }

    @Test(arguments: [
        ("DELETE", []), ("POST", [HeaderField(name: "Idempotency-Key", value: "\"1\"")]),
    ])
    func `a repeatable request is sent again after a challenge`(
        method: String,
        headers: [HeaderField]
    ) throws {
        let proxy = try ScriptedServer { request in
            let isAgain = request.earlierRequestsForPath > 1
            return Self.question(after: request.headers["proxy-authorization"])
                ?? (isAgain ? .ok("done") : .hangUp)
        }
        let result = try Self.harness(proxy).run(
            .to("http://origin.test/", method: method, headers: headers)
        )
        #expect(result.failure == nil)
        #expect(
            result.transactions.map(\.reason) == [.initial, .authentication, .transparentRetry]
        )
    }

    @Test func `a refused body may have been processed`() throws {
        let proxy = try Self.proxy { _ in .status(407, [Self.challenge]) }
        for (body, isKnown) in [(Self.body, false), ([], true)] {
            let harness = try Self.harness(proxy)
            let result = try harness.run(
                .to("http://origin.test/", method: "POST", body: .bytes(body))
            )
            #expect(result.failure?.httpStatus == 407)
            #expect(result.failure?.isKnownUnprocessed == isKnown)
        }
    }

    // MARK: - Bodies of questions

    private static let endless: [Reply.Step] = [
        .sendRepeatedly(
            Array("1000\r\n".utf8) + Array(repeating: 65, count: 4096) + [13, 10],
            count: .max
        )
    ]

    // libcurl reads such a body in a loop, and checks neither the time nor other transfers
    // meanwhile.
    @Test(arguments: ["Transfer-Encoding: chunked", "Content-Length: 9000000000000000000"])
    func `the body of a question about a tunnel is bounded`(framing: String) throws {
        let proxy = try ScriptedServer { _ in
            Reply([.send(Reply.head(407, [Self.challenge, framing]))] + Self.endless)
        }
        let result = try Self.harness(proxy).run(.to("https://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == .protocolViolation)
        #expect(failure.phase == .connect)
        #expect(failure.isPermanent)
        #expect(failure.isKnownUnprocessed)
        #expect(
            failure.detail
                == "the proxy \(proxy.origin): the unused body of the 407 response is larger than 65536 bytes"
        )
        #expect(proxy.requests.count == 1)
    }

    /// A chunk whose extension has no end (RFC 9112 §7.1.1): no byte of the body arrives.
    private static let endlessExtension: [Reply.Step] = [
        .send(Array("1;x=".utf8)),
        .sendRepeatedly(Array(repeating: 65, count: 4096), count: .max),
    ]

    @Test(arguments: [
        (ProxyCredentials.Method.digest, endless, TransferFailure.Kind.protocolViolation),
        (.digest, endlessExtension, .protocolViolation), (.basic, endless, .httpStatus),
    ])
    func `the body of a question in the place of an answer is bounded`(
        method: ProxyCredentials.Method,
        body: [Reply.Step],
        kind: TransferFailure.Kind
    ) throws {
        let proxy = try ScriptedServer { _ in
            let fields = [Self.challenge, "Transfer-Encoding: chunked", "Content-Type: text/plain"]
            return Reply([.send(Reply.head(407, fields))] + body)
        }
        let result = try Self.harness(proxy, method).run(.to("http://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == kind)
        #expect(failure.isPermanent)
        #expect(kind != .httpStatus || failure.help?.contains("proxy") == true)
        #expect(failure.detail.hasPrefix("the proxy \(proxy.origin)"))
        #expect(failure.isKnownUnprocessed)
    }

    @Test(arguments: [endless, endlessExtension])
    func `the body of a challenge that libcurl answers is bounded`(body: [Reply.Step]) throws {
        let server = try ScriptedServer { _ in
            let fields = ["WWW-Authenticate: NTLM \(ntlmChallenge)", "Transfer-Encoding: chunked"]
            return Reply([.send(Reply.head(401, fields))] + body)
        }
        let origin = try TransferURL(server.origin).origin
        let login = Login(user: "me", password: Secret("open sesame"))
        let harness = try EngineHarness {
            $0.credentials = [Credential(space: .init(scope: .origin(origin)), proof: .ntlm(login))]
        }
        let result = try harness.run(.to(server.url("/"), method: "POST", body: .bytes(Self.body)))
        #expect(result.failure?.kind == .protocolViolation)
        #expect(result.failure?.isPermanent == true)
    }

    // MARK: - Tunnels

    @Test(arguments: [
        ([Reply.Step.close], TransferFailure.Kind.connect), ([.reset], .connect),
        ([.waitForPeerToLeave], .timeout),
        ([.send(Array("HTTP/1.1 407 Who\r\n".utf8)), .close], .connect),
    ])
    func `a proxy that closes after its challenge has not refused`(
        steps: [Reply.Step],
        kind: TransferFailure.Kind
    ) throws {
        let proxy = try ScriptedServer { request in
            Self.question(after: request.headers["proxy-authorization"]) ?? Reply(steps)
        }
        let harness = try Self.harness(proxy, connectTimeout: .seconds(kind == .timeout ? 2 : 60))
        let result = try harness.run(.to("https://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == kind)
        #expect(!failure.isPermanent)
        #expect(failure.urlError?.name != "userAuthenticationRequired")
        #expect(!failure.detail.contains("answered"))
        let tunnel = try #require(result.transactions.first?.proxy?.tunnel)
        #expect(tunnel.statusCode == nil)
        #expect(result.proxyResponse == nil)
        #expect(proxy.requests.count == 2)
    }

    @Test(arguments: [
        ([Reply.Step.waitForPeerToLeave], TransferFailure.Kind.timeout), ([.close], .connect),
        ([.reset], .connect),
    ])
    func `a proxy that closes within its challenge has not refused`(
        steps: [Reply.Step],
        kind: TransferFailure.Kind
    ) throws {
        let proxy = try ScriptedServer { _ in
            let fields = [Self.challenge, "Transfer-Encoding: chunked"]
            return Reply([.send(Reply.head(407, fields) + Array("5\r\nwh".utf8))] + steps)
        }
        let harness = try Self.harness(proxy, connectTimeout: .seconds(kind == .timeout ? 2 : 60))
        let failure = try #require(try harness.run(.to("https://origin.test/")).failure)
        #expect(failure.kind == kind)
        #expect(!failure.isPermanent)
        #expect(failure.urlError?.name != "userAuthenticationRequired")
    }

    @Test(arguments: [100, 103])
    func `an informational response to CONNECT is no refusal`(status: Int) throws {
        let proxy = try ScriptedServer { _ in
            .raw("HTTP/1.1 \(status) Wait\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n")
        }
        let result = try Self.harness(proxy).run(.to("https://origin.test/"))
        let words = "sent \(status) before its answer, which libcurl does not support"
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isPermanent == false)
        #expect(result.failure?.detail == "the proxy \(proxy.origin) \(words)")
        let tunnel = try #require(result.transactions.first?.proxy?.tunnel)
        #expect(tunnel.statusCode == nil)
    }

    @Test func `a malformed response to CONNECT is the proxy's fault`()
        throws
    {
        let proxy = try ScriptedServer { _ in .raw("HTTP/1.1 200 OK\r\nno colon\r\n\r\n") }
        let failure = try #require(
            try Self.harness(proxy).run(.to("https://origin.test/")).failure
        )
        #expect(failure.kind == .protocolViolation)
        #expect(!failure.isPermanent)
        #expect(failure.detail.hasPrefix("the proxy \(proxy.origin) "))
        #expect(!failure.detail.contains("libcurl"))
    }

    @Test func `a garbled reply of a proxy is not reported as its 407`() throws {
        let proxy = try ScriptedServer { request in
            Self.question(after: request.headers["proxy-authorization"])
                ?? .raw("\0\0\0garbage\r\n\r\n", then: [.close])
        }
        let failure = try #require(
            try Self.harness(proxy).run(.to("https://origin.test/")).failure
        )
        #expect(failure.isKnownUnprocessed)
        #expect(failure.detail.hasPrefix("the proxy \(proxy.origin) "))
        #expect(!failure.detail.contains("response 407"))
    }

    @Test func `a failure behind a tunnel names the proxy`() throws {
        let proxy = try ScriptedServer { _ in .raw("HTTP/1.1 200 OK\r\n\r\nno TLS at all") }
        let result = try Self.harness(proxy).run(.to("https://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == .tls)
        #expect(failure.phase == .tls)
        #expect(failure.detail.hasSuffix(", through the proxy \(proxy.origin)"))
    }

    // MARK: - Refusals

    @Test(arguments: [("http", TransferFailure.Kind.httpStatus), ("https", .connect)])
    func `a nonce is stale once`(scheme: String, kind: TransferFailure.Kind) throws {
        let proxy = try ScriptedServer { _ in .status(407, [Self.challenge + ", stale=true"]) }
        let result = try Self.harness(proxy).run(.to("\(scheme)://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == kind)
        #expect(failure.isPermanent)
        #expect(failure.urlError?.name == "userAuthenticationRequired")
        #expect(failure.detail.hasSuffix("answered 407"))
        #expect(proxy.requests.count == 3)
    }
}
