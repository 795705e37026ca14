import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Stored bodies that are read in steps, and files that have them already.
@Suite struct LongBodyTests {
    private static let body = String(repeating: "more than one step ", count: 150_000)

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func store() -> DiskStore {
        DiskStore(directory: folder.path("cache"), capacity: 1 << 26)
    }

    private func harness(_ store: DiskStore) throws -> EngineHarness {
        try EngineHarness(
            cache: HTTPCache(
                store: store,
                staleIfError: .seconds(600),
                fingerprint: { Engine.sha256(of: $0) }
            )
        )
    }

    private func attempt(
        _ url: String,
        ifExists: TaskSpec.IfExists = .revalidate,
        checksum: TaskSpec.ExpectedChecksum? = nil,
        _ change: (inout AttemptRequest) -> Void = { _ in }
    ) throws -> AttemptRequest {
        try .to(url) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(
                .init(
                    path: folder.path("out"),
                    displayPath: "out",
                    ifExists: ifExists,
                    checksum: checksum
                )
            )
            change(&$0)
        }
    }

    /// A server of one version, which says so.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            request.headers["if-none-match"] == nil
                ? .ok(Self.body, ["ETag: \"a\""]) : .status(304, ["ETag: \"a\""])
        }
    }

    private func damage(_ text: String) throws {
        let bodies = "cache/responses-1/bodies"
        let body = try #require(try folder.list(bodies).first)
        try folder.write(text, to: "\(bodies)/\(body)", mode: 0o600)
    }

    @Test(arguments: [true, false])
    func `a long file read delays no other transfer`(hasDeadline: Bool) throws {
        let server = try ScriptedServer { request in
            request.path == "/long" ? .status(304, ["ETag: \"a\""]) : .ok("content")
        }
        let store = store()
        let time = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        let response = StoredResponse(
            statusCode: 200,
            fields: HeaderFields([HeaderField(name: "ETag", value: "\"a\"")]),
            requestTime: time,
            responseTime: time,
            body: .init(length: 1 << 40, hash: 0)
        )
        let url = try TransferURL(server.url("/long"))
        let key = try #require(CacheKey(url) { Engine.sha256(of: $0) })
        #expect(store.add(response, .memory([]), for: key, of: time))
        let file = try folder.write("", to: "out")
        try #require(try Command("truncate", ["-s", "1T", file]).run().status == .exit(0))
        let harness = try harness(store)
        harness.engine.start([
            try attempt(url.text) {
                if hasDeadline {
                    $0.deadline = .init(nanoseconds: Clock.monotonicNanoseconds()) + .seconds(1)
                }
            }
        ])
        if hasDeadline {
            #expect(try harness.results(1).first?.failure?.kind == .timeout)
        } else {
            _ = try server.waitForRequests(1)
            // Others have their turn, on each of the threads.
            let others = try (1...16).map { try AttemptRequest.to(server.url("/\($0)"), key: $0) }
            #expect(try harness.run(others).allSatisfy { $0.failure == nil && $0.key > 0 })
            harness.engine.cancel([0])
            #expect(try harness.results(1).first?.failure?.kind == .cancelled)
        }
    }

    @Test func `a long file stays, and is replaced when it has changed`() throws {
        let server = try server()
        let harness = try harness(store())
        #expect(try harness.run(attempt(server.url("/a"))).cache?.storing == .stored)
        let digest = MessageDigestText.sha256(Self.body)
        let right = TaskSpec.ExpectedChecksum.digest(Checksum(.sha256, digest: digest))
        for checksum in [nil, right] {
            let kept = try harness.run(attempt(server.url("/a"), checksum: checksum))
            #expect(kept.isUnchanged)
            #expect(kept.failure == nil)
        }
        try folder.write(Self.body.uppercased(), to: "out")
        let replaced = try harness.run(attempt(server.url("/a")))
        #expect(replaced.cache?.outcome == .revalidated)
        #expect(!replaced.isUnchanged)
        #expect(try folder.text("out") == Self.body)
        let wrong = TaskSpec.ExpectedChecksum.digest(
            Checksum(.sha256, digest: [UInt8](repeating: 0, count: 32))
        )
        let refused = try harness.run(attempt(server.url("/a"), checksum: wrong))
        #expect(refused.failure?.kind == .integrity)
        #expect(try folder.text("out") == Self.body)
    }

    @Test func `a long stored file is checked against its expectations`() throws {
        let server = try server()
        let harness = try harness(store())
        _ = try harness.run(attempt(server.url("/a")))
        let kept = try harness.run(
            attempt(server.url("/a")) { $0.expectation.textEncoding = .utf8 }
        )
        #expect(kept.isUnchanged)
        #expect(kept.checks.contains { $0.passed })
    }

    @Test func `a long stored body that is damaged is fetched again`() throws {
        let server = try server()
        let harness = try harness(store())
        _ = try harness.run(attempt(server.url("/a"), ifExists: .replace))
        try damage(Self.body.uppercased())
        let again = try harness.run(attempt(server.url("/a"), ifExists: .replace))
        #expect(again.failure == nil)
        #expect(again.cache?.reason == .damaged)
        #expect(try folder.text("out") == Self.body)
    }

    @Test(arguments: [false, true])
    func `a damaged response is not used for a failing origin`(isLong: Bool) throws {
        let body = isLong ? Self.body : "short"
        let isDown = Lock(false)
        let server = try ScriptedServer { _ in
            isDown.withLock { $0 }
                ? .status(503) : .ok(body, ["ETag: \"a\"", "Cache-Control: max-age=0"])
        }
        let harness = try harness(store())
        _ = try harness.run(attempt(server.url("/a"), ifExists: .replace))
        isDown.withLock { $0 = true }
        let standIn = try harness.run(attempt(server.url("/a"), ifExists: .replace))
        #expect(standIn.cache?.reason == .staleIfError)
        try damage(body.uppercased())
        let refused = try harness.run(attempt(server.url("/a"), ifExists: .replace))
        #expect(refused.failure?.httpStatus == 503)
    }
}

/// The bytes of a digest.
private enum MessageDigestText {
    static func sha256(_ text: String) -> [UInt8] {
        let digits = Array((Engine.sha256(of: Array(text.utf8)) ?? "").utf8)
        return stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
        }
    }
}
