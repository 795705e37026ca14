import TestSupport
import Testing
import TransferModel

/// Proxies from Debian between the runner and an nginx.
@Suite struct ProxyTests {
    private static let content = "behind a proxy"

    private static func origin() throws -> Nginx {
        let origin = try Nginx(certificate: TestCertificates.shared().server)
        try origin.root.write(content, to: "file.txt")
        return origin
    }

    /// A job of two downloads, one after the other, whose session has that proxy.
    private static func job(_ proxy: String, _ url: String, more: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            defaults: { retry: { backoff: { initial: 0s } } }
            \(more)
            sessions:
              s: { proxy: \(proxy), tls: { caFile: \(try TestCertificates.shared().authorityFile) } }
            downloads:
              first: { url: "\(url)/file.txt", to: first.txt }
              second: { url: "\(url)/file.txt", to: second.txt, needs: [first] }
            """
        )
    }

    private static func expectDone(
        _ run: RunOutcome,
        _ job: JobFolder,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.code == 0, "\(run.command.standardError)", sourceLocation: sourceLocation)
        guard run.code == 0 else { return }
        #expect(try job.folder.text("first.txt") == content, sourceLocation: sourceLocation)
        #expect(try job.folder.text("second.txt") == content, sourceLocation: sourceLocation)
    }

    private static func number(_ value: JSONValue?, _ names: String...) -> Int64? {
        names.reduce(value) { $0?[$1] }?.integer
    }

    @Test func `squid forwards requests`() throws {
        let (origin, squid) = (try Self.origin(), try Squid())
        let job = try Self.job("{ http: \"\(squid.url)\" }", origin.origin)
        let run = try job.run()
        try Self.expectDone(run, job)
        #expect(
            try squid.end().map(\.target)
                == Array(repeating: "\(origin.origin)/file.txt", count: 2)
        )
        #expect(try origin.requests().count == 2)
        let exchanges = run.exchanges("first") + run.exchanges("second")
        #expect(exchanges.count == 2)
        for exchange in exchanges {
            #expect(exchange["isProxyConnection"]?.bool == true)
            #expect(exchange["extension"]?["proxy"]?.string == squid.url)
            #expect(exchange["extension"]?["proxyTunnel"]?.isNull == true)
            #expect(exchange["remotePort"]?.integer == Int64(squid.port))
            #expect(exchange["secureConnectionStartDate"]?.isNull == true)
            #expect(exchange["countOfResponseBodyBytesReceived"]?.integer == 14)
        }
        #expect(exchanges.map { $0["isReusedConnection"]?.bool } == [false, true])
    }

    @Test func `squid makes one tunnel for two requests`() throws {
        let (origin, squid) = (try Self.origin(), try Squid())
        let url = try #require(origin.secureOrigin)
        let job = try Self.job("{ https: \"\(squid.url)\" }", url)
        let run = try job.run()
        try Self.expectDone(run, job)
        #expect(try origin.requests().count == 2)
        let port = try #require(origin.securePort)
        // A tunnel is logged when it ends.
        let first = try #require(run.exchanges("first").first)
        let second = try #require(run.exchanges("second").first)
        #expect(run.exchanges("first").count == 1)
        #expect(first["isReusedConnection"]?.bool == false)
        #expect(second["isReusedConnection"]?.bool == true)
        #expect(first["secureConnectionEndDate"]?.isNull == false)
        #expect(first["negotiatedTLSProtocolVersion"]?.isNull == false)
        #expect(first["remotePort"]?.integer == Int64(squid.port))
        #expect(first["networkProtocolName"]?.string == "http/1.1")
        let tunnel = first["extension"]?["proxyTunnel"]
        #expect(Self.number(tunnel, "statusCode") == 200)
        let asked =
            "CONNECT localhost:\(port) HTTP/1.1\r\nHost: localhost:\(port)\r\n"
            + "Proxy-Connection: Keep-Alive\r\n\r\n"
        #expect(Self.number(tunnel, "countOfHeaderBytesSent") == Int64(asked.utf8.count))
        let answer = "HTTP/1.1 200 Connection established\r\n\r\n"
        #expect(Self.number(tunnel, "countOfHeaderBytesReceived") == Int64(answer.utf8.count))
        #expect(second["extension"]?["proxyTunnel"]?.isNull == true)
        #expect(second["extension"]?["proxy"]?.string == squid.url)
        // The head of the request alone, without that of CONNECT.
        #expect(
            Self.number(first, "countOfRequestHeaderBytesSent")
                == Self.number(second, "countOfRequestHeaderBytesSent")
        )
    }

    @Test(arguments: ["basic", "digest", "ntlm"], ["http", "https"])
    func `squid accepts the login by its method`(
        method: String,
        scheme: String
    ) throws {
        let access: Squid.Access = method == "basic" ? .basic : method == "digest" ? .digest : .ntlm
        let (origin, squid) = (try Self.origin(), try Squid(access))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let proxy = """
            { \(scheme): { url: "\(squid.url)", user: user, password: "${secret.word}", method: \(method) } }
            """
        let job = try Self.job(proxy, url, more: "secrets: { word: { env: WORD } }")
        let run = try job.run(environment: ["WORD": Squid.password])
        try Self.expectDone(run, job)
        let report = try job.folder.text("report.json")
        #expect(!report.contains(Squid.password))
        #expect(!report.contains("dXNlcjpzM2NyZXQtd29yZA"))
        let exchanges = run.exchanges("first")
        if scheme == "https" {
            #expect(exchanges.count == 1)
            #expect(Self.number(exchanges.first?["extension"]?["proxyTunnel"], "statusCode") == 200)
        } else {
            #expect(exchanges.last?["response"]?["statusCode"]?.integer == 200)
            #expect(exchanges.first?["reason"]?.string == "initial")
            #expect(exchanges.dropFirst().allSatisfy { $0["reason"]?.string == "auth" })
            #expect((exchanges.count > 1) == (method != "basic"))
        }
        #expect(run.attempts("first").count == 1)
    }

    @Test(arguments: ["http", "https"])
    func `squid accepts the ticket of the present user`(scheme: String) throws {
        let realm = try KerberosRealm()
        let (origin, squid) = (try Self.origin(), try Squid(.negotiate(realm)))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let proxy = "{ \(scheme): { url: \"\(squid.url)\", method: negotiate } }"
        let job = try Self.job(proxy, url)
        try Self.expectDone(try job.run(environment: realm.environment), job)
        let without = try Self.job(proxy, url).run(environment: realm.environmentWithoutTicket)
        #expect(without.code == 1)
        #expect(without.attempts("first").count == 1)
        #expect(try origin.requests().count == 2)
    }

    @Test(arguments: ["basic", "digest"], ["http", "https"])
    func `a password that squid does not take is refused once and for good`(
        method: String,
        scheme: String
    ) throws {
        let (origin, squid) = (try Self.origin(), try Squid(method == "basic" ? .basic : .digest))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let proxy = """
            { \(scheme): { url: "\(squid.url)", user: user, password: wr0ng-word, method: \(method) } }
            """
        let job = try Self.job(proxy, url)
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.attempts("first").count == 1)
        #expect(run.kind("first") == (scheme == "http" ? "httpStatus" : "connect"))
        let message = run.task("first")?["error"]?["message"]?.string ?? ""
        #expect(message.contains("the proxy \(squid.url)") && message.contains("407"))
        #expect(run.task("first")?["error"]?["retryable"]?.bool == false)
        #expect(try origin.requests().isEmpty)
        let output = try job.folder.text("report.json") + run.command.standardError
        #expect(!output.contains("wr0ng"))
    }

    @Test(arguments: ["http", "https"])
    func `an upload's body is sent once to a proxy that asks for a login`(scheme: String) throws {
        let (origin, squid) = (try Self.origin(), try Squid(.digest))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s:
                tls: { caFile: \(try TestCertificates.shared().authorityFile) }
                proxy:
                  \(scheme): { url: "\(squid.url)", user: user, password: \(Squid.password), method: digest }
            uploads:
              order: { url: "\(url)/orders", text: "one cheese pizza" }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try origin.requests().map(\.body) == [Array("one cheese pizza".utf8)])
        let exchanges = run.exchanges("order")
        #expect(exchanges.last?["countOfRequestBodyBytesSent"]?.integer == 16)
        #expect(exchanges.count == (scheme == "http" ? 2 : 1))
        #expect(run.task("order")?["countOfBytesSent"]?.integer == 16)
    }

    @Test func `no credential of a proxy reaches an origin, also behind a redirect`() throws {
        let other = try ScriptedServer { _ in .ok("there") }
        let first = try ScriptedServer { _ in .redirect(to: other.url("/file.txt")) }
        let squid = try Squid(.basic)
        let proxy = "{ http: { url: \"\(squid.url)\", user: user, password: \(Squid.password) } }"
        let job = try Self.job(proxy, first.origin)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        for request in first.requests + other.requests {
            #expect(request.headers["proxy-authorization"] == nil)
            #expect(request.headers["proxy-connection"] == nil)
        }
        #expect(first.requests.count == 2)
        #expect(other.requests.count == 2)
    }

    @Test func `two sessions share no connection to a proxy, nor its credentials`() throws {
        let (origin, squid) = (try Self.origin(), try Squid(.basic))
        let url = try #require(origin.secureOrigin)
        let authority = try TestCertificates.shared().authorityFile
        func session(_ password: String) -> String {
            """
            { tls: { caFile: \(authority) },
              proxy: { https: { url: "\(squid.url)", user: user, password: \(password) } } }
            """
        }
        let job = try JobFolder(
            """
            version: 1
            sessions:
              right: \(session(Squid.password))
              wrong: \(session("wr0ng-word"))
            data:
              first: { session: right, url: "\(url)/file.txt" }
              second: { session: wrong, url: "\(url)/file.txt", needs: [first] }
            """
        )
        let run = try job.run()
        #expect(run.outcome("first") == "succeeded")
        #expect(run.outcome("second") == "failed")
        #expect(try origin.requests().count == 1)
    }

    @Test(arguments: ["http", "https"])
    func `squid is used over TLS`(scheme: String) throws {
        let certificates = try TestCertificates.shared()
        let (origin, squid) = (try Self.origin(), try Squid(certificate: certificates.server))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let proxy = squid.url
        let job = try Self.job("{ \(scheme): \"\(proxy)\" }", url)
        let run = try job.run()
        try Self.expectDone(run, job)
        let first = try #require(run.exchanges("first").first)
        let isSecure = scheme == "https"
        // TLS with the proxy is a part of connecting; these dates are of TLS with the origin.
        #expect(first["secureConnectionStartDate"]?.isNull == !isSecure)
        #expect(first["negotiatedTLSProtocolVersion"]?.isNull == !isSecure)
        #expect(first["extension"]?["proxyTunnel"]?.isNull == !isSecure)
        #expect(first["extension"]?["proxy"]?.string == proxy)
        #expect(run.exchanges("second").first?["isReusedConnection"]?.bool == true)
    }

    @Test(arguments: ["http", "https"])
    func `an untrusted certificate of a proxy is the proxy's failure`(
        scheme: String
    ) throws {
        let certificates = try TestCertificates.shared()
        let (origin, squid) = (try Self.origin(), try Squid(certificate: certificates.expired))
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let proxy = squid.url
        let run = try Self.job("{ \(scheme): \"\(proxy)\" }", url).run()
        #expect(run.kind("first") == "tls")
        #expect(run.attempts("first").count == 1)
        let error = run.task("first")?["error"]
        #expect(error?["message"]?.string?.contains("the proxy \(proxy)") == true)
        #expect(error?["urlError"]?["name"]?.string == "serverCertificateHasBadDate")
        #expect(try origin.requests().isEmpty)
    }

    @Test func `a certificate of the origin behind a proxy is the origin's failure`() throws {
        let certificates = try TestCertificates.shared()
        let origin = try Nginx(certificate: certificates.expired)
        for squid in [try Squid(), try Squid(certificate: certificates.server)] {
            let proxy = squid.url
            let run = try Self.job("{ https: \"\(proxy)\" }", #require(origin.secureOrigin)).run()
            #expect(run.kind("first") == "tls")
            let message = run.task("first")?["error"]?["message"]?.string ?? ""
            #expect(message.contains("expired"))
            #expect(run.attempts("first").count == 1)
            #expect(!message.contains("proxy"))
        }
    }

    @Test func `squid forbids a tunnel for good`() throws {
        let (origin, squid) = (
            try Self.origin(),
            try Squid(rules: "acl tunnel method CONNECT\nhttp_access deny tunnel")
        )
        let run = try Self.job(
            "{ https: \"\(squid.url)\" }",
            #require(origin.secureOrigin)
        ).run()
        #expect(run.code == 1)
        #expect(run.attempts("first").count == 1)
        #expect(try squid.end().map(\.status) == [403])
        #expect(try origin.requests().isEmpty)
    }

    @Test(arguments: ["http", "https"])
    func `tinyproxy takes requests and makes tunnels`(scheme: String) throws {
        let (origin, proxy) = (try Self.origin(), try Tinyproxy())
        let url = scheme == "http" ? origin.origin : try #require(origin.secureOrigin)
        let job = try Self.job("{ \(scheme): \"\(proxy.url)\" }", url)
        let run = try job.run()
        try Self.expectDone(run, job)
        #expect(run.exchanges("first").first?["isProxyConnection"]?.bool == true)
    }

    // It takes SOCKS 4a for SOCKS 4.
    @Test(arguments: ["socks4", "socks5", "socks5h"], ["http", "https"])
    func `dante takes SOCKS 4 and 5`(kind: String, scheme: String) throws {
        let (origin, dante) = (try Self.origin(), try Dante())
        // SOCKS 4 knows no IPv6, which `localhost` may be, and dante is bound to 127.0.0.1.
        let url =
            scheme == "http"
            ? origin.origin : "https://127.0.0.1:\(try #require(origin.securePort))"
        let job = try Self.job("{ socks: \"\(kind)://\(dante.address)\" }", url)
        let run = try job.run()
        try Self.expectDone(run, job)
        let first = try #require(run.exchanges("first").first)
        #expect(first["isProxyConnection"]?.bool == true)
        #expect(first["remotePort"]?.integer == Int64(dante.port))
        #expect(first["extension"]?["proxyTunnel"]?.isNull == true)
        #expect(first["secureConnectionEndDate"]?.isNull == (scheme == "http"))
        #expect(run.exchanges("second").first?["isReusedConnection"]?.bool == true)
    }

    @Test func `dante rejects an unknown user`() throws {
        let (origin, dante) = (try Self.origin(), try Dante(wantsUser: true))
        let proxy = """
            { socks: { url: "socks5h://\(dante.address)", user: nobody-here, password: wr0ng-word } }
            """
        let run = try Self.job(proxy, origin.origin).run()
        #expect(run.kind("first") == "connect")
        #expect(run.attempts("first").count == 1)
        #expect(try origin.requests().isEmpty)
    }

    @Test(arguments: [
        "none", "{ http: \"http://proxy.invalid:1\" }",
        "{ http: \"http://127.0.0.1:1\", exceptions: [\"127.0.0.0/8\"] }",
    ])
    func `this machine is never reached by a proxy elsewhere`(
        proxy: String
    ) throws {
        let origin = try Self.origin()
        let job = try Self.job(proxy, origin.origin)
        let run = try job.run(environment: ["http_proxy": "http://127.0.0.1:1"])
        try Self.expectDone(run, job)
        #expect(run.exchanges("first").first?["isProxyConnection"]?.bool == false)
    }

    @Test func `a variable that names no proxy does not hold up a job with proxies of its own`()
        throws
    {
        let origin = try Self.origin()
        let job = try Self.job("none", origin.origin)
        try Self.expectDone(try job.run(environment: ["http_proxy": "ftp://proxy"]), job)
        let shared = try Self.job("environment", origin.origin)
        let refused = try shared.runCommand(environment: ["http_proxy": "ftp://u:p4ssword@proxy"])
            .run()
        #expect(refused.status == .exit(4))
        #expect(refused.standardError.contains("`http_proxy`"))
        #expect(!refused.standardError.contains("p4ssword"))
    }
}
