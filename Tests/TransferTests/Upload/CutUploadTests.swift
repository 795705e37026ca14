import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Uploads that are cut or lose their response, which the next attempt resumes.
@Suite struct CutUploadTests: UploadSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    // MARK: Cuts

    @Test(arguments: Source.allCases, [0, 1, 1_000_000, 3_000_000])
    func `a cut upload resumes at the server's offset`(source: Source, count: Int) throws {
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

    @Test(arguments: [3, 5, 6, 7, 8])
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

    @Test(arguments: [3, 5, 8])
    func `a server that ignores other versions resumes an upload in its own`(
        version: Int
    ) throws {
        let silent = [6, 8, 3, 5].prefix { $0 != version }.count
        let server = try UploadOrigin(
            .init {
                $0.isSilent = true
                $0.versions = [version]
                for number in 0...silent { $0.faults[number] = .cut(after: 2_900_000) }
            }
        )
        let harness = try EngineHarness()
        for _ in 0..<silent {
            let results = try upload(server.url("/"), harness: harness)
            #expect(results.map(\.failure?.kind) == [.reset])
        }
        let results = try upload(server.url("/"), harness: harness)
        #expect(results.map(\.failure?.kind) == [.reset, nil])
        #expect(server.outline.suffix(3) == ["POST", "HEAD", "PATCH 2900000"])
        #expect(server.bodies.isOnly(Self.body))
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

    @Test func `a body keeps its boundary`() throws {
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

    @Test func `a cut before the server names the upload leaves nothing to resume`() throws {
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
    func `a failing server is retried at the same URL`(status: Int) throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .fail(status, after: 1_000_000), 1: .answer(status)] }
        )
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [status, status, nil])
        #expect(server.outline == ["POST", "HEAD", "HEAD", "PATCH 1000000"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test(arguments: [400, 403, 404, 422, 501])
    func `a refusal is the result`(status: Int) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .fail(status, after: 1000)] })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [status])
        #expect(server.outline == ["POST"])
    }

    // MARK: The answer

    @Test func `a lost response to a complete upload is a success without a response`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let results = try upload(server.url("/"))
        #expect(results.map { $0.failure == nil } == [false, true])
        #expect(results[1].response == nil)
        #expect(server.outline == ["POST", "HEAD"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test func `a lost response is a failure for a task with expectations`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let results = try upload(server.url("/")) { $0.expectation.mimeTypes = ["text/plain"] }
        #expect(results.count == 2)
        #expect(results[1].failure?.kind == .truncated)
        #expect(results[1].resume?.upload?.partial == nil)
    }

    @Test func `an upload that ends with a 503 is not queried for its offset`() throws {
        // The status came, and says that it is not the answer that was lost.
        let server = try UploadOrigin(.init { $0.status = 503 })
        let results = try upload(server.url("/"))
        #expect(results.map(\.failure?.httpStatus) == [503])
        #expect(server.outline == ["POST"])
    }

    @Test func `the response to the last part is the task's response`() throws {
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

    @Test func `the record does not have the upload's URL`() throws {
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
}
