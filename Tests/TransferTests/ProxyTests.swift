import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ProxyTests {
    /// An engine whose session uses a proxy.
    private static func harness(
        _ proxy: ProxyServer,
        connectTimeout: Duration = .seconds(30)
    ) throws -> EngineHarness {
        var servers = ProxyServers()
        servers.http = proxy
        servers.https = proxy
        return try EngineHarness {
            $0.proxy = .servers(servers)
            $0.connectTimeout = connectTimeout
        }
    }

    private static func server(
        _ kind: ProxyServer.Kind = .http,
        port: UInt16,
        user: String? = nil,
        method: ProxyCredentials.Method = .basic
    ) -> ProxyServer {
        let credentials = user.map {
            ProxyCredentials(user: $0, password: Secret("hush-hush"), method: method)
        }
        return ProxyServer(
            kind: kind,
            host: "127.0.0.1",
            port: Int(port),
            credentials: credentials
        )
    }

    @Test func `a request goes to the proxy and its record says so`() throws {
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let harness = try EngineHarness(proxy: proxy.origin)
        let result = try harness.run(.to("http://origin.test/file"))
        #expect(result.failure == nil)
        #expect(proxy.requests.first?.target == "http://origin.test/file")
        let transaction = try #require(result.transactions.first)
        #expect(transaction.isProxyConnection)
        #expect(transaction.proxy?.url == proxy.origin)
        #expect(transaction.proxy?.tunnel == nil)
        #expect(transaction.remoteEndpoint?.port == Int(proxy.port))
        #expect(transaction.domainLookupStartDate == nil)
    }

    @Test func `a request without a proxy is direct`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.transactions.first?.isProxyConnection == false)
    }

    @Test func `a CONNECT request is no exchange of its own`() throws {
        let proxy = try ScriptedServer { _ in .status(502, ["X-Why: nothing there"], text: "no") }
        let harness = try EngineHarness(proxy: proxy.origin)
        let result = try harness.run(
            .to("https://origin.test/orders", method: "POST", body: .bytes([65]))
        )
        let request = try #require(proxy.requests.first)
        #expect(request.method == "CONNECT")
        #expect(request.target == "origin.test:443")
        #expect(request.headers["user-agent"] == nil)
        #expect(result.failure?.isKnownUnprocessed == true)
        let record = try #require(result.transactions.first)
        #expect(result.transactions.count == 1)
        #expect(record.response == nil)
        #expect(record.countOfRequestHeaderBytesSent == 0)
        #expect(record.countOfResponseHeaderBytesReceived == 0)
        #expect(record.countOfResponseBodyBytesReceived == 0)
        #expect(record.request.headers.isEmpty)
        #expect(record.connectStartDate != nil)
        #expect(record.connectEndDate == nil)
        #expect(record.secureConnectionStartDate == nil)
        let tunnel = try #require(record.proxy?.tunnel)
        #expect(tunnel.statusCode == 502)
        let head = Reply.head(502, ["X-Why: nothing there", "Content-Length: 2"])
        #expect(tunnel.countOfHeaderBytesReceived == Int64(head.count))
        #expect(tunnel.countOfHeaderBytesSent > 40)
    }

    @Test(arguments: [
        (301, true), (400, true), (403, true), (407, true), (408, false), (429, false),
        (500, false), (501, true), (502, false), (503, false), (504, false),
    ])
    func `a permanently refused tunnel is not requested again`(
        status: Int,
        isPermanent: Bool
    ) throws {
        let proxy = try ScriptedServer { _ in .status(status, text: "a body\r\n\r\nHTTP/1.1 200 OK")
        }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("https://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == .connect)
        #expect(failure.phase == .connect)
        #expect(failure.isPermanent == isPermanent)
        #expect(
            failure.detail == "the proxy \(proxy.origin) opened no tunnel: it answered \(status)"
        )
        #expect((failure.help != nil) == isPermanent)
    }

    @Test func `a proxy that refuses a tunnel can set the wait`() throws {
        let proxy = try ScriptedServer { _ in .unavailable(retryAfter: "7") }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("https://origin.test/"))
        #expect(result.response == nil)
        #expect(result.proxyResponse?.fields["retry-after"] == "7")
    }

    @Test func `a tunnel refused after a redirect is the proxy's refusal, too`() throws {
        let proxy = try ScriptedServer { request in
            request.method == "CONNECT" ? .status(403) : .redirect(to: "https://origin.test/")
        }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("http://origin.test/"))
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isPermanent == true)
        #expect(result.transactions.map(\.reason) == [.initial, .redirect])
        #expect(result.transactions.last?.proxy?.tunnel?.statusCode == 403)
    }

    @Test func `a silent proxy fails within the connect timeout`() throws {
        let gate = try Gate()
        let proxy = try ScriptedServer { _ in Reply([.wait(gate)]) }
        let harness = try Self.harness(
            Self.server(port: proxy.port),
            connectTimeout: .milliseconds(200)
        )
        let result = try harness.run(.to("https://origin.test/"))
        #expect(result.failure?.kind == .timeout)
        #expect(result.failure?.phase == .connect)
        #expect(result.failure?.isKnownUnprocessed == true)
        let words = "opened no connection within `connectTimeout: 200ms`"
        #expect(result.failure?.detail == "the proxy \(proxy.origin) \(words)")
    }

    @Test func `a missing proxy is distinguished from a missing origin`() throws {
        let closed = try ClosedPort()
        for url in ["http://origin.test/", "https://origin.test/"] {
            let result = try Self.harness(Self.server(port: closed.port)).run(.to(url))
            #expect(result.failure?.kind == .connect)
            #expect(result.failure?.osErrno == 111)
            #expect(result.failure?.detail.hasPrefix("the proxy \(closed.origin): ") == true)
            #expect(result.transactions.first?.isProxyConnection == true)
        }
    }

    @Test(arguments: [
        Reply.hangUp, .raw("HTTP/1.1 200 OK", then: [.close]),
        .raw("HTTP/1.1 200 OK\r\nX: y\r\n", then: [.close]), Reply([.reset]),
    ])
    func `a proxy that closes before the tunnel opens is a connect failure`(
        reply: Reply
    ) throws {
        let proxy = try ScriptedServer { _ in reply }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("https://origin.test/"))
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isPermanent == false)
        #expect(result.failure?.isKnownUnprocessed == true)
    }

    @Test(arguments: [
        Reply([
            .send(Array("HTTP/1.1 200 OK\r\n".utf8)),
            .sendRepeatedly(Array("X: y\r\n".utf8), count: .max),
        ]),
        Reply([.send(Array("HTTP/1.1 502 No\r\nX: ".utf8)), .sendRepeatedly([65], count: .max)]),
    ])
    func `a head without end is given up`(reply: Reply) throws {
        let proxy = try ScriptedServer { _ in reply }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("https://origin.test/"))
        let failure = try #require(result.failure)
        #expect([.protocolViolation, .connect].contains(failure.kind))
        #expect(failure.detail.hasPrefix("the proxy \(proxy.origin)"))
        #expect(
            result.transactions.first?.proxy?.tunnel.map { $0.countOfHeaderBytesReceived < 1 << 20 }
                ?? true
        )
    }

    // MARK: - Who asks

    @Test func `a proxy's refusal of a request is distinguished from the origin's`() throws {
        let proxy = try ScriptedServer { _ in
            .status(407, ["Proxy-Authenticate: Basic realm=x"], text: "who are you")
        }
        let harness = try Self.harness(Self.server(port: proxy.port, user: "me"))
        let result = try harness.run(.to("http://origin.test/"))
        let failure = try #require(result.failure)
        #expect(failure.kind == .httpStatus)
        #expect(failure.httpStatus == 407)
        #expect(failure.isPermanent)
        #expect(failure.detail == "the proxy \(proxy.origin) answered 407")
        #expect(failure.urlError?.name == "userAuthenticationRequired")
        #expect(result.transactions.count == 1)
        #expect(proxy.requests.count == 1)
        #expect(result.transactions.first?.countOfResponseBodyBytesReceived == 11)
    }

    @Test func `credentials are sent at once, and are in no tunnel's record`() throws {
        let proxy = try ScriptedServer { request in
            request.method == "CONNECT" ? .status(502) : .ok("x")
        }
        let harness = try Self.harness(Self.server(port: proxy.port, user: "me"))
        #expect(try harness.run(.to("http://origin.test/")).failure == nil)
        let refused = try harness.run(.to("https://origin.test/"))
        let sent = proxy.requests.map { $0.headers["proxy-authorization"] }
        #expect(sent == ["Basic bWU6aHVzaC1odXNo", "Basic bWU6aHVzaC1odXNo"])
        #expect(!"\(refused)".contains("bWU6"))
    }

    private static let challenge =
        "Proxy-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\", algorithm=SHA-256"

    @Test(arguments: [false, true])
    func `a proxy's challenge is a separate exchange, and the body is sent once`(
        closes: Bool
    ) throws {
        let end: [Reply.Step] = closes ? [.close] : []
        let fields = [Self.challenge] + (closes ? ["Connection: close"] : [])
        let proxy = try ScriptedServer(continues: { $0["proxy-authorization"] != nil }) { request in
            request.headers["proxy-authorization"] == nil
                ? .status(407, fields, text: "who?") + end : .ok("done")
        }
        let harness = try Self.harness(
            Self.server(port: proxy.port, user: "me", method: .digest)
        )
        let result = try harness.run(
            .to("http://origin.test/", method: "POST", body: .bytes(Array("body".utf8)))
        )
        #expect(result.failure == nil)
        #expect(result.response?.statusCode == 200)
        #expect(proxy.requests.map(\.text) == ["", "body"])
        #expect(result.transactions.map(\.reason) == [.initial, .authentication])
        #expect(result.transactions.map { $0.response?.statusCode } == [407, 200])
        #expect(result.transactions.map(\.countOfRequestBodyBytesSent) == [0, 4])
        #expect(result.transactions.map(\.countOfRequestBodyBytesBeforeEncoding) == [0, 4])
        // On a connection that closes anyway, bytes are read only if they arrive with the head.
        let received = result.transactions.map(\.countOfResponseBodyBytesReceived)
        #expect(received == [4, 4] || closes && received == [0, 4])
        #expect(result.transactions.map(\.countOfResponseBodyBytesAfterDecoding) == [4, 4])
        #expect(result.transactions.map(\.networkProtocolName) == ["http/1.1", "http/1.1"])
        #expect(result.transactions.map { $0.requestEndDate == nil } == [true, false])
        #expect(result.transactions.allSatisfy { $0.responseEndDate != nil })
        #expect(result.transactions.allSatisfy { $0.isProxyConnection })
        // A connection with an announced but missing body can carry no other request.
        #expect(result.transactions.map(\.isReusedConnection) == [false, false])
    }

    @Test func `a login that the proxy rejects fails for good`() throws {
        let proxy = try ScriptedServer { _ in .status(407, [Self.challenge]) }
        let harness = try Self.harness(
            Self.server(port: proxy.port, user: "me", method: .digest)
        )
        let result = try harness.run(.to("http://origin.test/"))
        #expect(result.failure?.httpStatus == 407)
        #expect(result.failure?.isPermanent == true)
        #expect(result.transactions.map(\.reason) == [.initial, .authentication])
    }

    @Test func `a 407 of an origin behind a tunnel or without a proxy is its own`() throws {
        let server = try ScriptedServer { _ in .status(407, [Self.challenge]) }
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure?.detail == "the server answered 407 Proxy Authentication Required")
        #expect(result.transactions.count == 1)
    }

    // MARK: - SOCKS

    @Test(arguments: [ProxyServer.Kind.socks4, .socks4a, .socks5, .socks5h])
    func `a SOCKS proxy gets a name or an address`(kind: ProxyServer.Kind) throws {
        let socks = SOCKSGreeting()
        let proxy = try ScriptedServer(socks: socks) { _ in .ok("x") }
        var servers = ProxyServers()
        servers.socks = Self.server(kind, port: proxy.port)
        let harness = try EngineHarness { $0.proxy = .servers(servers) }
        let looksUp = kind == .socks4a || kind == .socks5h
        let result = try harness.run(.to(looksUp ? "http://origin.test/" : "http://localhost/"))
        #expect(result.failure == nil)
        let target = try #require(socks.targets.first)
        // `localhost` may be `::1` first.
        let addresses = ["127.0.0.1:80", String(repeating: "0.", count: 15) + "1:80"]
        #expect(looksUp ? target == "origin.test:80" : addresses.contains(target))
        #expect(proxy.requests.first?.target == "/")
        let record = try #require(result.transactions.first)
        #expect(record.proxy?.url == "\(kind.rawValue)://127.0.0.1:\(proxy.port)")
        #expect(record.remoteEndpoint?.port == Int(proxy.port))
        #expect(record.domainLookupStartDate == nil)
    }

    @Test func `a SOCKS 4a proxy gets a name`() throws {
        let proxy = try ScriptedServer(socks: SOCKSGreeting(user: "me")) { _ in .ok("x") }
        for (user, kind) in [("me", nil), ("you", TransferFailure.Kind.connect)] {
            var server = Self.server(.socks4a, port: proxy.port)
            server.credentials = ProxyCredentials(user: user, password: Secret(""))
            let result = try Self.harness(server).run(.to("http://origin.test/"))
            #expect(result.failure?.kind == kind)
        }
    }

    @Test func `a SOCKS proxy gets the login`() throws {
        let socks = SOCKSGreeting(user: "me", password: "hush-hush")
        let proxy = try ScriptedServer(socks: socks) { _ in .ok("x") }
        let harness = try Self.harness(Self.server(.socks5h, port: proxy.port, user: "me"))
        #expect(try harness.run(.to("http://origin.test/")).failure == nil)
        #expect(proxy.requests.first?.headers["proxy-authorization"] == nil)
    }

    @Test(arguments: ["you", nil])
    func `a login that a SOCKS proxy refuses fails for good`(user: String?) throws {
        let socks = SOCKSGreeting(user: "me", password: "hush-hush")
        let proxy = try ScriptedServer(socks: socks) { _ in .ok("x") }
        let harness = try Self.harness(Self.server(.socks5h, port: proxy.port, user: user))
        let failure = try #require(try harness.run(.to("http://origin.test/")).failure)
        #expect(failure.kind == .connect)
        #expect(failure.isPermanent)
        #expect(failure.isKnownUnprocessed)
        #expect(failure.urlError?.name == "userAuthenticationRequired")
        #expect(!failure.detail.contains("hush"))
    }

    @Test(arguments: [
        (1, false), (2, true), (3, false), (4, false), (5, false), (7, true), (8, true),
    ])
    func `the reply of a SOCKS proxy decides about a retry`(
        reply: UInt8,
        isPermanent: Bool
    ) throws {
        let proxy = try ScriptedServer(socks: SOCKSGreeting(reply: reply)) { _ in .ok("x") }
        let harness = try Self.harness(Self.server(.socks5h, port: proxy.port))
        let failure = try #require(try harness.run(.to("http://origin.test/")).failure)
        #expect(failure.kind == .connect)
        #expect(failure.isPermanent == isPermanent)
        #expect(failure.detail.hasPrefix("the proxy socks5h://127.0.0.1:\(proxy.port): "))
    }

    @Test(arguments: [ProxyServer.Kind.socks4, .socks4a, .socks5, .socks5h])
    func `a proxy without SOCKS is a connect failure`(
        kind: ProxyServer.Kind
    ) throws {
        let proxy = try ScriptedServer { _ in .ok("x") }
        let harness = try Self.harness(
            Self.server(kind, port: proxy.port),
            connectTimeout: .milliseconds(300)
        )
        let failure = try #require(try harness.run(.to("http://127.0.0.1/")).failure)
        #expect([.connect, .timeout].contains(failure.kind))
    }
}
