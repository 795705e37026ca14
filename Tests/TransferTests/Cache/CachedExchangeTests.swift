import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Attempts that use stored responses.
@Suite struct CachedExchangeTests: CacheSuite {
    private static let fresh = "Cache-Control: max-age=600"

    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache(hiding secret: String? = nil) -> HTTPCache {
        var findSecret: SecretFinder?
        if let secret { findSecret = { text in text.contains(secret) ? 0 : nil } }
        return HTTPCache(
            store: DiskStore(directory: folder.path("cache"), capacity: 1 << 24),
            fingerprint: { Engine.sha256(of: $0) },
            findSecret: findSecret
        )
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
    @Test func `a range is served from a whole stored response`() throws {
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

    @Test func `a HEAD uses the stored response to a GET, without its body`() throws {
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
        // This response does not serve a request with another coding.
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
    @Test func `a confirmation of another response leads to a full request`() throws {
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
    func `a response with a secret in its URL or fields is not stored`(path: String) throws {
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

    @Test func `simultaneous attempts for one URL share one request`() throws {
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

    @Test func `attempts for an unstorable response each send a request`() throws {
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

    @Test func `an attempt that waits for another one can be cancelled`() throws {
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

    @Test func `a repeated attempt does not use the failed stored response`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.fresh]) }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        let again = try harness.run(attempt(server.url("/a")) { $0.ignoresStored = true })
        #expect(again.cache == CacheVerdict(.bypassed, .repeated, storing: .stored))
        #expect(server.requests.count == 2)
    }
}
