import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Servers that are wrong about an upload, forget or limit it, or lead elsewhere.
@Suite struct UploadServerFaultTests: UploadSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

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

    @Test func `after a conflict the offset is requested once more`() throws {
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

    @Test func `a forgotten upload begins anew`() throws {
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
    func `a possibly complete upload begins anew only if it is repeatable`(
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
        // Without an announced limit the client finds it by trying.
        #expect(!isTold || longest <= 1_000_000)
        let completeness = Set(parts.dropLast().map { $0.headers["Upload-Complete"] })
        #expect(completeness == ["?0"])
        #expect(parts.last?.headers["Upload-Complete"] == "?1")
        let questions = server.requests.count { $0.method == "HEAD" }
        #expect(questions >= parts.count)
    }

    @Test func `a redirect of the offset request is followed at the same origin`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 1000), 1: .redirect(307, to: "/upload/1?here")] }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        #expect(server.outline == ["POST", "HEAD", "HEAD", "PATCH 1000"])
        #expect(server.requests.last?.target == "/upload/1?here")
    }

    @Test func `another origin gets no request`() throws {
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

    @Test func `a redirect of the first request applies to the upload`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .redirect(307, to: "/there"), 1: .cut(after: 1000)] }
        )
        let results = try upload(server.url("/"))
        #expect(results.last?.failure == nil)
        #expect(server.outline == ["POST", "POST", "HEAD", "PATCH 1000"])
        #expect(server.bodies.isOnly(Self.body))
    }

    @Test func `a 303 is followed to the result, which is not part of the upload`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .redirect(303, to: "/result")] }
        )
        let results = try upload(server.url("/"))
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?.headers["Upload-Draft-Interop-Version"] == nil)
        #expect(results.count == 1)
    }
}
