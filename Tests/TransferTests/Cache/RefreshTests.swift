import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Stored responses that are asked for again because they were used although they were stale.
// RFC 5861 §3
@Suite struct RefreshTests {
    private static let stale = "Cache-Control: max-age=0, stale-while-revalidate=600"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func cache() -> HTTPCache { .roomy(in: folder) }

    private func attempt(_ url: String, key: Int = 0) throws -> AttemptRequest {
        try .to(url, key: key) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(.init(path: folder.path("out-\(key)"), displayPath: "out"))
        }
    }

    @Test func `a refreshed response is refreshed again on its next use`() throws {
        let count = Lock(0)
        let server = try ScriptedServer { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return .ok("v\(number)", [Self.stale])
        }
        let harness = try EngineHarness(cache: cache())
        _ = try harness.run(attempt(server.url("/a")))
        repeat {
            _ = try harness.run(attempt(server.url("/a")))
        } while try folder.text("out-0") == "v1"
        // The last one was stale, too.
        _ = try server.waitForRequests(3)
    }

    @Test func `few stale responses are refreshed at once`() throws {
        let gate = try Gate()
        let running = Lock(0)
        let most = Lock(0)
        let server = try ScriptedServer { request in
            if request.path == "/gate" { gate.open() }
            guard request.headers["if-none-match"] != nil else {
                return .ok("content", [Self.stale, "ETag: \"a\""])
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
                try attempt(server.url("/\(number)"), key: number)
            }
            _ = try harness.run(attempts)
            let stale = try harness.run(attempts)
            #expect(stale.allSatisfy { $0.cache?.reason == .staleWhileRevalidate })
            _ = try harness.run(attempt(server.url("/gate")))
        }
        // All the same each of them is, before the engine has ended.
        #expect(server.requests.count == 65)
        #expect(most.withLock { $0 } <= 8)
    }
}
