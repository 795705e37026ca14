import HTTPCache
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Attempts at an upload: their fields and requests, their other data, and the effects on the cache
/// and the record.
@Suite struct ResumableUploadTests: UploadSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: All is well

    @Test(arguments: Source.allCases)
    func `a server without resumption gets the body in one request`(source: Source) throws {
        let server = try UploadOrigin(.init { $0.isPlain = true })
        let results = try upload(server.url("/"), source)
        #expect(results.map(\.failure) == [nil])
        #expect(reasons(results) == ["initial"])
        #expect(results[0].response?.statusCode == 201)
        #expect(server.bodies.count == 1)
        if source != .multipart { #expect(server.bodies.isOnly(Self.body)) }
        #expect(server.requests[0].headers["Upload-Complete"] == "?1")
    }

    @Test(arguments: [3, 5, 6, 7, 8])
    func `a server with resumption that gets everything needs no more requests`(version: Int) throws
    {
        let server = try UploadOrigin(.init { $0.versions = [version] })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure) == [nil])
        #expect(server.bodies.isOnly(Self.body))
        #expect(server.outline == (version == 6 ? ["POST"] : ["POST", "POST"]))
        #expect(reasons(results) == [version == 6 ? "initial" : "initial transparentRetry"])
    }

    // RFC 9111 §4.4
    @Test func `a resumed upload invalidates stored responses of its URL`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 500_000)] })
        let store = MemoryStore(capacity: 1 << 20)
        let cache = HTTPCache(store: store, fingerprint: { Engine.sha256(of: $0) })
        let draft = cache.draft(
            of: ResponseHead(
                statusCode: 200,
                fields: HeaderFields([HeaderField(name: "ETag", value: "\"a\"")])
            ),
            to: CacheRequest(method: "GET", url: try TransferURL(server.url("/")), fields: []),
            requestTime: Timestamp(microseconds: 0),
            responseTime: Timestamp(microseconds: 0),
            length: 0
        )
        #expect(try draft.get().commit())
        let results = try upload(server.url("/"), harness: EngineHarness(stores: [store]))
        #expect(results.count == 2)
        #expect(results.last?.failure == nil)
        #expect(store.isEmpty)
    }

    @Test func `an agreed version is used at once the next time`() throws {
        let server = try UploadOrigin(.init { $0.versions = [3] })
        let harness = try EngineHarness()
        for _ in 0..<2 { _ = try upload(server.url("/"), harness: harness) }
        #expect(
            server.requests.map { $0.headers["Upload-Draft-Interop-Version"] } == ["6", "3", "3"]
        )
    }

    @Test(arguments: [3, 5, 7, 8])
    func `a server that ignores a version gets another one the next time`(
        version: Int
    ) throws {
        let server = try UploadOrigin(
            .init {
                $0.isSilent = true; $0.versions = [version]
            }
        )
        let harness = try EngineHarness()
        for _ in 0..<6 { _ = try upload(server.url("/"), harness: harness) }
        let asked = server.requests.compactMap {
            $0.headers["Upload-Draft-Interop-Version"].flatMap { Int($0) }
        }
        let order = [6, 8, 3, 5, 7]
        let tried = Array(order.prefix { $0 != version })
        #expect(asked == tried + Array(repeating: version, count: 6 - tried.count))
        #expect(server.bodies.count == 6)
    }

    @Test func `a 104 in another version makes the next request use that version`() throws {
        let server = try UploadOrigin(
            .init {
                $0.informalFields = ["Upload-Draft-Interop-Version: 8", "Location: /upload/1"]
                $0.versions = [6, 8]
                $0.faults = [0: .cut(after: 0)]
            }
        )
        let harness = try EngineHarness()
        let first = try upload(server.url("/"), harness: harness)
        #expect(first.map(\.resume?.upload?.partial) == [nil])
        _ = try upload(server.url("/"), harness: harness)
        let asked = server.requests.map { $0.headers["Upload-Draft-Interop-Version"] }
        #expect(asked == ["6", "8"])
    }

    @Test func `a server without a common version gets a plain upload`() throws {
        let server = try UploadOrigin(.init { $0.versions = [9] })
        let harness = try EngineHarness()
        let results = try (0..<2).flatMap { _ in try upload(server.url("/"), harness: harness) }
        #expect(results.map(\.failure) == [nil, nil])
        #expect(
            server.requests.map { $0.headers["Upload-Draft-Interop-Version"] } == ["6", nil, nil]
        )
        #expect(server.requests.last?.headers["Upload-Complete"] == nil)
        #expect(server.bodies.count == 2)
    }

    @Test(arguments: [
        HeaderField(name: "Upload-Complete", value: "?1"),
        HeaderField(name: "Content-Range", value: "bytes 0-1/2"),
    ])
    func `a job with upload fields of its own is sent unchanged`(field: HeaderField) throws {
        let server = try UploadOrigin()
        let results = try upload(server.url("/")) { $0.request.headers.append(field) }
        #expect(results.map(\.failure) == [nil])
        #expect(server.requests[0].headers["Upload-Draft-Interop-Version"] == nil)
    }

    @Test func `a small body is sent without resumption fields`() throws {
        let server = try UploadOrigin()
        let harness = try EngineHarness()
        var attempt = try AttemptRequest.to(
            server.url("/"),
            method: "POST",
            body: .bytes(Array("small".utf8))
        )
        attempt.upload = .init(id: "a", isKept: true)
        #expect(try harness.run(attempt).failure == nil)
        #expect(server.requests[0].headers["Upload-Draft-Interop-Version"] == nil)
    }

    // MARK: What goes along

    @Test func `each request has the session's and the task's fields, and none about the body`()
        throws
    {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 1000)] })
        let results = try upload(server.url("/")) {
            $0.request.headers = [
                HeaderField(name: "Expect", value: "100-continue"),
                HeaderField(name: "Authorization", value: "Bearer x"),
                HeaderField(name: "X-Tenant", value: "t"),
                HeaderField(name: "Content-Type", value: "video/mp4"),
                HeaderField(name: "Content-Language", value: "en"),
                HeaderField(name: "Idempotency-Key", value: "\"k\""),
                HeaderField(name: "If-Match", value: "\"e\""),
            ]
        }
        #expect(results.last?.failure == nil)
        let (head, patch) = (server.requests[1], server.requests[2])
        for request in [head, patch] {
            #expect(request.headers["Authorization"] == "Bearer x")
            #expect(request.headers["X-Tenant"] == "t")
            #expect(request.headers["Upload-Draft-Interop-Version"] == "6")
            for name in ["Content-Language", "Idempotency-Key", "If-Match", "Expect"] {
                #expect(request.headers[name] == nil)
            }
        }
        #expect(head.headers["Content-Type"] == nil)
        #expect(patch.headers["Content-Type"] == "application/partial-upload")
        // None is sent over one that the server may be about to end.
        #expect(Set(server.requests.map(\.connection)).count == 3)
    }

    @Test func `credentials are presented at each request`() throws {
        let server = try UploadOrigin(
            .init {
                $0.isPrivate = true
                $0.faults = [0: .cut(after: 1000)]
            }
        )
        let login = Login(user: "me", password: Secret("you"))
        let origin = try TransferURL(server.origin).origin
        let harness = try EngineHarness { session in
            session.credentials = [
                Credential(space: .init(scope: .origin(origin)), proof: .basic(login))
            ]
        }
        let results = try upload(server.url("/"), harness: harness)
        #expect(results.last?.failure == nil)
        let shown = server.requests.map { $0.headers["Authorization"] != nil }
        #expect(shown.last == true)
        #expect(server.outline == ["POST", "HEAD", "HEAD", "PATCH 1000"])
    }

    @Test func `a file that has changed meanwhile is another upload`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 1_000_000)] })
        let other = Self.body.map { ~$0 }
        let results = try upload(server.url("/")) { attempt in
            if attempt.number == 2 { try folder.write(other, to: "body") }
        }
        #expect(results.last?.failure == nil)
        #expect(server.outline == ["POST", "HEAD", "DELETE", "POST"])
        #expect(reasons(results).last == "uploadOffset uploadCancel restart")
        #expect(server.bodies.isOnly(other))
    }

    // RFC 9111 §4.4
    @Test(arguments: [UploadOrigin.Fault.cut(after: 1000), .loseAnswer])
    func `a resumed upload invalidates earlier responses of its URL`(
        fault: UploadOrigin.Fault
    ) throws {
        let server = try UploadOrigin(
            .init {
                $0.faults = [1: fault]
                $0.status = 200
                $0.fields = ["Cache-Control: max-age=600"]
            }
        )
        let harness = try EngineHarness(
            cache: HTTPCache(
                store: MemoryStore(capacity: 1 << 20),
                fingerprint: { Engine.sha256(of: $0) }
            )
        )
        func look() throws -> [TransactionMetrics.ResourceFetchType] {
            var attempt = try AttemptRequest.to(server.url("/files"))
            attempt.cachePolicy = .useProtocolCachePolicy
            return try harness.run(attempt).transactions.map(\.resourceFetchType)
        }
        #expect(try look() == [.networkLoad])
        let results = try upload(server.url("/files"), harness: harness) {
            $0.cachePolicy = .useProtocolCachePolicy
            // The first attempt, whose response was lost, invalidates nothing.
            guard $0.number == 2 else { return }
            let types = try look()
            #expect(types == [.localCache])
        }
        #expect(results.map { $0.failure == nil } == [false, true])
        #expect(try look() == [.networkLoad])
    }

    @Test func `of an upload in many parts the first and the last exchanges are kept`() throws {
        let server = try UploadOrigin(.init { $0.limit = 1 << 16 })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure) == [nil])
        #expect(server.bodies.isOnly(Self.body))
        // 413, and a HEAD before each of the parts.
        #expect(server.requests.count == 1 + 2 * 48)
        let kept = results[0].transactions
        #expect(kept.count == 64)
        #expect(results[0].omittedTransactions == server.requests.count - 64)
        #expect(kept.first?.reason == .initial)
        #expect(kept.last?.response?.statusCode == 201)
        #expect(zip(kept, kept.dropFirst()).allSatisfy { $0.fetchStartDate <= $1.fetchStartDate })
    }

    @Test func `a 104 has the server's offset in the record`() throws {
        let server = try UploadOrigin(
            .init {
                $0.informalFields = [
                    "Upload-Draft-Interop-Version: 6", "Location: /upload/1", "Upload-Offset: 12",
                ]
            }
        )
        let results = try upload(server.url("/"))
        let informed = results[0].transactions[0].informationalResponses
        #expect(informed.map(\.statusCode) == [104, 100])
        #expect(informed.map(\.uploadOffset) == [12, nil])
        #expect(informed.allSatisfy { $0.fields.isEmpty })
    }
}
