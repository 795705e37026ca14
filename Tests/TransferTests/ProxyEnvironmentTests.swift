import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ProxyEnvironmentTests {
    private func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        ProxyEnvironment { environment[$0] }.proxy(for: try HTTPURL(url).origin)
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
