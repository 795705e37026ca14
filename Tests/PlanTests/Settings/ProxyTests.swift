import Plan
import Testing
import TransferModel

@Suite struct ProxyTests {
    private static func session(
        _ proxy: String,
        defaults: String = "{}",
        secrets: String = "{}"
    ) throws -> SessionConfiguration {
        let plan = try TestJob.plan(text(proxy, defaults: defaults, secrets: secrets))
        return try #require(plan.sessions.first)
    }

    private static func text(
        _ proxy: String,
        defaults: String = "{}",
        secrets: String = "{}"
    ) -> String {
        """
        version: 1
        defaults: \(defaults)
        secrets: \(secrets)
        sessions: { s: { proxy: \(proxy) } }
        data: { t: { url: "https://a.test/" } }
        """
    }

    /// The codes of the diagnostics, without their places.
    private static func codes(
        _ proxy: String,
        secrets: String = "{}"
    ) throws -> [String] {
        try TestJob.faults(text(proxy, secrets: secrets)).map {
            String($0.split(separator: " ").last ?? "")
        }
    }

    @Test func `the environment names the proxy unless the session does`() throws {
        let plan = try TestJob.plan("version: 1\ndata: { t: { url: \"https://a.test/\" } }")
        #expect(plan.sessions.first?.proxy == .environment)
        #expect(try Self.session("environment").proxy == .environment)
        #expect(try Self.session("none").proxy == .direct)
    }

    @Test(arguments: [
        ("http://p.test:3128", "http://p.test:3128"), ("https://P.test/", "https://p.test:443"),
        ("socks5://p.test", "socks5://p.test:1080"), ("SOCKS5H://[::1]:1", "socks5h://[::1]:1"),
        ("socks4://1.2.3.4", "socks4://1.2.3.4:1080"), ("socks4a://p", "socks4a://p:1080"),
    ])
    func `a proxy is a URL`(text: String, url: String) throws {
        let servers = try #require(try Self.session("{ https: \"\(text)\" }").proxy.servers)
        #expect(servers.https?.url == url)
        #expect(servers.http == nil)
    }

    @Test func `a mapping has credentials and their method`() throws {
        let proxy = """
            { https: { url: "http://p.test:1", user: me, password: hush-hush, method: digest },
              http: { url: "https://p.test:2", user: me, password: hush-hush },
              socks: { url: "socks4a://p.test", user: me } }
            """
        let servers = try #require(try Self.session(proxy).proxy.servers)
        #expect(servers.https?.credentials?.method == .digest)
        #expect(servers.https?.credentials?.user == "me")
        #expect(servers.https?.credentials?.password == Secret("hush-hush"))
        #expect(servers.http?.credentials?.method == .basic)
        #expect(servers.socks?.credentials?.password == Secret(""))
        let tickets = "{ https: { url: \"http://p.test:1\", method: negotiate } }"
        let credentials = try Self.session(tickets).proxy.servers?.https?.credentials
        #expect(credentials == ProxyCredentials(user: "", password: Secret(""), method: .negotiate))
    }

    @Test func `a session's proxies are merged with those of defaults, a word replaces them`()
        throws
    {
        let defaults = """
            { proxy: { http: "http://a:1", https: { url: "http://a:2", user: u, password: p4ss },
                       exceptions: [a.test] } }
            """
        let merged = try Self.session("{ https: \"http://b:1\" }", defaults: defaults)
        let servers = try #require(merged.proxy.servers)
        #expect(servers.http?.url == "http://a:1")
        #expect(servers.https?.url == "http://b:1")
        #expect(servers.https?.credentials == nil)
        #expect(servers.server(for: try TransferURL("https://b.a.test/").origin) == nil)
        #expect(try Self.session("none", defaults: defaults).proxy == .direct)
        let own = try Self.session("{ socks: \"socks5h://c\" }", defaults: "{ proxy: none }")
        #expect(own.proxy.servers?.socks?.url == "socks5h://c:1080")
    }

    @Test(arguments: [
        "http://p:1", "auto", "http://wpad/wpad.dat", "[http://p:1]", "{ https: p.test:1 }",
        "{ https: \"ftp://p:1\" }", "{ https: \"http://p\" }", "{ https: \"http://p:0\" }",
        "{ https: \"http://u:p@p:1\" }", "{ https: \"http://p:1/x\" }", "{ https: \"http://:1\" }",
        "{ https: \"http://a b:1\" }", "{ https: \"http://p:1/proxy.pac\" }", "{ https: [] }",
        "{ pac: \"ftp://p/proxy.pac\" }", "{}", "{ exceptions: [a.test] }",
        "{ socks: \"http://p:1\" }", "{ socks: \"socks5://p\", exceptions: [\"*.a.test\"] }",
        "{ socks: \"socks5://p\", exceptions: [\"https://a.test\"] }",
        "{ https: { user: u, password: p4ss } }",
        "{ https: { url: \"https://p\", password: p4ss } }",
        "{ https: { url: \"https://p\", method: digest } }",
        "{ https: { url: \"https://p\", user: \"a:b\", password: p4ss } }",
        "{ https: { url: \"https://p\", user: u, password: \"\" } }",
        "{ https: { url: \"https://p\", user: u, password: \"a\\r\\nX: y\" } }",
        "{ https: { url: \"socks5://p\", user: u, password: p4ss, method: ntlm } }",
        "{ https: { url: \"socks4://p\", user: u, password: p4ss } }",
        "{ https: { url: \"https://p\", user: u, password: p4ss, method: bearer } }",
    ])
    func `an invalid proxy is an error`(proxy: String) throws {
        #expect(try Self.codes(proxy).count == 1)
    }

    @Test func `a proxy's fault has its place`() throws {
        let faults = try TestJob.faults(Self.text("{ http: \"http://p:1\", https: \"ftp://p:1\" }"))
        #expect(faults == ["4:54 job.bad-proxy"])
    }

    // MARK: - Secrets

    private static let secret = "{ word: { env: WORD } }"

    private static func proxy(_ url: String, _ more: String = "") -> String {
        "{ https: { url: \"\(url)\", user: me, password: \"${secret.word}\"\(more) } }"
    }

    @Test(
        arguments: [
            ("https://p.test", "", nil), ("http://127.0.0.1:3128", "", nil),
            ("socks5://localhost", "", nil), ("http://p.test:1", ", method: digest", nil),
            ("http://p.test:1", ", allowPlainText: true", nil),
            ("http://p.test:1", "", "job.secret-over-plain-http"),
            ("socks5h://p.test", "", "job.secret-over-plain-http"),
        ] as [(String, String, String?)]
    )
    func `a secret may go to a proxy over a connection that hides it`(
        url: String,
        more: String,
        code: String?
    ) throws {
        let codes = try Self.codes(Self.proxy(url, more), secrets: Self.secret)
        #expect(codes == (code.map { [$0] } ?? []))
    }

    @Test func `a secret is bound to the proxy's origin`() throws {
        let bound = "{ word: { env: WORD, origins: [\"https://p.test\"] } }"
        #expect(try Self.codes(Self.proxy("https://p.test"), secrets: bound) == [])
        let elsewhere = try Self.codes(Self.proxy("https://q.test"), secrets: bound)
        #expect(elsewhere == ["job.secret-to-other-origin"])
        let origin = "{ word: { env: WORD, origins: [\"https://a.test\"] } }"
        let task = try Self.codes(Self.proxy("https://p.test"), secrets: origin)
        #expect(task == ["job.secret-to-other-origin"])
    }

    @Test func `a run needs the proxy's secret and no plain text shows it`() throws {
        let text = Self.text(Self.proxy("https://p.test"), secrets: Self.secret)
        let plan = try TestJob.plan(text, environment: ["WORD": "hush-hush"])
        #expect(plan.neededSecrets.map(\.name) == ["word"])
        let ready = try plan.with(["word": Secret("hush-hush")])
        #expect(ready.proxyPasswords == [Secret("hush-hush")])
        #expect(!"\(ready.sessions)".contains("hush"))
        #expect(throws: PlanRejected.self) { try plan.with(["word": Secret("a\r\nX: y")]) }
    }

    @Test func `a secret is not allowed in the URL of a proxy`() throws {
        let proxy = "{ https: \"http://${secret.word}:1\" }"
        #expect(try Self.codes(proxy, secrets: Self.secret) == ["job.secret-misplaced"])
    }

    @Test func `a password that others can read on the way is warned of`() throws {
        let plain = "{ https: { url: \"http://p.test:1\", user: u, password: p4ss } }"
        #expect(try Self.codes(plain) == ["job.plain-http-credentials"])
        let digest =
            "{ https: { url: \"http://p.test:1\", user: u, password: p4ss, method: digest } }"
        #expect(try Self.codes(digest) == [])
    }

    // MARK: - What plan shows

    private static func listing(
        _ text: String,
        environment: [String: String] = [:],
        variables: [String: String] = [:]
    ) throws -> String {
        var listing = ""
        let plan = try TestJob.plan(text, variables: variables, environment: environment)
        PlanListing(plan).writeText { listing += $0 }
        return listing
    }

    @Test func `plan shows the proxy and its line, but no password`() throws {
        let proxy = """
            { http: "http://a.test:1", exceptions: [b.test],
              https: { url: "https://p.test", user: me, password: hush-hush } }
            """
        let shown = try Self.listing(Self.text(proxy))
        #expect(shown.contains("proxy.http "))
        #expect(shown.contains("http://a.test:1  (line 4)"))
        #expect(shown.contains("https://p.test  (line 5)"))
        #expect(shown.contains("•••"))
        #expect(!shown.contains("hush"))
        let secret = try Self.listing(
            Self.text(Self.proxy("https://p.test"), secrets: Self.secret),
            environment: ["WORD": "hush-hush"]
        )
        #expect(secret.contains("${secret.word}  (line 4)"))
        let mixed = try Self.listing(
            Self.text("{ https: { url: \"https://p.test\", user: \"hush-${var.x}\" } }"),
            variables: ["x": "y"]
        )
        #expect(mixed.contains("•••${var.x}  (line 4)"))
    }

    @Test func `plan shows which variable of the environment names a proxy`() throws {
        let text = "version: 1\ndata: { t: { url: \"https://a.test/\" } }"
        let shown = try Self.listing(
            text,
            environment: ["https_proxy": "http://u:hush-hush@p.test:1", "http_proxy": ""]
        )
        #expect(shown.contains("environment (https: http://p.test:1 from https_proxy)  (default)"))
        #expect(!shown.contains("hush"))
        #expect(try Self.listing(text).contains("environment (which names no proxy)"))
        let wrong = try Self.listing(text, environment: ["http_proxy": "ftp://u:hush-hush@p"])
        #expect(wrong.contains("names a proxy of the scheme `ftp`"))
        #expect(!wrong.contains("hush"))
    }
}
