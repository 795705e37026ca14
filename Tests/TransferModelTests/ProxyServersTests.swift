import Testing
import TransferModel

@Suite struct ProxyServersTests {
    private static func server(_ text: String) throws -> ProxyServer {
        let parts = try ProxyText(text)
        let kind = parts.kind ?? .http
        return ProxyServer(kind: kind, host: parts.host, port: parts.port ?? kind.usualPort)
    }

    private func proxy(
        _ url: String,
        http: String? = nil,
        https: String? = nil,
        socks: String? = nil,
        exceptions: String = ""
    ) throws -> String? {
        var servers = ProxyServers()
        servers.http = try http.map(Self.server)
        servers.https = try https.map(Self.server)
        servers.socks = try socks.map(Self.server)
        servers.exceptions = ProxyExceptions(exceptions)
        return try servers.server(for: TransferURL(url).origin)?.url
    }

    // As with `connectionProxyDictionary`: the proxy of a scheme precedes the proxy for all.
    @Test func `a scheme's own proxy precedes the SOCKS proxy`() throws {
        let (http, socks) = ("http://h:1", "socks5h://s:2")
        #expect(try proxy("http://a.test/", http: http, socks: socks) == http)
        #expect(try proxy("https://a.test/", http: http, socks: socks) == socks)
        #expect(try proxy("https://a.test/", http: http) == nil)
        #expect(try proxy("https://a.test/", https: http, socks: socks) == http)
    }

    @Test func `exceptions are reached directly`() throws {
        let excepted = "a.test,10.0.0.0/8"
        for host in ["a.test", "b.a.test", "10.1.2.3"] {
            let found = try proxy("https://\(host)/", https: "http://h:1", exceptions: excepted)
            #expect(found == nil)
        }
        #expect(try proxy("https://b.test/", https: "http://h:1", exceptions: excepted) != nil)
    }

    @Test(arguments: ["localhost", "127.0.0.1", "[::1]", "a.localhost"])
    func `this machine is reached only by a proxy on it`(host: String) throws {
        let (near, far) = ("http://127.0.0.1:3128", "http://proxy.test:3128")
        #expect(try proxy("http://\(host):8080/", http: near) == near)
        #expect(try proxy("http://\(host):8080/", http: near, exceptions: host) == nil)
        #expect(try proxy("http://\(host):8080/", http: far) == nil)
        #expect(try proxy("https://\(host)/", socks: "socks5://proxy.test") == nil)
    }

    @Test(arguments: [
        ("a.test", true), (".a.test", true), ("*", true), ("10.0.0.0/8", true), ("fd00::/8", true),
        ("::1", true), ("10.0.0.0/33", false), ("*.a.test", false), ("a.test:80", false),
        ("http://a.test", false), ("", false), (".", false), ("a b", false), ("müller.test", true),
    ])
    func `an exception is a host, a domain, an address or a network`(text: String, isOne: Bool) {
        #expect(ProxyExceptions.isEntry(text) == isOne)
    }
}
