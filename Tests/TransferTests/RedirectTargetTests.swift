import TestSupport
import Testing
import Transfer
import TransferModel

/// The next request after a redirect that stays at its origin.
@Suite struct RedirectTargetTests {
    /// Answers `/a/b/c` with a redirect and everything else with 200.
    private func answering(_ fields: [String], status: Int = 302) throws -> ScriptedServer {
        try ScriptedServer { $0.path == "/a/b/c" ? .status(status, fields) : .ok("end") }
    }

    // RFC 3986 §5.4.
    @Test(arguments: [
        ("d", "/a/b/d"), ("./d", "/a/b/d"), ("../d", "/a/d"), ("../../../d", "/d"), ("/d", "/d"),
        ("/d/../e/./f", "/e/f"), ("?y=2", "/a/b/c?y=2"), ("d?y=/../2", "/a/b/d?y=/../2"),
        ("d#part", "/a/b/d"), ("d e", "/a/b/d%20e"), ("d%20e%2F", "/a/b/d%20e%2F"),
        ("\u{E4}", "/a/b/%c3%a4"),
    ])
    func `a reference is resolved against the requested URL`(
        location: String,
        target: String
    ) throws {
        let server = try ScriptedServer { request in
            request.target == "/a/b/c?x=1" ? .redirect(to: location) : .ok("end")
        }
        let result = try EngineHarness().run(.to(server.url("/a/b/c?x=1")))
        #expect(result.failure == nil)
        #expect(server.requests.last?.target.lowercased() == target.lowercased())
    }

    @Test func `a byte that is not UTF-8 is escaped as it is`() throws {
        let server = try ScriptedServer { request in
            let head = Array("HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: caf".utf8)
            return request.path == "/a"
                ? Reply([.send(head + [0xE9] + "\r\n\r\n".utf8)]) : .ok("end")
        }
        let result = try EngineHarness().run(.to(server.url("/a")))
        #expect(result.failure == nil)
        #expect(server.requests.last?.target.lowercased() == "/caf%e9")
    }

    @Test(arguments: [("d", "/a/b/d"), ("?y", "/a/b/c?y"), ("../d", "/a/d")])
    func `a fragment with slashes is no part of the base`(
        location: String,
        target: String
    ) throws {
        let server = try ScriptedServer { request in
            request.target == "/a/b/c" ? .redirect(to: location) : .ok("end")
        }
        let result = try EngineHarness().run(.to(server.url("/a/b/c#/x/../y")))
        #expect(result.failure == nil)
        #expect(server.requests.last?.target == target)
    }

    // RFC 9110 §10.2.2.
    @Test(arguments: [("d", "#top"), ("d#part", "#part")])
    func `a fragment is inherited unless the redirect has one`(
        location: String,
        fragment: String
    ) throws {
        let server = try answering(["Location: \(location)"])
        let result = try EngineHarness().run(.to(server.url("/a/b/c#top")))
        #expect(result.failure == nil)
        #expect(result.currentRequest.url == server.url("/a/b/d" + fragment))
        #expect(server.requests.map(\.target) == ["/a/b/c", "/a/b/d"])
    }

    @Test(arguments: ["#part", "c#part", "./c", "/a/./b/c"])
    func `a redirect to itself is a loop with any fragment`(location: String) throws {
        let server = try answering(["Location: \(location)"])
        let result = try EngineHarness().run(.to(server.url("/a/b/c")))
        #expect(result.failure?.urlError?.code == -1007)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        ["Location: d", "Location: e"], ["Location: http://"],
        ["Location: //"], ["Location: http://127.0.0.1:0/"], ["Location: http://[::1/"],
        ["Location: http://a b/"],
    ])
    func `without exactly one usable Location no redirect is followed`(fields: [String]) throws {
        let server = try answering(fields)
        let result = try EngineHarness().run(.to(server.url("/a/b/c")))
        #expect(result.failure?.kind == .redirectLimit)
        #expect(result.failure?.isPermanent == true)
        #expect(server.requests.count == 1)
    }

    @Test func `two equal Location fields count as one`() throws {
        let server = try answering(["Location: d", "location: d"])
        let result = try EngineHarness().run(.to(server.url("/a/b/c")))
        #expect(result.failure == nil)
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func `a redirect without a Location is the result`(status: Int) throws {
        let server = try answering([], status: status)
        let result = try EngineHarness().run(.to(server.url("/a/b/c")))
        #expect(result.failure?.kind == .httpStatus)
        #expect(result.response?.statusCode == status)
    }

    @Test(arguments: [201, 300, 305, 306, 399, 401, 503])
    func `other statuses are not followed`(status: Int) throws {
        let server = try answering(["Location: d"], status: status)
        _ = try EngineHarness().run(.to(server.url("/a/b/c")))
        #expect(server.requests.count == 1)
    }

    // RFC 9110 §15.4.
    @Test(arguments: [
        (301, "GET", "GET"), (301, "HEAD", "HEAD"), (301, "POST", "GET"), (301, "PUT", "PUT"),
        (301, "DELETE", "DELETE"), (302, "POST", "GET"), (302, "PATCH", "PATCH"),
        (302, "OPTIONS", "OPTIONS"), (303, "GET", "GET"), (303, "HEAD", "HEAD"),
        (303, "POST", "GET"), (303, "PUT", "GET"), (303, "DELETE", "GET"), (307, "GET", "GET"),
        (307, "POST", "POST"), (307, "DELETE", "DELETE"), (308, "POST", "POST"),
        (308, "PUT", "PUT"), (308, "PATCH", "PATCH"), (308, "HEAD", "HEAD"),
    ])
    func `the status determines the next method, and a kept body keeps its fields`(
        status: Int,
        method: String,
        next: String
    ) throws {
        let server = try answering(["Location: d"], status: status)
        let hasBody = ["POST", "PUT", "PATCH"].contains(method)
        let about = ["content-type", "content-language", "content-encoding", "digest"]
        let headers = (about + ["x-other"]).map { HeaderField(name: $0, value: "v") }
        let body: BodySource? = hasBody ? .bytes(Array("the body".utf8)) : nil
        let result = try EngineHarness().run(
            .to(server.url("/a/b/c"), method: method, headers: headers, body: body) {
                $0.redirects.allowMethodChange = true
            }
        )
        #expect(result.failure == nil)
        let last = try #require(server.requests.last)
        #expect(last.method == next)
        let keepsBody = hasBody && next == method
        #expect(last.text == (keepsBody ? "the body" : ""))
        for name in about where hasBody {
            #expect(last.headers[name] == (keepsBody ? "v" : nil), "\(name)")
        }
        #expect(last.headers["x-other"] == "v")
        #expect(result.transactions.map(\.request.method) == [method, next])
    }

    @Test func `a file is sent from its beginning again`() throws {
        let folder = try TemporaryFolder()
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let path = try folder.write(bytes, to: "body")
        let server = try answering(["Location: d"], status: 307)
        let result = try EngineHarness().run(
            .to(server.url("/a/b/c"), method: "PUT", body: .file(path: path))
        )
        #expect(result.failure == nil)
        #expect(server.requests.map { $0.body == bytes } == [true, true])
    }

    @Test func `no redirect is taken where none is allowed`() throws {
        let server = try answering(["Location: d"])
        let result = try EngineHarness().run(
            .to(server.url("/a/b/c")) { $0.redirects.maximum = 0 }
        )
        #expect(result.failure?.urlError?.code == -1007)
        #expect(server.requests.count == 1)
    }

    @Test func `a redirect from https to http sends nothing there`() throws {
        let plain = try ScriptedServer(["/end": [.ok("end")]])
        let nginx = try Nginx(
            certificate: TestCertificates.shared().server,
            locations: "location = /down { return 302 \(plain.url("/end")); }"
        )
        let authority = try TestCertificates.shared().authorityFile
        let origin = try #require(nginx.secureOrigin)
        let result = try EngineHarness { $0.tls.caFile = authority }.run(.to(origin + "/down"))
        #expect(result.failure?.kind == .redirectLimit)
        #expect(result.response?.statusCode == 302)
        #expect(plain.requests.isEmpty)
    }
}
