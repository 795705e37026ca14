import HTTPCache
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Stored redirects to targets that do not exist, or not any more.
@Suite struct StoredRedirectTests {
    private static let fresh = "Cache-Control: max-age=600"

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func harness() throws -> EngineHarness {
        try EngineHarness(
            cache: HTTPCache(
                store: DiskStore(directory: folder.path("cache"), capacity: 1 << 24),
                fingerprint: { Engine.sha256(of: $0) }
            )
        )
    }

    private func attempt(_ url: String, checksum: TaskSpec.ExpectedChecksum? = nil) throws
        -> AttemptRequest
    {
        try .to(url) {
            $0.cachePolicy = .useProtocolCachePolicy
            $0.sink = .file(
                .init(path: folder.path("out"), displayPath: "out", checksum: checksum)
            )
        }
    }

    @Test func `a stored redirect to a missing target is requested again`() throws {
        let isMoved = Lock(false)
        let server = try ScriptedServer { request in
            let isMoved = isMoved.withLock { $0 }
            return switch request.path {
            case "/r": .status(302, ["Location: \(isMoved ? "/new" : "/old")", Self.fresh])
            case "/old" where isMoved: .status(404)
            default: .ok(request.path)
            }
        }
        let harness = try harness()
        #expect(try harness.run(attempt(server.url("/r"))).failure == nil)
        isMoved.withLock { $0 = true }
        #expect(try harness.run(attempt(server.url("/r"))).failure?.httpStatus == 404)
        #expect(try harness.run(attempt(server.url("/r"))).failure == nil)
        #expect(try folder.text("out") == "/new")
    }

    @Test func `a stored redirect to a wrong file is requested again`() throws {
        let server = try ScriptedServer { request in
            request.path == "/r" ? .status(302, ["Location: /a", Self.fresh]) : .ok("content")
        }
        let harness = try harness()
        #expect(try harness.run(attempt(server.url("/r"))).failure == nil)
        let digest = [UInt8](repeating: 0, count: 32)
        let checksum = TaskSpec.ExpectedChecksum.digest(
            Checksum(.sha256, digest: digest)
        )
        for _ in 0..<2 {
            let result = try harness.run(attempt(server.url("/r"), checksum: checksum))
            #expect(result.failure?.kind == .integrity)
        }
        #expect(server.requests(for: "/r").count == 2)
    }

    @Test func `a cached loop of redirects is requested again`() throws {
        let isMended = Lock(false)
        let server = try ScriptedServer { _ in
            isMended.withLock { $0 }
                ? .ok("content") : .status(301, ["Location: /c", Self.fresh])
        }
        let harness = try harness()
        #expect(try harness.run(attempt(server.url("/c"))).failure?.kind == .redirectLimit)
        isMended.withLock { $0 = true }
        #expect(try harness.run(attempt(server.url("/c"))).failure == nil)
    }
}
