import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Digests of servers; the examples are from RFC 9530 Appendix B.
@Suite struct ReprDigestTests {
    private static let body = Array("{\"hello\": \"world\"}\n".utf8)
    private static let sha256 = "sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP/lF5HF9bvEF8FabDg=:"
    private static let sha512 =
        "sha-512=:YMAam51Jz/jOATT6/zvHrLVgOYTGFy1d6GJiOHTohq4yP+pgk4vf2aCsyRZOtw8MjkM7iw7yZ/WkppmM44T3qg==:"
    private static let other = "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"

    private static func fields(_ line: String) -> HeaderFields {
        let name = line.prefix { $0 != ":" }
        let value = line.dropFirst(name.count + 1).drop { $0 == " " }
        return HeaderFields([HeaderField(name: String(name), value: String(value))])
    }

    @Test(
        arguments: [
            ("Repr-Digest: \(sha256)", .sha256), ("repr-digest: \(sha512)", .sha512),
            ("Repr-Digest: \(sha512), \(sha256)", .sha256),
            ("Repr-Digest: md5=:AAAA:, \(sha512);x=1", .sha512),
            ("Content-Digest: \(sha256)", .sha256), ("Digest: \(sha256)", nil),
            ("Repr-Digest: sha=:AAAA:", nil),
            ("Repr-Digest: sha-256=RK", nil), ("Repr-Digest: sha-256=:RK/0:", nil),
            ("Repr-Digest: sha-256", nil),
            ("Repr-Digest: sha-256=:RK/0qy18MlBSVnWgjwz6lZEWjP_lF5HF9bvEF8FabDg=:", nil),
            ("Repr-Digest:", nil),
        ] as [(String, Checksum.Algorithm?)]
    )
    func `of a server's digests the collision-resistant whole ones count`(
        line: String,
        algorithm: Checksum.Algorithm?
    ) throws {
        let fields = Self.fields(line)
        let checksum = ReprDigest.announced(in: fields, isWhole: true)
        #expect(checksum?.algorithm == algorithm)
        #expect(checksum.map { $0.digest.count } == algorithm?.size)
    }

    @Test func `a Content-Digest of a range is not one of the file`() {
        let fields = Self.fields("Content-Digest: \(Self.sha256)")
        #expect(ReprDigest.announced(in: fields, isWhole: false) == nil)
    }

    private func download(
        _ reply: Reply,
        in folder: TemporaryFolder,
        checksum: Checksum? = nil
    ) throws -> AttemptResult {
        let server = try ScriptedServer(["/": [reply]])
        return try EngineHarness().run(
            .to(server.url("/")) {
                $0.sink = .file(
                    .init(
                        path: folder.path("out"),
                        displayPath: "out",
                        checksum: checksum.map { .digest($0) }
                    )
                )
            }
        )
    }

    @Test(arguments: [sha256, sha512], [true, false])
    func `a file that matches its server's digest is vouched for by it`(
        digest: String,
        hasLength: Bool
    ) throws {
        let folder = try TemporaryFolder()
        let fields = ["Repr-Digest: \(digest)"]
        let reply: Reply = hasLength ? .ok(Self.body, fields) : .chunked([Self.body], fields)
        let result = try download(reply, in: folder)
        #expect(result.failure == nil)
        #expect(result.voucher == .digest)
        #expect((result.file?.sha256 != nil) == (digest == Self.sha256))
        #expect(try folder.read("out") == Self.body)
    }

    @Test func `a file that differs from its server's digest gets no name`() throws {
        let folder = try TemporaryFolder()
        let result = try download(.ok(Self.body, ["Repr-Digest: \(Self.other)"]), in: folder)
        #expect(result.failure?.kind == .integrity)
        #expect(result.failure?.detail.hasSuffix(", which the server announced") == true)
        #expect(try folder.list() == [])
    }

    @Test func `the job's own checksum precedes the server's digest`() throws {
        let folder = try TemporaryFolder()
        let fields = Self.fields("Repr-Digest: \(Self.sha256)")
        let own = try #require(ReprDigest.announced(in: fields, isWhole: true))
        let result = try download(
            .ok(Self.body, ["Repr-Digest: \(Self.other)"]),
            in: folder,
            checksum: own
        )
        #expect(result.failure == nil)
        #expect(result.voucher == .checksum)
    }

    @Test func `a requested range is not checked against the digest of the whole`() throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer { _ in
            .part(of: Self.body, from: 4, ["Repr-Digest: \(Self.sha256)"])
        }
        let result = try EngineHarness().run(
            .to(server.url("/"), headers: [HeaderField(name: "Range", value: "bytes=4-")]) {
                $0.sink = .file(.init(path: folder.path("out"), displayPath: "out"))
            }
        )
        #expect(result.failure == nil)
        #expect(result.voucher == .length)
        #expect(try folder.read("out") == Array(Self.body.dropFirst(4)))
    }
}
