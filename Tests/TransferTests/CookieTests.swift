import TestSupport
import Testing
import Transfer
import TransferModel

@Suite struct CookieTests {
    /// The `Cookie` of each request, in order.
    private func sent(to server: ScriptedServer) -> [String?] {
        server.requests.map { $0.headers["cookie"] }
    }

    @Test(arguments: [200, 204, 304, 400, 401, 404, 500, 503])
    func `a cookie of any response goes with the next request`(status: Int) throws {
        let server = try ScriptedServer([
            "/": [.status(status, ["Set-Cookie: a=1; HttpOnly"]), .ok("x")]
        ])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(server.url("/")))
        #expect(sent(to: server) == [nil, "a=1"])
    }

    @Test func `the report's request has the cookie that was sent`() throws {
        let server = try ScriptedServer(["/": [.ok("x", ["Set-Cookie: a=1"])]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.currentRequest.headers["cookie"] == "a=1")
        #expect(result.response?.fields["set-cookie"] == "a=1")
    }

    @Test func `each hop carries the cookies set so far for its own path`() throws {
        let server = try ScriptedServer([
            "/in": [
                .status(
                    302,
                    [
                        "Location: /app/a", "Set-Cookie: a=1; Path=/app", "SET-COOKIE: b=2; Path=/",
                        "Set-Cookie: c=3; Path=/in",
                    ]
                )
            ],
            "/app/a": [.status(302, ["Location: /out", "Set-Cookie: b=; Path=/; Max-Age=0"])],
            "/out": [.ok("x")],
        ])
        let result = try EngineHarness().run(.to(server.url("/in")))
        #expect(result.failure == nil)
        #expect(sent(to: server) == [nil, "a=1; b=2", nil])
    }

    @Test func `a gate that sets a cookie and sends back to itself is passed`() throws {
        let server = try ScriptedServer([
            "/gate": [.status(302, ["Location: /gate", "Set-Cookie: pass=1"]), .ok("inside")]
        ])
        let result = try EngineHarness().run(.to(server.url("/gate")))
        #expect(result.failure == nil)
        #expect(result.redirectCount == 1)
        #expect(sent(to: server) == [nil, "pass=1"])
    }

    @Test func `a gate that no cookie opens is a redirect loop`() throws {
        let server = try ScriptedServer([
            "/gate": [.status(302, ["Location: /gate", "Set-Cookie: pass=1"])]
        ])
        let result = try EngineHarness().run(.to(server.url("/gate")))
        #expect(result.failure?.kind == .redirectLimit)
        #expect(sent(to: server) == [nil, "pass=1"])
    }

    @Test func `cookies of informational responses and trailers are ignored`() throws {
        let head = "HTTP/1.1 103 Early Hints\r\nSet-Cookie: a=1\r\n\r\n"
        let body = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let end = "1\r\nx\r\n0\r\nSet-Cookie: b=2\r\n\r\n"
        let server = try ScriptedServer(["/": [.raw(head + body + end), .ok("x")]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(server.url("/")))
        #expect(sent(to: server) == [nil, nil])
    }

    // As in URLRequest.httpShouldHandleCookies.
    @Test func `a task's own Cookie replaces all cookies, and new ones are kept`() throws {
        let server = try ScriptedServer([
            "/": [.status(302, ["Location: /b", "Set-Cookie: a=1"])],
            "/b": [.ok("x", ["Set-Cookie: b=2"])], "/c": [.ok("x")],
        ])
        let harness = try EngineHarness()
        let own = HeaderField(name: "cookie", value: "mine=1")
        _ = try harness.run(.to(server.url("/"), headers: [own]))
        _ = try harness.run(.to(server.url("/c")))
        #expect(sent(to: server) == ["mine=1", "mine=1", "a=1; b=2"])
    }

    @Test(arguments: [true, false], HTTPCookieAcceptPolicy.allCases)
    func `sending and accepting cookies have separate settings`(
        sends: Bool,
        policy: HTTPCookieAcceptPolicy
    ) throws {
        let server = try ScriptedServer(["/": [.ok("x", ["Set-Cookie: a=1"])]])
        let harness = try EngineHarness {
            $0.httpShouldSetCookies = sends
            $0.httpCookieAcceptPolicy = policy
        }
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(server.url("/")))
        #expect(sent(to: server) == [nil, sends && policy != .never ? "a=1" : nil])
    }

    /// The first request goes to `127.0.0.1`; `localhost` is another site.
    @Test(arguments: [
        (HTTPCookieAcceptPolicy.always, "there=1"), (.onlyFromMainDocumentDomain, "none"),
        (.never, "none"),
    ])
    func `the target of a redirect is a third party`(
        policy: HTTPCookieAcceptPolicy,
        cookie: String
    ) throws {
        let other = try ScriptedServer(["/": [.ok("x", ["Set-Cookie: there=1"])]])
        let there = "http://localhost:\(other.port)/"
        let server = try ScriptedServer(["/": [.redirect(to: there)]])
        let harness = try EngineHarness { $0.httpCookieAcceptPolicy = policy }
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(server.url("/")))
        #expect(sent(to: other).map { $0 ?? "none" } == ["none", cookie])
    }

    @Test func `a cookie of a domain goes where a redirect leads within it`() throws {
        let other = try ScriptedServer(["/": [.ok("x")]])
        let there = "http://b.shop.localhost:\(other.port)/"
        let fields = ["Set-Cookie: all=1; Domain=shop.localhost", "Set-Cookie: own=2"]
        let server = try ScriptedServer([
            "/": [.status(302, ["Location: \(there)"] + fields)]
        ])
        let result = try EngineHarness().run(.to("http://a.shop.localhost:\(server.port)/"))
        #expect(result.failure == nil)
        #expect(sent(to: other) == ["all=1"])
    }

    @Test func `a host has its cookies on all ports that the job names`() throws {
        let other = try ScriptedServer(["/": [.ok("x")]])
        let server = try ScriptedServer(["/": [.ok("x", ["Set-Cookie: a=1"])]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(other.url("/")))
        #expect(sent(to: other) == ["a=1"])
    }

    @Test func `threads share a jar`() throws {
        let server = try ScriptedServer { request in
            .ok("x", ["Set-Cookie: n\(request.target.dropFirst())=1"])
        }
        let harness = try EngineHarness { $0.httpMaximumConnectionsPerHost = 16 }
        _ = try harness.run((0..<40).map { try .to(server.url("/\($0)"), key: $0) })
        _ = try harness.run(.to(server.url("/")))
        let last = try #require(sent(to: server).last ?? nil)
        #expect(Set(last.split(separator: "; ")) == Set((0..<40).map { "n\($0)=1" }))
    }

    @Test func `bytes beyond ASCII go back as they came, and line ends never come in`() throws {
        let server = try ScriptedServer([
            "/": [
                .ok(
                    "x",
                    ["Set-Cookie: a=\u{E4}\u{1F36A}", "Set-Cookie: b=1\r\n X-Injected: 1"]
                )
            ]
        ])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        _ = try harness.run(.to(server.url("/")))
        let request = try #require(server.requests.last)
        let cookie = try #require(request.headers.firstValue(of: "cookie"))
        #expect(Array(cookie) == Array("a=\u{E4}\u{1F36A}; b=1 X-Injected: 1".utf8))
        #expect(request.headers["x-injected"] == nil)
    }
}
