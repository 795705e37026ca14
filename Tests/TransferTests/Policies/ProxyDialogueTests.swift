import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// The time at which a proxy gets the login, and its responses.
@Suite struct ProxyDialogueTests {
    private static let body = Array("secret order".utf8)
    private static let digest =
        "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"
    private static let basic = "Proxy-Authenticate: Basic realm=x"

    private static func server(
        _ proxy: ScriptedServer,
        _ method: ProxyCredentials.Method
    ) -> ProxyServer {
        ProxyServer(
            kind: .http,
            host: "127.0.0.1",
            port: Int(proxy.port),
            credentials: ProxyCredentials(
                user: "me",
                password: Secret("hush-hush"),
                method: method
            )
        )
    }

    private static func harness(
        _ proxy: ScriptedServer,
        _ method: ProxyCredentials.Method,
        secure: ScriptedServer? = nil
    ) throws -> EngineHarness {
        var servers = ProxyServers()
        servers.http = server(proxy, method)
        servers.https = server(secure ?? proxy, method)
        return try EngineHarness { $0.proxy = .servers(servers) }
    }

    // MARK: - Bodies

    @Test(arguments: [ProxyCredentials.Method.digest, .ntlm, .negotiate], ["POST", "PUT"])
    func `a proxy without a challenge gets the body at once`(
        method: ProxyCredentials.Method,
        verb: String
    ) throws {
        let proxy = try ScriptedServer(continues: { _ in true }) { request in
            request.path.hasSuffix("/done") ? .ok("done") : .status(303, ["Location: /done"])
        }
        let harness = try Self.harness(proxy, method)
        let result = try harness.run(
            .to("http://origin.test/", method: verb, body: .bytes(Self.body))
        )
        #expect(result.failure == nil)
        #expect(result.response?.statusCode == 200)
        #expect(proxy.requests.map(\.body) == [Self.body, []])
        #expect(proxy.requests.first?.headers["proxy-authorization"] == nil)
    }

    @Test func `a proxy that challenges one order and not the next gets both whole`() throws {
        let proxy = try ScriptedServer(continues: { _ in true }) { request in
            request.path.hasSuffix("/first") && request.headers["proxy-authorization"] == nil
                ? .status(407, [Self.digest]) : .ok("x")
        }
        let harness = try Self.harness(proxy, .digest)
        for path in ["first", "second"] {
            let url = "http://origin.test/\(path)"
            let result = try harness.run(.to(url, method: "POST", body: .bytes(Self.body)))
            #expect(result.failure == nil)
        }
        #expect(proxy.requests.allSatisfy { $0.body == Self.body })
    }

    @Test func `a proxy without 100-continue gets the request with its body`() throws {
        let proxy = try ScriptedServer(continues: { _ in false }) { request in
            if request.headers["expect"] != nil { return .status(417) }
            return request.headers["proxy-authorization"] == nil
                ? .status(407, [Self.digest]) : .ok("x")
        }
        let result = try Self.harness(proxy, .digest).run(
            .to("http://origin.test/", method: "POST", body: .bytes(Self.body))
        )
        #expect(result.failure == nil)
        #expect(proxy.requests.map(\.body) == [[], Self.body, Self.body])
    }

    // libcurl may continue over another connection than the one on which it learned that its nonce
    // is stale.
    @Test func `a program's body follows a nonce that is stale`() throws {
        let proxy = try ScriptedServer(continues: { _ in true }) { request in
            switch request.headers["proxy-authorization"] {
            case nil: .status(407, [Self.digest])
            case let login? where login.contains("nonce=\"n\""):
                .status(
                    407,
                    [
                        "Proxy-Authenticate: Digest realm=\"r\", nonce=\"m\", qop=\"auth\", stale=true"
                    ]
                )
            default: .ok("x")
            }
        }
        let body = BodySource.command(["printf", "hello"], folder: "/")
        let result = try Self.harness(proxy, .digest).run(
            .to("http://origin.test/", method: "POST", body: body)
        )
        #expect(result.failure == nil)
        #expect(proxy.requests.last?.text == "hello")
    }

    // MARK: - Refusals

    @Test(arguments: [
        (ProxyCredentials.Method.basic, []), (.basic, [digest]), (.digest, []),
        (.digest, [basic]), (.digest, [digest + ", stale=true"]),
        (.ntlm, ["Proxy-Authenticate: NTLM", "Connection: close"]),
    ])
    func `a 407 without a login challenge does not block the login`(
        method: ProxyCredentials.Method,
        fields: [String]
    ) throws {
        let proxy = try ScriptedServer { request in
            if request.path.hasSuffix("/odd") { return .status(407, fields) }
            return method == .digest && request.headers["proxy-authorization"] == nil
                ? .status(407, [Self.digest]) : .ok("x")
        }
        let harness = try Self.harness(proxy, method)
        let odd = try #require(try harness.run(.to("http://origin.test/odd")).failure)
        #expect(odd.httpStatus == 407)
        #expect(odd.isPermanent)
        #expect(try harness.run(.to("http://origin.test/file")).failure == nil)
    }

    @Test(arguments: [(ProxyCredentials.Method.basic, 1), (.digest, 2)], ["http", "https"])
    func `each task presents its login, and a refused one only once`(
        method: (ProxyCredentials.Method, requests: Int),
        scheme: String
    ) throws {
        let challenge = method.0 == .basic ? Self.basic : Self.digest
        let proxy = try ScriptedServer { _ in .status(407, [challenge]) }
        let harness = try Self.harness(proxy, method.0)
        for _ in 0..<3 {
            let count = proxy.requests.count
            let failure = try #require(try harness.run(.to("\(scheme)://origin.test/")).failure)
            #expect(failure.urlError?.name == "userAuthenticationRequired")
            #expect(failure.isPermanent)
            #expect(failure.isKnownUnprocessed)
            let logins = proxy.requests[count...].map { $0.headers["proxy-authorization"] != nil }
            #expect(logins == (method.requests == 1 ? [true] : [false, true]))
        }
    }

    // MARK: - Challenges of earlier

    // A nonce that is good for one request: the proxy does not call its second use stale.
    @Test(arguments: ["http", "https"])
    func `a nonce that a proxy has forgotten is requested anew`(scheme: String) throws {
        let proxy = try ScriptedServer { request in
            guard request.headers["proxy-authorization"]?.contains("nc=00000001,") == true else {
                return .status(407, [Self.digest])
            }
            return scheme == "http" ? .ok("x") : .raw("HTTP/1.1 200 OK\r\n\r\n", then: [.close])
        }
        let harness = try Self.harness(proxy, .digest)
        for turn in 0..<3 {
            let result = try harness.run(.to("\(scheme)://origin.test/"))
            // No server speaks TLS behind the tunnel.
            #expect(result.failure?.kind == (scheme == "http" ? nil : .tls))
            #expect(result.transactions.last?.proxy?.tunnel?.statusCode != 407)
            if scheme == "http" {
                let statuses = result.transactions.map { $0.response?.statusCode }
                #expect(statuses == (turn == 0 ? [407, 200] : [407, 407, 200]))
                #expect(result.transactions.dropFirst().allSatisfy { $0.reason == .authentication })
                #expect(result.transactions.allSatisfy { $0.curlCode == nil })
            }
        }
    }

    @Test func `a proxy that accepts no answer is asked once more`() throws {
        let proxy = try ScriptedServer { request in
            let isFirst = request.path.hasSuffix("/in")
            return isFirst && request.headers["proxy-authorization"] != nil
                ? .ok("x") : .status(407, [Self.digest])
        }
        let harness = try Self.harness(proxy, .digest)
        #expect(try harness.run(.to("http://origin.test/in")).failure == nil)
        let result = try harness.run(.to("http://origin.test/out"))
        #expect(result.failure?.httpStatus == 407)
        // With the known nonce, without one, and with the answer.
        #expect(result.transactions.count == 3)
    }

    @Test func `a challenge of one proxy does not answer another's`() throws {
        let asks: @Sendable (RecordedRequest) -> Reply = { request in
            request.headers["proxy-authorization"] == nil
                ? .status(407, [Self.digest]) : Reply([.send(Reply.head(200, [])), .close])
        }
        let (plain, secure) = (try ScriptedServer(answer: asks), try ScriptedServer(answer: asks))
        let harness = try Self.harness(plain, .digest, secure: secure)
        #expect(try harness.run(.to("http://origin.test/")).failure == nil)
        _ = try harness.run(.to("https://origin.test/"))
        let logins = secure.requests.map { $0.headers["proxy-authorization"] != nil }
        #expect(logins == [false, true])
    }
}
