import Testing
import TransferModel

@Suite struct ProxyEnvironmentTests {
    private func proxy(_ url: String, _ environment: [String: String]) throws -> String? {
        let origin = try TransferURL(url).origin
        return try ProxyEnvironment { environment[$0] }.servers.server(for: origin)?.url
    }

    @Test(arguments: [
        ("http://a.test/", ["http_proxy": "p:1"], "http://p:1"),
        ("http://a.test/", ["HTTP_PROXY": "p:1"], nil),
        ("https://a.test/", ["https_proxy": "p:1", "HTTPS_PROXY": "q:1"], "http://p:1"),
        ("https://a.test/", ["HTTPS_PROXY": "q:1"], "http://q:1"),
        ("https://a.test/", ["http_proxy": "p:1"], nil),
        ("https://a.test/", ["ALL_PROXY": "r:1"], "http://r:1"),
        ("http://a.test/", ["all_proxy": "r:1", "http_proxy": ""], "http://r:1"),
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
    func `an invalid proxy keeps the engine from starting`(text: String, words: String) {
        #expect {
            try proxy("http://a.test/", ["http_proxy": text])
        } throws: { error in
            guard let fault = error as? ProxyFault else { return false }
            return fault.message.hasPrefix(words) && !fault.message.contains("secret")
        }
    }

    @Test(arguments: [
        ("p", "http://p:1080"), ("p:1", "http://p:1"), ("http://p:1/", "http://p:1"),
        ("HTTPS://P", "https://p:443"), ("socks5h://user:a@b@p:1080", "socks5h://p:1080"),
        ("[::1]:8080", "http://[::1]:8080"), ("[::1]", "http://[::1]:1080"),
        ("socks4a://[::1]", "socks4a://[::1]:1080"), ("p:", "http://p:1080"),
        ("p:8080/path?query", "http://p:8080"),
    ])
    func `a proxy can be written in every way that libcurl reads`(
        text: String,
        url: String
    ) throws {
        #expect(try proxy("http://a.test/", ["http_proxy": text]) == url)
    }

    @Test(arguments: [
        ("user:pass@p", "user", "pass"), ("user@p", "user", ""), (":pass@p", "", "pass"),
        ("http://u%40x:a%3ab%2F@p:1", "u@x", "a:b/"), ("a@b:c@p", "a@b", "c"),
        ("100%:50%@p", "100%", "50%"),
    ])
    func `a user and a password are percent-encoded before the host`(
        text: String,
        user: String,
        password: String
    ) throws {
        let environment = try ProxyEnvironment { $0 == "https_proxy" ? text : nil }
        let credentials = try #require(environment.https?.server.credentials)
        #expect(credentials.user == user)
        #expect(credentials.password == Secret(password))
        #expect(credentials.method == .basic)
        #expect("\(environment)".contains("password: ‹redacted›"))
        #expect(environment.passwords == [Secret(password)])
    }

    @Test(arguments: ["u%0d%0aX:p@h", "u:%00@h", "%ff:p@h"])
    func `a user or a password that is no text is refused`(text: String) {
        #expect(throws: ProxyFault.self) { try proxy("http://a.test/", ["http_proxy": text]) }
    }
}
