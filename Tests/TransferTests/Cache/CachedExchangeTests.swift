import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// What an attempt makes of stored responses.
@Suite struct CachedExchangeTests {
    private static let fresh = "Cache-Control: max-age=600"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(hiding secret: String? = nil) -> HTTPCache {
        var findSecret: SecretFinder?
        if let secret { findSecret = { text in text.contains(secret) ? 0 : nil } }
        return HTTPCache(
            store: DiskStore(directory: folder.path("cache"), capacity: 1 << 26),
            fingerprint: { Engine.sha256(of: $0) },
            findSecret: findSecret
        )
    }

    /// An attempt that takes part in caching and keeps the body as `out`.
    private func attempt(
        _ url: String,
        method: String = "GET",
        headers: [HeaderField] = [],
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> AttemptRequest {
        try .to(url, method: method, headers: headers) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(.init(path: folder.path("out"), displayPath: "out"))
            change(&$0)
        }
    }

    private func types(_ result: AttemptResult) -> [TransactionMetrics.ResourceFetchType] {
        result.transactions.map(\.resourceFetchType)
    }

    @Test func `each hop of a redirect may come from the cache`() throws {
        let server = try ScriptedServer([
            "/a": [.status(301, ["Location: b?x", Self.fresh])],
            "/b": [.ok("content", [Self.fresh])],
        ])
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let second = try harness.run(attempt(server.url("/a")))
        #expect(second.failure == nil)
        #expect(types(second) == [.localCache, .localCache])
        #expect(second.transactions.map(\.reason) == [.cacheHit, .redirect])
        #expect(second.redirectCount == 1)
        #expect(second.currentRequest.url == server.url("/b?x"))
        #expect(try folder.text("out") == "content")
        #expect(server.requests.count == 2)
    }

    // RFC 9110 §14.2
    @Test func `a range is answered out of a whole response`() throws {
        let server = try ScriptedServer { _ in .ok("0123456789", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let range = [HeaderField(name: "Range", value: "bytes=2-4")]
        let part = try harness.run(attempt(server.url("/a"), headers: range))
        #expect(part.failure == nil)
        #expect(part.response?.statusCode == 206)
        #expect(part.response?.fields["content-range"] == "bytes 2-4/10")
        #expect(try folder.text("out") == "234")
        #expect(server.requests.count == 1)
    }

    @Test func `a HEAD is answered out of the response to a GET, without its body`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let head = try harness.run(attempt(server.url("/a"), method: "HEAD") { $0.sink = .memory })
        #expect(head.failure == nil)
        #expect(types(head) == [.localCache])
        #expect(head.response?.fields["content-length"] == "7")
        #expect(head.transactions[0].countOfResponseBodyBytesAfterDecoding == 0)
    }

    @Test func `a coded body is stored as it was sent and decoded each time`() throws {
        let coded = try #require(Gzip.compress(Array("content".utf8)))
        let server = try ScriptedServer { _ in
            .ok(coded, [Self.fresh, "Content-Encoding: gzip", "Vary: Accept-Encoding"])
        }
        let harness = try EngineHarness(cache: cache())
        for _ in 0..<2 {
            let result = try harness.run(attempt(server.url("/a")) { $0.decodesBody = true })
            #expect(result.failure == nil)
            #expect(try folder.text("out") == "content")
        }
        #expect(server.requests.count == 1)
        // Who asks for another coding is not answered by this one.
        _ = try harness.run(attempt(server.url("/a")))
        #expect(server.requests.count == 2)
    }

    @Test func `a damaged body is fetched anew`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let bodies = "cache/responses-1/bodies"
        let body = try #require(try folder.list(bodies).first)
        try folder.write("cOntent", to: "\(bodies)/\(body)", mode: 0o600)
        let second = try harness.run(attempt(server.url("/a")))
        #expect(second.cache == CacheVerdict(.miss, .damaged, storing: .stored))
        #expect(try folder.text("out") == "content")
        #expect(try harness.run(attempt(server.url("/a"))).cache?.outcome == .hit)
    }

    // RFC 9111 §4.3.4
    @Test func `a confirmation of another response has everything fetched`() throws {
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == nil
                ? .ok("content", ["ETag: \"a\"", "Cache-Control: max-age=0"])
                : .status(304, ["ETag: \"b\""])
        }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let second = try harness.run(attempt(server.url("/a")))
        #expect(second.failure == nil)
        #expect(second.transactions.map(\.reason) == [.revalidation, .restart])
        #expect(second.cache?.reason == .changed)
        #expect(try folder.text("out") == "content")
    }

    @Test func `a large body goes through the cache whole`() throws {
        let body = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 / 3) }
        let server = try ScriptedServer { _ in .ok(body, [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        for _ in 0..<2 {
            #expect(try harness.run(attempt(server.url("/a"))).failure == nil)
            #expect(try folder.read("out") == body)
        }
        #expect(server.requests.count == 1)
    }

    @Test(arguments: ["/a?key=hidden", "/b"])
    func `what has a secret in its URL or its fields is not stored`(path: String) throws {
        let server = try ScriptedServer { request in
            .ok("content", [Self.fresh] + (request.path == "/b" ? ["Echo: a hidden one"] : []))
        }
        let harness = try EngineHarness(cache: cache(hiding: "hidden"))
        for _ in 0..<2 {
            #expect(
                try harness.run(attempt(server.url(path))).cache?.storing == .secret
                    || path == "/a?key=hidden"
            )
        }
        #expect(server.requests.count == 2)
        #expect(!folder.contains("cache"))
    }

    @Test func `a body that ends with its connection is not stored`() throws {
        let head = "HTTP/1.1 200 OK\r\n\(Self.fresh)\r\n\r\ncontent"
        let server = try ScriptedServer { _ in .raw(head, then: [.close]) }
        let harness = try EngineHarness(cache: cache())
        #expect(
            try harness.run(attempt(server.url("/a"))).cache?.storing == .incomplete
        )
        _ = try harness.run(attempt(server.url("/a")))
        #expect(server.requests.count == 2)
    }

    @Test func `attempts that ask for one URL at once are answered by one request`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        let results = try harness.run(
            try (0..<20).map { number in
                try attempt(server.url("/a")) {
                    $0.key = number
                    $0.sink = .memory
                }
            }
        )
        #expect(results.allSatisfy { $0.failure == nil })
        #expect(results.count { $0.cache?.outcome == .hit } == 19)
        #expect(server.requests.count == 1)
    }

    @Test func `what cannot be stored is asked for by everybody`() throws {
        let server = try ScriptedServer { _ in .ok("content") }
        let harness = try EngineHarness(cache: cache())
        let results = try harness.run(
            try (0..<20).map { number in
                try attempt(server.url("/a")) {
                    $0.key = number
                    $0.sink = .memory
                }
            }
        )
        #expect(results.allSatisfy { $0.failure == nil })
        #expect(server.requests.count == 20)
    }

    @Test func `who waits for another attempt can be cancelled`() throws {
        let gate = try Gate()
        let begun = try Gate()
        let server = try ScriptedServer { _ in
            Reply([.open(begun), .wait(gate)]) + Reply.ok("content", [Self.fresh]).steps
        }
        let harness = try EngineHarness(cache: cache())
        let attempts = try (0..<2).map { number in
            try attempt(server.url("/a")) {
                $0.key = number
                $0.sink = .memory
            }
        }
        harness.engine.start(attempts)
        try begun.wait()
        harness.engine.cancel([1])
        let cancelled = try harness.results(1)
        #expect(cancelled.first?.key == 1)
        #expect(cancelled.first?.failure?.kind == .cancelled)
        gate.open()
        #expect(try harness.results(1).first?.failure == nil)
    }

    // RFC 9110 §9.3.3
    @Test func `the answer to a POST is for those who are known by the same cookies`() throws {
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
    @Test func `a session without a cache makes untrue what others have stored`() throws {
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

    @Test func `a file that is to have another mode is replaced`() throws {
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
    func `what is stored answers although a part was left`(policy: RequestCachePolicy) throws {
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

    @Test func `without a stored response a part is gone on with`() throws {
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

    @Test func `few stale responses are refreshed at once`() throws {
        let stale = "Cache-Control: max-age=0, stale-while-revalidate=600"
        let gate = try Gate()
        let running = Lock(0)
        let most = Lock(0)
        let server = try ScriptedServer { request in
            if request.path == "/gate" { gate.open() }
            guard request.headers["if-none-match"] != nil else {
                return .ok("content", [stale, "ETag: \"a\""])
            }
            let count = running.withLock { running in
                running += 1
                return running
            }
            most.withLock { $0 = max($0, count) }
            try? gate.wait()
            running.withLock { $0 -= 1 }
            return .status(304, ["ETag: \"a\""])
        }
        let cache = cache()
        do {
            let harness = try EngineHarness(
                { $0.httpMaximumConnectionsPerHost = 100 },
                cache: cache
            )
            let attempts = try (0..<32).map { number in
                try attempt(server.url("/\(number)")) {
                    $0.key = number
                    $0.sink = .memory
                }
            }
            _ = try harness.run(attempts)
            let stale = try harness.run(attempts)
            #expect(stale.allSatisfy { $0.cache?.reason == .staleWhileRevalidate })
            _ = try harness.run(attempt(server.url("/gate")) { $0.sink = .memory })
        }
        // All the same each of them is, before the engine has ended.
        #expect(server.requests.count == 65)
        #expect(most.withLock { $0 } <= 8)
    }

    @Test func `a repeated attempt does not take what the first one could not use`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let again = try harness.run(attempt(server.url("/a")) { $0.ignoresStored = true })
        #expect(again.cache == CacheVerdict(.bypassed, .repeated, storing: .stored))
        #expect(server.requests.count == 2)
    }
}
