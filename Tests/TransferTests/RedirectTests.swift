import TestSupport
import Testing
import Transfer
import TransferModel

@Suite struct RedirectTests {
    @Test func `each hop is a transaction of its own`() throws {
        let server = try ScriptedServer([
            "/a": [.redirect(301, to: "/b")], "/b": [.redirect(307, to: "c")], "/c": [.ok("end")],
        ])
        let result = try EngineHarness().run(.to(server.url("/a")))
        #expect(result.failure == nil)
        #expect(result.redirectCount == 2)
        #expect(result.transactions.map(\.reason) == [.initial, .redirect, .redirect])
        #expect(result.transactions.compactMap(\.response?.statusCode) == [301, 307, 200])
        #expect(result.currentRequest.url == server.url("/c"))
    }

    @Test func `a record has the requested URL`() throws {
        let server = try ScriptedServer { _ in .ok("x") }
        let result = try EngineHarness().run(.to(server.url("/a/../b/./c?d=/../e#f")))
        #expect(result.transactions.first?.request.url == server.url("/b/c?d=/../e"))
        #expect(server.requests.map(\.target) == ["/b/c?d=/../e"])
    }

    @Test func `a redirect loop is a permanent failure`() throws {
        let server = try ScriptedServer(["/a": [.redirect(to: "/b")], "/b": [.redirect(to: "/a")]])
        let result = try EngineHarness().run(.to(server.url("/a")))
        #expect(result.failure?.kind == .redirectLimit)
        #expect(result.failure?.isPermanent == true)
        #expect(result.failure?.urlError?.code == -1007)
        #expect(server.requests.count == 2)
    }

    @Test func `no more redirects are followed than allowed`() throws {
        let server = try ScriptedServer { request in
            .redirect(to: "/\((Int(request.path.dropFirst()) ?? 0) + 1)")
        }
        let result = try EngineHarness().run(.to(server.url("/0")) { $0.redirects.maximum = 3 })
        #expect(result.failure?.kind == .redirectLimit)
        #expect(result.failure?.urlError?.code == -1007)
        #expect(server.requests.count == 4)
    }

    @Test func `only fields that cannot be secret cross to another origin`() throws {
        let other = try ScriptedServer(["/": [.ok("x")]])
        let server = try ScriptedServer(["/": [.redirect(to: other.url("/"))]])
        let kept = ["accept", "accept-language", "user-agent", "if-none-match", "cache-control"]
        let dropped = [
            "authorization", "cookie", "x-api-key", "idempotency-key", "referer", "content-type",
        ]
        let headers = (kept + dropped).map { HeaderField(name: $0, value: "v") }
        let result = try EngineHarness().run(.to(server.url("/"), headers: headers))
        #expect(result.failure == nil)
        let first = try #require(server.requests.first)
        let second = try #require(other.requests.first)
        for name in kept + dropped { #expect(first.headers[name] == "v", "\(name)") }
        for name in kept { #expect(second.headers[name] == "v", "\(name)") }
        for name in dropped { #expect(second.headers[name] == nil, "\(name)") }
    }

    @Test func `all fields follow a redirect within the origin`() throws {
        let server = try ScriptedServer(["/": [.redirect(to: "/b")], "/b": [.ok("x")]])
        let headers = ["authorization", "x-api-key"].map { HeaderField(name: $0, value: "v") }
        let result = try EngineHarness().run(.to(server.url("/"), headers: headers))
        #expect(result.failure == nil)
        #expect(server.requests.last?.headers["authorization"] == "v")
        #expect(server.requests.last?.headers["x-api-key"] == "v")
    }

    @Test func `user information in a Location is not sent`() throws {
        let server = try ScriptedServer { request in
            request.path == "/"
                ? .redirect(to: "http://me:secret@\(request.headers["host"] ?? "")/x") : .ok("x")
        }
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(server.requests.last?.headers["authorization"] == nil)
        #expect(result.currentRequest.url == server.url("/x"))
    }

    @Test(
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/x", "gopher://127.0.0.1/",
            "ftp://me:secret@127.0.0.1/x", "http://me:secret@127.0.0.1:99999/",
        ]
    )
    func `other schemes are not followed`(location: String) throws {
        let server = try ScriptedServer(["/": [.redirect(to: location)]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure?.kind == .redirectLimit)
        #expect(result.failure?.urlError == nil)
        #expect(result.failure?.detail.contains("secret") == false)
    }

    @Test func `a POST does not become a GET unless that is allowed`() throws {
        let server = try ScriptedServer(["/": [.redirect(302, to: "/b")], "/b": [.ok("x")]])
        let harness = try EngineHarness()
        let refused = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes([65]))
        )
        #expect(refused.failure?.kind == .redirectLimit)
        #expect(refused.failure?.urlError == nil)
        let allowed = try harness.run(
            .to(server.url("/"), method: "POST", body: .bytes([65])) {
                $0.redirects.allowMethodChange = true
            }
        )
        #expect(allowed.failure == nil)
        #expect(server.requests.last?.method == "GET")
        #expect(server.requests.last?.body == [])
        #expect(server.requests.last?.headers["content-length"] == nil)
    }

    @Test func `a 303 shows the result of a POST by GET`() throws {
        let server = try ScriptedServer(["/": [.redirect(303, to: "/b")], "/b": [.ok("x")]])
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "POST", body: .bytes([65]))
        )
        #expect(result.failure == nil)
        #expect(server.requests.map(\.method) == ["POST", "GET"])
    }

    @Test func `an order that was answered stays processed when its redirect fails`() throws {
        let closed = try ClosedPort()
        let server = try ScriptedServer(["/": [.redirect(303, to: closed.origin + "/result")]])
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "POST", body: .bytes([65]))
        )
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.isKnownUnprocessed == false)
        #expect(result.failure?.followsOrder == true)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        (301, "POST", true), (303, "POST", true), (307, "POST", false), (303, "PUT", false),
    ])
    func `a failure after an order's redirect says that the order was answered`(
        status: Int,
        method: String,
        followsOrder: Bool
    ) throws {
        let server = try ScriptedServer([
            "/": [.redirect(status, to: "/result")], "/result": [.status(429)],
        ])
        let result = try EngineHarness().run(
            .to(server.url("/"), method: method, body: .bytes([65])) {
                $0.redirects.allowMethodChange = true
            }
        )
        #expect(result.failure?.httpStatus == 429)
        #expect(result.failure?.followsOrder == followsOrder)
    }

    @Test func `an endless body of a redirect is given up`() throws {
        let head = "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n"
        let endless = Reply.Step.sendRepeatedly([UInt8](repeating: 65, count: 10_000), count: .max)
        let server = try ScriptedServer(["/": [.raw(head, then: [endless])]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure?.kind == .protocolViolation)
        #expect(server.requests.count == 1)
    }

    @Test func `waiting for a free connection behind a redirect is not silence`() throws {
        let slow = Reply.Step.drip([UInt8](repeating: 97, count: 40), every: .milliseconds(100))
        let target = try ScriptedServer([
            "/": [Reply([.send(Reply.head(200, ["Content-Length: 40"])), slow])]
        ])
        let one = try ScriptedServer(["/": [.redirect(to: target.url("/"))]])
        let two = try ScriptedServer(["/": [.redirect(to: target.url("/"))]])
        let harness = try EngineHarness { $0.httpMaximumConnectionsPerHost = 1 }
        let attempts = try [one, two].enumerated().map { key, server in
            try AttemptRequest.to(server.url("/"), key: key) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(2))
            }
        }
        let results = try harness.run(attempts)
        #expect(results.map(\.failure) == [nil, nil])
    }

    @Test func `a 307 sends a body again to its origin, never to another one`() throws {
        let other = try ScriptedServer(["/": [.ok("x")]])
        let server = try ScriptedServer([
            "/home": [.redirect(307, to: "/end")], "/end": [.ok("x")],
            "/away": [.redirect(307, to: other.url("/"))],
        ])
        let harness = try EngineHarness()
        let home = try harness.run(.to(server.url("/home"), method: "POST", body: .bytes([65])))
        #expect(home.failure == nil)
        #expect(server.requests(for: "/end").first?.body == [65])
        let away = try harness.run(.to(server.url("/away"), method: "POST", body: .bytes([65])))
        #expect(away.failure?.kind == .redirectLimit)
        #expect(other.requests.isEmpty)
    }

    @Test func `an unfollowed redirect is the result`() throws {
        let server = try ScriptedServer(["/": [.redirect(to: "/b")]])
        let result = try EngineHarness().run(
            .to(server.url("/")) {
                $0.redirects.follow = .never
                $0.expectation.statusCodes = [302...302]
            }
        )
        #expect(result.failure == nil)
        #expect(result.response?.statusCode == 302)
    }

    @Test func `sameOrigin stays at its origin`() throws {
        let other = try ScriptedServer(["/": [.ok("x")]])
        let server = try ScriptedServer(["/": [.redirect(to: other.url("/"))]])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.redirects.follow = .sameOrigin }
        )
        #expect(result.failure?.kind == .redirectLimit)
        #expect(other.requests.isEmpty)
    }
}
