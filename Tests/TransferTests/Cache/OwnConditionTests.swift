import HTTPCache
import TestSupport
import Testing
import Transfer
import TransferModel

/// Requests with conditions and ranges of their own, answered from the store.
@Suite struct OwnConditionTests: CacheSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func answer(_ name: String, _ value: String, _ others: [HeaderField] = []) throws -> (
        AttemptResult, requests: Int
    ) {
        let server = try ScriptedServer { _ in
            .ok("content", ["ETag: \"a\"", "Cache-Control: max-age=600"])
        }
        let harness = try EngineHarness(cache: .roomy(in: folder))
        _ = try harness.run(attempt(server.url("/a")) { $0.sink = .memory })
        let headers = [HeaderField(name: name, value: value)] + others
        let result = try harness.run(
            attempt(server.url("/a"), headers: headers) { $0.sink = .memory }
        )
        return (result, server.requests.count)
    }

    // RFC 9111 §4.3.2
    @Test func `a fresh response with the task's validator is a 304 without a request`() throws {
        let (result, requests) = try answer("If-None-Match", "\"a\"")
        #expect(result.response?.statusCode == 304)
        #expect(result.cache?.outcome == .hit)
        #expect(requests == 1)
    }

    // RFC 9111 §4.3.2
    @Test func `a fresh response with another validator is served whole`() throws {
        let (result, requests) = try answer("If-None-Match", "\"b\"")
        #expect(result.response?.statusCode == 200)
        #expect(result.cache?.outcome == .hit)
        #expect(result.failure == nil)
        #expect(requests == 1)
    }

    // RFC 9110 §13.1.5
    @Test(arguments: [("\"a\"", 206), ("\"b\"", 200)])
    func `If-Range is evaluated against the stored response`(tag: String, status: Int) throws {
        let range = [HeaderField(name: "Range", value: "bytes=2-4")]
        let (result, requests) = try answer("If-Range", tag, range)
        #expect(result.response?.statusCode == status)
        #expect(result.cache?.outcome == .hit)
        #expect(requests == 1)
    }
}
