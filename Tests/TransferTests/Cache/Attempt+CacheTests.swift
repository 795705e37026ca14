import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Attempts that may use stored responses, and the effects on their results.
@Suite struct AttemptCacheTests: CacheSuite {
    private static let fresh = "Cache-Control: max-age=600"

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache() -> HTTPCache { .roomy(in: folder) }

    // RFC 9110 §9.3.3
    @Test func `the response to a POST serves requests with the same cookies`() throws {
        let server = try ScriptedServer { request in
            request.path == "/login"
                ? .ok("", ["Set-Cookie: sid=alice"])
                : .ok("content", [Self.fresh, "Content-Location: /me"])
        }
        let cache = cache()
        let alice = try EngineHarness(cache: cache)
        _ = try alice.run(attempt(server.url("/login")) { $0.sink = .memory })
        let posted = try alice.run(attempt(server.url("/me"), method: "POST") { $0.sink = .memory })
        #expect(posted.cache?.storing == .stored)
        #expect(try alice.run(attempt(server.url("/me"))).cache?.outcome == .hit)
        let anonymous = try EngineHarness(cache: cache).run(attempt(server.url("/me")))
        #expect(anonymous.cache?.reason == .otherVariant)
    }

    // RFC 9111 §4.4
    @Test func `a session without a cache invalidates responses of other sessions`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let store = DiskStore(directory: folder.path("cache"), capacity: 1 << 24)
        let cache = HTTPCache(store: store, fingerprint: { Engine.sha256(of: $0) })
        let reader = try EngineHarness(cache: cache)
        _ = try reader.run(attempt(server.url("/a")))
        #expect(try reader.run(attempt(server.url("/a"))).cache?.outcome == .hit)
        let writer = try EngineHarness(stores: [store])
        _ = try writer.run(.to(server.url("/a"), method: "PUT", body: .bytes([1])))
        #expect(try reader.run(attempt(server.url("/a"))).cache?.reason == .notStored)
    }

    @Test func `a file with another mode is replaced`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        func revalidate(_ mode: UInt16?) throws -> AttemptResult {
            try harness.run(
                attempt(server.url("/a")) {
                    $0.sink = .file(
                        .init(
                            path: folder.path("out"),
                            displayPath: "out",
                            ifExists: .revalidate,
                            mode: mode
                        )
                    )
                }
            )
        }
        _ = try revalidate(nil)
        #expect(try revalidate(nil).isUnchanged)
        #expect(try !revalidate(0o600).isUnchanged)
        #expect(try folder.mode(of: "out") == 0o600)
        #expect(try revalidate(0o600).isUnchanged)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        RequestCachePolicy.useProtocolCachePolicy, .returnCacheDataElseLoad,
        .returnCacheDataDontLoad,
    ])
    func `a stored response is used in spite of a partial file`(policy: RequestCachePolicy) throws {
        let body = String(repeating: "content", count: 300_000)
        let head =
            "HTTP/1.1 200 OK\r\nETag: \"a\"\r\n\(Self.fresh)\r\nContent-Length: 2100000\r\n\r\n"
        let server = try ScriptedServer([
            "/a": [.raw(head + body), .raw(head + body.dropLast(500_000), then: [.close])]
        ])
        let cache = cache()
        func run(_ policy: RequestCachePolicy?) throws -> AttemptResult {
            try EngineHarness(cache: cache).run(
                attempt(server.url("/a")) {
                    $0.cachePolicy = policy
                    $0.sink = .file(
                        .init(
                            path: folder.path("out"),
                            displayPath: "out",
                            resume: .acrossRuns
                        )
                    )
                }
            )
        }
        _ = try run(.useProtocolCachePolicy)
        #expect(try run(nil).failure != nil)
        #expect(folder.contains(".out.part"))
        try folder.write("", to: "out")
        let result = try run(policy)
        #expect(result.failure == nil)
        #expect(result.cache?.outcome == .hit)
        #expect(try folder.text("out") == body)
        #expect(server.requests.count == 2)
    }

    @Test func `a partial file is resumed without a stored response`() throws {
        let body = String(repeating: "content", count: 300_000)
        let head = "HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 2100000\r\n\r\n"
        let server = try ScriptedServer { request in
            guard let range = request.headers["range"] else {
                return .raw(head + body.dropLast(500_000), then: [.close])
            }
            let start = Int(range.filter(\.isNumber)) ?? 0
            return .status(
                206,
                ["ETag: \"a\"", "Content-Range: bytes \(start)-2099999/2100000"],
                text: String(body.dropFirst(start))
            )
        }
        let cache = cache()
        func run() throws -> AttemptResult {
            try EngineHarness(cache: cache).run(
                attempt(server.url("/a")) {
                    $0.sink = .file(
                        .init(
                            path: folder.path("out"),
                            displayPath: "out",
                            resume: .acrossRuns
                        )
                    )
                }
            )
        }
        #expect(try run().failure != nil)
        let second = try run()
        #expect(second.failure == nil)
        #expect(second.response?.statusCode == 206)
        #expect(try folder.text("out") == body)
        #expect(try run().cache?.reason == .notStored)
    }

    @Test func `a restarted download does not use an older stored response`()
        throws
    {
        let body = { @Sendable (version: Int) in String(repeating: "\(version)", count: 2_000_000) }
        let version = Lock(1)
        let server = try ScriptedServer { request in
            let version = version.withLock { $0 }
            let fields = ["ETag: \"\(version)\"", Self.fresh]
            guard version == 2 else { return .ok(body(version), fields) }
            let head = Reply.head(200, fields + ["Content-Length: 2000000"])
            return Reply([.send(head + Array(body(2).dropLast(500_000).utf8)), .close])
        }
        let cache = cache()
        func run(_ policy: RequestCachePolicy) throws -> AttemptResult {
            try EngineHarness(cache: cache).run(
                attempt(server.url("/a")) {
                    $0.cachePolicy = policy
                    $0.sink = .file(
                        .init(
                            path: folder.path("out"),
                            displayPath: "out",
                            ifExists: .revalidate,
                            resume: .acrossRuns
                        )
                    )
                }
            )
        }
        #expect(try run(.useProtocolCachePolicy).cache?.storing == .stored)
        version.withLock { $0 = 2 }
        #expect(try run(.reloadIgnoringLocalCacheData).failure != nil)
        #expect(folder.contains(".out.part"))
        version.withLock { $0 = 3 }
        #expect(try run(.reloadIgnoringLocalCacheData).failure == nil)
        #expect(server.requests.last?.headers["if-range"] == "\"2\"")
        #expect(try run(.useProtocolCachePolicy).failure == nil)
        #expect(try folder.text("out") == body(3))
    }

    @Test func `a response that failed a check is not used from the cache again`() throws {
        let server = try ScriptedServer { _ in
            .ok("<p>", [Self.fresh, "Content-Type: text/html"])
        }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        for count in [1, 2] {
            let result = try harness.run(
                attempt(server.url("/a")) { $0.expectation.mimeTypes = ["application/json"] }
            )
            #expect(result.failure?.kind == .mimeType)
            #expect(server.requests.count == count)
        }
    }

    // RFC 5861 §3
    @Test func `a stale response to a range is refreshed as a whole`() throws {
        let stale = "Cache-Control: max-age=0, stale-while-revalidate=600"
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == nil
                ? .ok("0123456789", [stale, "ETag: \"a\""]) : .status(304, ["ETag: \"a\""])
        }
        let cache = cache()
        do {
            let harness = try EngineHarness(cache: cache)
            _ = try harness.run(attempt(server.url("/a")))
            let range = [HeaderField(name: "Range", value: "bytes=2-4")]
            let part = try harness.run(attempt(server.url("/a"), headers: range))
            #expect(part.cache?.reason == .staleWhileRevalidate)
            #expect(try folder.text("out") == "234")
        }
        #expect(server.requests.count == 2)
        #expect(server.requests.last?.headers["range"] == nil)
        #expect(server.requests.last?.headers["if-none-match"] == "\"a\"")
    }

    // RFC 9111 §4.1
    @Test func `a response is selected by the cookies that came with a challenge`() throws {
        let server = try ScriptedServer { request in
            request.headers["authorization"] == nil
                ? .status(401, ["WWW-Authenticate: Basic realm=\"r\"", "Set-Cookie: sid=alice"])
                : .ok(request.headers["cookie"] ?? "", [Self.fresh, "Vary: Cookie"])
        }
        let origin = try TransferURL(server.url("/a")).origin
        func configure(_ session: inout SessionConfiguration) {
            session.credentials = [
                Credential(
                    space: ProtectionSpace(scope: .origin(origin)),
                    proof: .basic(Login(user: "u", password: Secret("p")))
                )
            ]
        }
        let cache = cache()
        let first = try EngineHarness(configure, cache: cache).run(attempt(server.url("/a")))
        #expect(first.cache?.storing == .stored)
        #expect(try folder.text("out") == "sid=alice")
        let other = try EngineHarness(configure, cache: cache)
        #expect(try other.run(attempt(server.url("/a"))).cache?.reason == .otherVariant)
    }

    @Test(arguments: [true, false])
    func `returnCacheDataDontLoad sends no request`(isDamaged: Bool) throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        var condition: [HeaderField] = []
        if isDamaged {
            let bodies = "cache/responses-1/bodies"
            let body = try #require(try folder.list(bodies).first)
            try folder.write("cOntent", to: "\(bodies)/\(body)", mode: 0o600)
        } else {
            condition = [HeaderField(name: "If-Match", value: "\"b\"")]
        }
        let result = try harness.run(
            attempt(server.url("/a"), headers: condition) {
                $0.cachePolicy = .returnCacheDataDontLoad
            }
        )
        #expect(result.failure?.kind == .cache)
        #expect(server.requests.count == 1)
    }

    @Test func `a link to the content is replaced by it`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        let target = try folder.write("content", to: "target")
        _ = try harness.run(attempt(server.url("/a")) { $0.sink = .memory })
        try folder.link("out", to: target)
        for isUnchanged in [false, true] {
            let result = try harness.run(
                attempt(server.url("/a")) {
                    $0.sink = .file(
                        .init(
                            path: folder.path("out"),
                            displayPath: "out",
                            ifExists: .revalidate
                        )
                    )
                }
            )
            #expect(result.isUnchanged == isUnchanged)
        }
    }

    @Test func `a failing origin invalidates nothing`() throws {
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == nil
                ? .ok("content", ["ETag: \"a\"", "Cache-Control: max-age=0"]) : .status(503)
        }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        #expect(try harness.run(attempt(server.url("/a"))).cache?.reason == .expired)
    }
}
