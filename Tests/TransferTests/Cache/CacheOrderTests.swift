import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Requests that run while another one changes what they ask for.
// RFC 9111 §4.4
@Suite struct CacheOrderTests {
    private static let fresh = "Cache-Control: max-age=600"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func attempt(_ url: String, key: Int) throws -> AttemptRequest {
        try .to(url, key: key) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(.init(path: folder.path("out-\(key)"), displayPath: "out"))
        }
    }

    @Test(arguments: [true, false])
    func `a request after an order gets no response from before it`(isOnDisk: Bool) throws {
        let begun = try Gate()
        let gate = try Gate()
        let isChanged = Lock(false)
        let server = try ScriptedServer { request in
            if request.method == "PUT" {
                isChanged.withLock { $0 = true }
                return .status(204)
            }
            if isChanged.withLock({ $0 }) { return .ok("new", [Self.fresh]) }
            let head = Reply.head(200, ["Content-Length: 3", Self.fresh])
            return Reply([.send(head), .open(begun), .wait(gate), .send(Array("old".utf8))])
        }
        let store: any CacheStore =
            isOnDisk
            ? DiskStore(directory: folder.path("cache"), capacity: 1 << 24)
            : MemoryStore(capacity: 1 << 24)
        let cache = HTTPCache(store: store, fingerprint: { Engine.sha256(of: $0) })
        let harness = try EngineHarness(cache: cache)
        harness.engine.start([try attempt(server.url("/a"), key: 0)])
        try begun.wait()
        _ = try harness.run(.to(server.url("/a"), key: 1, method: "PUT", body: .bytes([1])))
        // It does not wait for the one that began before.
        let after = try harness.run(attempt(server.url("/a"), key: 2))
        #expect(after.cache?.storing == .stored)
        #expect(try folder.text("out-2") == "new")
        gate.open()
        let before = try #require(try harness.results(1).first)
        #expect(before.failure == nil)
        #expect(try folder.text("out-0") == "old")
        let last = try harness.run(attempt(server.url("/a"), key: 3))
        #expect(last.cache?.outcome == .hit)
        #expect(try folder.text("out-3") == "new")
    }
}
