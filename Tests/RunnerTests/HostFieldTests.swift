import TestSupport
import Testing
import TransferModel

/// Requests with a `Host` of the job.
@Suite struct HostFieldTests {
    @Test func `a Host field goes on the wire as given, and cookies stay with the URL's host`()
        throws
    {
        let server = try ScriptedServer { request in
            .ok("text", request.path == "/a" ? ["Set-Cookie: id=4711; Path=/"] : [])
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: "\(server.origin)/a", headers: { host: "Shop.example:8443" } }
              b: { url: "\(server.origin)/b", headers: { Host: blog.example }, needs: [a] }
              c: { url: "\(server.origin)/c", needs: [b] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let own = String(server.origin.dropFirst("http://".count))
        #expect(
            server.requests.map { $0.headers.values(of: "host") } == [
                ["Shop.example:8443"], ["blog.example"], [own],
            ]
        )
        #expect(server.requests.map { $0.headers["cookie"] } == [nil, "id=4711", "id=4711"])
        #expect(run.exchanges("a").first?["request"]?["url"]?.string == server.url("/a"))
    }

    @Test func `a redirect to another origin takes no Host field along`() throws {
        let other = try ScriptedServer { _ in .ok("end") }
        let server = try ScriptedServer { request in
            let target = request.path == "/a" ? "/b" : other.url("/c")
            return .status(302, ["Location: \(target)"])
        }
        let job = try JobFolder(
            """
            version: 1
            data: { a: { url: "\(server.origin)/a", headers: { Host: shop.example } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map { $0.headers["host"] } == ["shop.example", "shop.example"])
        #expect(other.requests.map { $0.headers["host"] } == ["127.0.0.1:\(other.port)"])
    }

    @Test(arguments: ["1.1", "2"])
    func `a Host field chooses the site over TLS, in every version of HTTP`(version: String) throws
    {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: #"location /site { return 200 "$host $server_protocol"; }"#
        )
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { httpVersion: "\(version)", tls: { caFile: \(certificates.authorityFile) } } }
            data:
              a: { url: "\(try #require(nginx.secureOrigin))/site", headers: { Host: shop.example }, responseTo: out }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let spoken = version == "2" ? "2.0" : version
        #expect(try job.folder.text("out") == "shop.example HTTP/\(spoken)")
    }

    @Test func `the opening handshake of a WebSocket has the job's Host alone`() throws {
        let server = try ScriptedWebSocketServer { _, _ in
            .open(.init(ServerFrame.text("hello")), lines: [])
        }
        let job = try JobFolder(
            """
            version: 1
            webSockets:
              a: { url: "\(server.origin)/", headers: { Host: shop.example }, steps: [receive: {}] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.visits.map { $0.headers.values(of: "host") } == [["shop.example"]])
    }
}
