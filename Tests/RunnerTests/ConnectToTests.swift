import TestSupport
import Testing
import TransferModel

/// Sessions that reach the hosts of their URLs at other servers.
@Suite struct ConnectToTests {
    private static func job(_ rules: String, _ url: String, _ more: String = "") throws -> JobFolder
    {
        try JobFolder(
            """
            version: 1
            sessions:
              s:
                connectTo: \(rules)
                \(more)
            data: { a: { url: "\(url)", retry: { attempts: 1 } } }
            """
        )
    }

    private static func port(of origin: String) throws -> Substring {
        try #require(origin.split(separator: ":").last)
    }

    @Test(arguments: ["", "proxy: { http: \"http://127.0.0.1:1\" }"])
    func `a request to another server has the name of its URL, and no proxy`(more: String) throws {
        let server = try ScriptedServer(["/x": [.ok("text"), .ok("text")]])
        let port = try Self.port(of: server.origin)
        let job = try Self.job(
            "[{ host: Shop.invalid, to: \"127.0.0.1:\(port)\" }]",
            "http://shop.invalid/x",
            more
        )
        let run = try job.run(environment: ["http_proxy": "http://127.0.0.1:1"])
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map { $0.headers["Host"] } == ["shop.invalid"])
        let exchange = run.exchanges("a").first
        #expect(exchange?["remoteAddress"]?.string == "127.0.0.1")
        #expect(exchange?["request"]?["url"]?.string == "http://shop.invalid/x")
    }

    @Test func `the certificate is checked against the name of the URL`() throws {
        let certificates = try TestCertificates.shared()
        for (identity, isTrusted) in [
            (certificates.wrongHost, true), (certificates.server, false),
        ] {
            let nginx = try Nginx(certificate: identity)
            try nginx.root.write("text", to: "x")
            let port = try Self.port(of: #require(nginx.secureOrigin))
            let job = try Self.job(
                "[{ host: other.invalid, port: 443, to: \"127.0.0.1:\(port)\" }]",
                "https://other.invalid/x",
                "tls: { caFile: \(certificates.authorityFile) }"
            )
            let run = try job.run()
            #expect((run.code == 0) == isTrusted, "\(run.command.standardError)")
            if !isTrusted { #expect(run.kind("a") == "tls") }
        }
    }

    @Test func `the first entry for the port of a URL applies, and its port may stay`() throws {
        let server = try ScriptedServer(["/x": [.ok("text")]])
        let port = try Self.port(of: server.origin)
        let job = try Self.job(
            """
            [{ host: shop.invalid, port: 81, to: "127.0.0.1:1" }, { host: shop.invalid, to: localhost },
                  { host: shop.invalid, to: "127.0.0.1:1" }]
            """,
            "http://shop.invalid:\(port)/x"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map { $0.headers["Host"] } == ["shop.invalid:\(port)"])
    }

    @Test func `a server that does not answer is named in the failure`() throws {
        let job = try Self.job("[{ host: shop.invalid, to: 127.0.0.1 }]", "http://shop.invalid:1/")
        let run = try job.run()
        #expect(run.kind("a") == "connect")
        #expect(run.task("a")?["error"]?["message"]?.string?.contains("127.0.0.1") == true)
    }
}
