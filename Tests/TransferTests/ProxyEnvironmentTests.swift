import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ProxyEnvironmentTests {
    private func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        try ProxyEnvironment { environment[$0] }.proxy(for: try HTTPURL(url).origin)
    }

    @Test(arguments: [
        ("http://a.test/", ["http_proxy": "p:1"], "p:1"),
        ("http://a.test/", ["HTTP_PROXY": "p:1"], nil),
        ("https://a.test/", ["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], "p:1"),
        ("https://a.test/", ["HTTPS_PROXY": "q:1"], "q:1"),
        ("https://a.test/", ["http_proxy": "p:1"], nil),
        ("https://a.test/", ["ALL_PROXY": "r:1"], "r:1"),
        ("http://a.test/", ["all_proxy": "r:1", "http_proxy": ""], "r:1"),
    ])
    func `each scheme has its variable`(
        url: String,
        environment: [String: String],
        expected: String?
    ) throws {
        #expect(try proxy(url, environment) == expected)
    }

    @Test(arguments: [
        ("a.test", "a.test", true), ("A.test", "a.test", true), ("b.a.test", "a.test", true),
        ("b.a.test", ".a.test", true), ("ba.test", "a.test", false), ("a.test", "*", true),
        ("10.0.0.1", "localhost, 10.0.0.1", true), ("[::2]", "::2", true), ("a.test", "", false),
        ("[::2]", "[::2]", true), ("[0:0::2]", "::2", true), ("10.1.2.3", "10.0.0.0/8", true),
        ("11.1.2.3", "a.test,10.0.0.0/8", false), ("10.1.2.3", "10.1.2", false),
        ("[fd12::1]", "fd00::/8", true), ("[fe80::1]", "fd00::/8", false),
        ("10.1.2.3", "10.0.0.0/33", false), ("a10.test", "10.0.0.0/8", false),
        ("a.test.", "a.test", true), ("a.test", "a.test.", true), ("10.1.2.3", "0.0.0.0/0", true),
    ])
    func `an exception names a host or a domain above it`(
        host: String,
        exceptions: String,
        isDirect: Bool
    ) throws {
        let found = try proxy("http://\(host)/", ["http_proxy": "p:1", "no_proxy": exceptions])
        #expect((found == nil) == isDirect)
    }

    @Test(arguments: ["localhost", "a.localhost", "127.0.0.1", "127.1.2.3:8080", "[::1]:80"])
    func `this machine is reached without a proxy`(host: String) throws {
        for scheme in ["http", "https"] {
            #expect(try proxy("\(scheme)://\(host)/", ["all_proxy": "p:1"]) == nil)
        }
    }

    @Test(arguments: [
        ("bogus://p:1", "`http_proxy` names a proxy of the scheme `bogus`"),
        ("://p:1", "`http_proxy` names a proxy of the scheme ``"),
        ("http://", "`http_proxy` names a proxy without a host"),
        ("user:secret@:80", "`http_proxy` names a proxy without a host"),
        ("p:0", "`http_proxy` names a proxy whose port"),
        ("http://user:secret@p:http", "`http_proxy` names a proxy whose port"),
    ])
    func `a proxy that cannot be one keeps the engine from starting`(text: String, words: String) {
        #expect {
            try proxy("http://a.test/", ["http_proxy": text])
        } throws: { error in
            guard let fault = error as? ProxyFault else { return false }
            return fault.message.hasPrefix(words) && !fault.message.contains("secret")
        }
    }

    @Test(arguments: [
        "p", "p:1", "http://p:1/", "HTTPS://p", "socks5h://user:a@b@p:1080", "[::1]:8080", "[::1]",
        "socks4a://[::1]", "p:",
    ])
    func `a proxy can be written in every way that libcurl reads`(text: String) throws {
        #expect(try proxy("http://a.test/", ["http_proxy": text]) == text)
    }

    @Test(arguments: [(407, true), (502, false)])
    func `a tunnel that the proxy refuses for good is not asked for again`(
        status: Int,
        isPermanent: Bool
    ) throws {
        let proxy = try ScriptedServer { _ in .status(status) }
        let result = try EngineHarness(proxy: proxy.origin).run(.to("https://origin.test/"))
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isPermanent == isPermanent)
        #expect(result.failure?.detail.contains("\(status)") == true)
    }

    @Test func `a request goes to the proxy and its record says so`() throws {
        let proxy = try ScriptedServer { _ in .ok("from the proxy") }
        let harness = try EngineHarness(proxy: proxy.origin)
        let result = try harness.run(.to("http://origin.test/file"))
        #expect(result.failure == nil)
        #expect(proxy.requests.first?.target == "http://origin.test/file")
        let transaction = try #require(result.transactions.first)
        #expect(transaction.isProxyConnection)
        #expect(transaction.remoteEndpoint?.port == Int(proxy.port))
    }

    @Test func `asking a proxy for a tunnel is no request of its own`() throws {
        let proxy = try ScriptedServer { _ in .status(502) }
        let harness = try EngineHarness(proxy: proxy.origin)
        let result = try harness.run(
            .to("https://origin.test/orders", method: "POST", body: .bytes([65]))
        )
        #expect(proxy.requests.first?.method == "CONNECT")
        #expect(result.failure?.isKnownUnprocessed == true)
        #expect(result.transactions.count == 1)
        #expect(result.transactions.first?.countOfRequestHeaderBytesSent == 0)
        #expect(result.transactions.first?.request.headers.isEmpty == true)
    }

    @Test func `a request without a proxy is direct`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.transactions.first?.isProxyConnection == false)
    }
}
