import HTTPCache
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Attempts at an upload, one after the other, as long as each has left something to go on with.
@Suite struct ResumableUploadTests {
    private static let size = 3 << 20
    private static let body = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// How a body comes to the engine.
    enum Source: String, CaseIterable, Sendable {
        case file, bytes, multipart
    }

    private func source(_ source: Source) throws -> BodySource {
        switch source {
        case .bytes: return .bytes(Self.body)
        case .file: return .file(path: try folder.write(Self.body, to: "body"))
        case .multipart:
            let path = try folder.write(Self.body, to: "body")
            return .multipart([
                BodyPart(name: "a", content: .bytes(Array("text".utf8))),
                BodyPart(name: "b", fileName: "body", content: .file(path: path)),
            ])
        }
    }

    /// Makes attempts until one succeeds or has left nothing to go on with.
    private func upload(
        _ url: String,
        _ source: Source = .file,
        method: String = "POST",
        most: Int = 5,
        harness: EngineHarness? = nil,
        _ change: (inout AttemptRequest) throws -> Void = { _ in }
    ) throws -> [AttemptResult] {
        let harness = try harness ?? EngineHarness()
        let body = try self.source(source)
        var partial: PartialUpload?
        var results: [AttemptResult] = []
        while results.count < most {
            var attempt = try AttemptRequest.to(url, method: method, body: body)
            attempt.number = results.count + 1
            attempt.upload = .init(id: "a", isKept: false, partial: partial)
            attempt.requiresFreshConnection = true
            // So that the 104 is heard before a cut: the body waits for what comes behind it.
            attempt.request.headers = [HeaderField(name: "Expect", value: "100-continue")]
            try change(&attempt)
            let result = try harness.run(attempt)
            results.append(result)
            partial = result.resume?.upload?.partial
            if result.failure == nil || partial == nil { break }
        }
        return results
    }

    private func reasons(_ results: [AttemptResult]) -> [String] {
        results.map { $0.transactions.map(\.reason.rawValue).joined(separator: " ") }
    }

    // MARK: All is well

    @Test(arguments: Source.allCases)
    func `a server that does not know of it gets the body in one request`(source: Source) throws {
        let server = try UploadOrigin(.init { $0.isPlain = true })
        let results = try upload(server.url("/"), source)
        #expect(results.map(\.failure) == [nil])
        #expect(reasons(results) == ["initial"])
        #expect(results[0].response?.statusCode == 201)
        #expect(server.bodies.count == 1)
        if source != .multipart { #expect(server.bodies.isOnly(Self.body)) }
        #expect(server.requests[0].headers["Upload-Complete"] == "?1")
    }

    @Test(arguments: [3, 5, 6])
    func `a server that offers it and gets all is done`(version: Int) throws {
        let server = try UploadOrigin(.init { $0.versions = [version] })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure) == [nil])
        #expect(server.bodies.isOnly(Self.body))
        #expect(server.outline == (version == 6 ? ["POST"] : ["POST", "POST"]))
        #expect(reasons(results) == [version == 6 ? "initial" : "initial transparentRetry"])
    }

    // RFC 9111 §4.4
    @Test func `what is gone on with makes untrue what is stored of the upload's URL`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 500_000)] })
        let store = MemoryStore(capacity: 1 << 20)
        let cache = HTTPCache(store: store, fingerprint: { Engine.sha256(of: $0) })
        let draft = cache.draft(
            of: ResponseHead(
                statusCode: 200,
                fields: HeaderFields([HeaderField(name: "ETag", value: "\"a\"")])
            ),
            to: CacheRequest(method: "GET", url: try HTTPURL(server.url("/")), fields: []),
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

    @Test func `a version that was agreed on is asked for at once the next time`() throws {
        let server = try UploadOrigin(.init { $0.versions = [3] })
        let harness = try EngineHarness()
        for _ in 0..<2 { _ = try upload(server.url("/"), harness: harness) }
        #expect(
            server.requests.map { $0.headers["Upload-Draft-Interop-Version"] } == ["6", "3", "3"]
        )
    }

    @Test func `a server that speaks none of ours is asked plainly`() throws {
        let server = try UploadOrigin(.init { $0.versions = [7] })
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
    func `a job that speaks it itself is not meddled with`(field: HeaderField) throws {
        let server = try UploadOrigin()
        let results = try upload(server.url("/")) { $0.request.headers.append(field) }
        #expect(results.map(\.failure) == [nil])
        #expect(server.requests[0].headers["Upload-Draft-Interop-Version"] == nil)
    }

    @Test func `a small body is sent without any of it`() throws {
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

    // MARK: Cuts

    @Test(arguments: Source.allCases, [0, 1, 1_000_000, 3_000_000])
    func `what was cut goes on where the server is`(source: Source, count: Int) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: count)] })
        let results = try upload(server.url("/"), source)
        #expect(results.map(\.failure?.kind) == [.reset, nil])
        #expect(reasons(results) == ["initial", "uploadOffset uploadAppend"])
        #expect(server.outline == ["POST", "HEAD", "PATCH \(count)"])
        #expect(server.bodies.count == 1)
        if source != .multipart { #expect(server.bodies.isOnly(Self.body)) }
        let body = try #require(server.bodies.first)
        #expect(body.suffix(1000) == Self.body.suffix(1000) || source == .multipart)
        let outcome = try #require(results[1].resume?.upload)
        #expect(outcome.resumedFrom == (count == 0 ? nil : Int64(count)))
        #expect(outcome.sentEnd == Int64(body.count))
        #expect(results[1].countOfBytesExpectedToSend == Int64(body.count))
    }

    @Test(arguments: [3, 5, 6])
    func `cut again and again, each version arrives once and whole`(version: Int) throws {
        let server = try UploadOrigin(
            .init {
                $0.versions = [version]
                let first = version == 6 ? 0 : 1
                $0.faults = [first: .cut(after: 500_000)]
                for number in 1..<4 { $0.faults[first + number * 2] = .cut(after: 400_000) }
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.count == 5)
        #expect(results.last?.failure == nil)
        #expect(server.bodies.isOnly(Self.body))
        #expect(
            results.compactMap { $0.resume?.upload?.partial?.confirmed }
                == [0, 500_000, 900_000, 1_300_000]
        )
    }

    @Test func `cut at random bytes, it arrives once and whole, and little is sent twice`() throws {
        var generator = SplitMix64(seed: 11)
        for _ in 0..<8 {
            var cuts: [Int: UploadOrigin.Fault] = [:]
            for number in stride(from: 0, to: 8, by: 2) {
                cuts[number] = .cut(after: Int.random(in: 0...800_000, using: &generator))
            }
            // The first request has no HEAD before it.
            let faults = cuts.reduce(into: [:]) { $0[$1.key == 0 ? 0 : $1.key] = $1.value }
            let server = try UploadOrigin(.init { $0.faults = faults })
            let source = Source.allCases.randomElement(using: &generator) ?? .file
            let results = try upload(server.url("/"), source, most: 10)
            #expect(results.last?.failure == nil)
            #expect(server.bodies.count == 1)
            if source != .multipart { #expect(server.bodies.isOnly(Self.body)) }
        }
    }

    @Test func `a boundary stays the same`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 2_000_000)] })
        let results = try upload(server.url("/"), .multipart)
        #expect(results.last?.failure == nil)
        let type = try #require(server.requests[0].headers["Content-Type"])
        let boundary = try #require(type.split(separator: "=").last)
        let body = try #require(server.bodies.first)
        let text = String(decoding: body.filter { $0 < 0x80 }, as: UTF8.self)
        #expect(text.hasPrefix("--\(boundary)\r\n"))
        #expect(text.hasSuffix("--\(boundary)--\r\n"))
        #expect(body.firstRange(of: Self.body) != nil)
    }

    @Test func `a cut before the server has named the upload leaves nothing to go on with`() throws
    {
        let server = try UploadOrigin(
            .init {
                $0.informs = false
                $0.faults = [0: .cut(after: 1_000_000)]
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.kind) == [.reset])
        #expect(server.outline == ["POST"])
    }

    @Test(arguments: [500, 503, 429])
    func `a failing server is asked again where it was`(status: Int) throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .fail(status, after: 1_000_000), 1: .answer(status)] }
        )
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [status, status, nil])
        #expect(server.outline == ["POST", "HEAD", "HEAD", "PATCH 1000000"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test(arguments: [400, 403, 404, 422, 501])
    func `a refusal is the answer`(status: Int) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .fail(status, after: 1000)] })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [status])
        #expect(server.outline == ["POST"])
    }

    // MARK: The answer

    @Test func `a lost answer to all of it is a success without a response`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let results = try upload(server.url("/"))
        #expect(results.map { $0.failure == nil } == [false, true])
        #expect(results[1].response == nil)
        #expect(server.outline == ["POST", "HEAD"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test func `where something is expected of it, a lost answer is a failure`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let results = try upload(server.url("/")) { $0.expectation.mimeTypes = ["text/plain"] }
        #expect(results.count == 2)
        #expect(results[1].failure?.kind == .truncated)
        #expect(results[1].resume?.upload?.partial == nil)
    }

    @Test func `an application that failed on all of it is not asked for the same`() throws {
        // The status came, and says that it is not the answer that was lost.
        let server = try UploadOrigin(.init { $0.status = 503 })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [503])
        #expect(server.outline == ["POST"])
    }

    @Test func `the answer to the last part is the task's`() throws {
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .cut(after: 5)]
                $0.fields = ["Content-Type: text/plain", "X-Id: 7"]
            }
        )
        let out = folder.path("answer")
        let results = try upload(server.url("/")) {
            $0.expectation.mimeTypes = ["text/plain"]
            $0.sink = .file(.init(path: out, displayPath: "answer"))
        }
        #expect(results.last?.failure == nil)
        #expect(results.last?.response?.fields["X-Id"] == "7")
        #expect(try folder.text("answer") == "\(Self.size)")
        #expect(results.last?.file?.resumedFrom == nil)
    }

    @Test func `what the upload's URL is stays out of the record`() throws {
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .cut(after: 5)]
                $0.fields = ["Location: /upload/1"]
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        for exchange in results.flatMap(\.transactions) {
            #expect(!exchange.request.url.contains("upload/1"))
            #expect(exchange.response?.fields["location"]?.contains("upload/1") != true)
        }
        #expect(results.last?.response?.fields["location"] == "\(server.origin)/<redacted>")
    }

    // MARK: Wrong servers

    @Test(arguments: [0, 999_999, 4_000_000])
    func `a lie about the offset ends the upload, which is given up`(offset: Int) throws {
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .cut(after: 1_000_000), 2: .cut(after: 1000), 3: .claim(offset)]
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.kind) == [.reset, .reset, .protocolViolation])
        #expect(server.outline == ["POST", "HEAD", "PATCH 1000000", "HEAD", "DELETE"])
        #expect(
            results[2].transactions.map(\.reason) == [.uploadOffset, .uploadCancel]
        )
        #expect(results[2].resume?.upload?.partial == nil)
    }

    @Test func `a conflict is asked about once more`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 1_000_000), 2: .answer(409)] }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        #expect(
            server.outline == ["POST", "HEAD", "PATCH 1000000", "HEAD", "PATCH 1000000"]
        )
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test func `an upload that is gone begins anew`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 1_000_000), 1: .forget] }
        )
        let results = try upload(server.url("/"), method: "PUT")
        #expect(results.map(\.failure?.kind) == [.reset, nil])
        #expect(server.outline == ["PUT", "HEAD", "PUT"])
        #expect(reasons(results).last == "uploadOffset restart")
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test(arguments: [("POST", false), ("PUT", true)])
    func `one that may have been complete does so only where it may be repeated`(
        method: String,
        isRepeated: Bool
    ) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer, 1: .forget] })
        let results = try upload(server.url("/"), method: method)
        #expect((results.last?.failure == nil) == isRepeated)
        let expected = isRepeated ? [method, "HEAD", method] : [method, "HEAD"]
        #expect(server.outline == expected)
        #expect(isRepeated || results.last?.failure?.kind == .truncated)
    }

    @Test(arguments: [true, false])
    func `a limit has it go on in parts`(isTold: Bool) throws {
        let server = try UploadOrigin(
            .init {
                $0.limit = 1_000_000
                $0.tellsLimit = isTold
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.detail) == [nil])
        #expect(server.bodies.isOnly(Self.body))
        let parts = server.requests.filter { $0.method == "PATCH" && !$0.body.isEmpty }
        let longest = parts.map(\.body.count).max() ?? 0
        // One that nobody has told of a limit finds it by trying.
        #expect(!isTold || longest <= 1_000_000)
        let completeness = Set(parts.dropLast().map { $0.headers["Upload-Complete"] })
        #expect(completeness == ["?0"])
        #expect(parts.last?.headers["Upload-Complete"] == "?1")
        let questions = server.requests.count { $0.method == "HEAD" }
        #expect(questions >= parts.count)
    }

    @Test func `a redirect of the question is followed at the same origin`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 1000), 1: .redirect(307, to: "/upload/1?here")] }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        #expect(server.outline == ["POST", "HEAD", "HEAD", "PATCH 1000"])
        #expect(server.requests.last?.target == "/upload/1?here")
    }

    @Test func `another origin is not asked, and gets nothing`() throws {
        let other = try UploadOrigin()
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .cut(after: 1000), 1: .redirect(307, to: other.url("/upload/1"))]
            }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure?.kind == .redirectLimit)
        #expect(results.last?.failure?.detail.contains("upload/1") == false)
        #expect(other.requests.isEmpty)
        let foreign = try UploadOrigin(
            .init {
                $0.location = other.origin
                $0.faults = [0: .cut(after: 1000)]
            }
        )
        #expect(try upload(foreign.url("/")).count == 1)
        #expect(other.requests.isEmpty)
    }

    @Test func `a redirect of the first request takes the upload along`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .redirect(307, to: "/there"), 1: .cut(after: 1000)] }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        #expect(server.outline == ["POST", "POST", "HEAD", "PATCH 1000"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test func `a 303 is followed to the result, which is no part of it`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .redirect(303, to: "/result")] }
        )
        let results = try upload(server.url("/"))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?.headers["Upload-Draft-Interop-Version"] == nil)
        #expect(results.count == 1)
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
        let origin = try HTTPURL(server.origin).origin
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
    func `what is stored of its URL is not used behind an upload that went on`(
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
            // The first attempt, whose answer nobody has heard, makes nothing untrue.
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

    @Test func `a 104 says in the record how much there is`() throws {
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
    }
}

extension [[UInt8]] {
    /// Whether there is that one alone; a large array is not for a message.
    fileprivate func isOnly(_ body: [UInt8]) -> Bool { self == [body] }
}
