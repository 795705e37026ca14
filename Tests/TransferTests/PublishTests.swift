import CurlKit
import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct PublishTests {
    private let folder: TemporaryFolder
    /// Sizes below and above the limit for bodies in memory.
    private static let sizes = [0, 1, 65_536, 65_537, 3_000_000]

    init() throws {
        folder = try TemporaryFolder()
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
    }

    @Test(arguments: sizes, [Durability.none, .file, .full])
    func `a download has its whole content under its name`(
        size: Int,
        durability: Durability
    ) throws {
        let body = Self.bytes(size)
        let server = try ScriptedServer(["/": [.ok(body)]])
        let result = try EngineHarness(durability: durability).run(
            .download(server.url("/"), to: folder.path("new/folder/out.bin"))
        )
        #expect(result.failure == nil)
        #expect(result.file == .init(path: "out", size: Int64(size)))
        #expect(try folder.read("new/folder/out.bin") == body)
        #expect(try folder.list("new/folder") == ["out.bin"])
    }

    @Test(arguments: sizes)
    func `a chunked download of unknown length arrives whole`(size: Int) throws {
        let body = Self.bytes(size)
        let server = try ScriptedServer(["/": [.chunked([body])]])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure == nil)
        #expect(try folder.read("out") == body)
    }

    @Test(arguments: [10, 200_000])
    func `a cut download leaves the old file and nothing else`(size: Int) throws {
        try folder.write("old", to: "out")
        let server = try ScriptedServer([
            "/": [.cut(Self.bytes(size), after: size - 1, then: [.close])]
        ])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure?.kind == .truncated)
        #expect(try folder.text("out") == "old")
        #expect(try folder.list() == ["out"])
    }

    @Test func `a refused status does not touch the old file`() throws {
        try folder.write("old", to: "out")
        let server = try ScriptedServer(["/": [.status(404, text: "gone")]])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure?.kind == .httpStatus)
        #expect(try folder.text("out") == "old")
    }

    @Test func `a replaced file keeps its mode`() throws {
        try folder.write("old", to: "out", mode: 0o640)
        let server = try ScriptedServer(["/": [.ok("new")]])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure == nil)
        #expect(try folder.text("out") == "new")
        #expect(try folder.mode(of: "out") == 0o640)
        #expect(try folder.list() == ["out"])
    }

    @Test func `an existing file is kept when it may not be replaced`() throws {
        try folder.write("old", to: "out")
        let server = try ScriptedServer(["/": [.ok("new")]])
        let result = try EngineHarness().run(
            .download(server.url("/"), to: folder.path("out"), ifExists: .fail)
        )
        #expect(result.failure?.kind == .localIO)
        #expect(try folder.text("out") == "old")
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [5, 100_000])
    func `a checksum is verified before the name is given`(size: Int) throws {
        let body = Self.bytes(size)
        let server = try ScriptedServer(["/": [.ok(body)]])
        let harness = try EngineHarness()
        let digest = try #require(MessageDigest())
        digest.update(body.span)
        let right = digest.finish()

        let wrong = try harness.run(
            .download(
                server.url("/"),
                to: folder.path("out"),
                checksum: .digest(.init(.sha256, digest: .init(repeating: 0, count: 32)))
            )
        )
        #expect(wrong.failure?.kind == .integrity)
        #expect(try folder.list() == [])

        let good = try harness.run(
            .download(
                server.url("/"),
                to: folder.path("out"),
                checksum: .digest(.init(.sha256, digest: right))
            )
        )
        #expect(good.failure == nil)
        #expect(good.voucher == .checksum)
        #expect(good.file?.sha256 == MessageDigest.hexadecimal(right))
        #expect(try folder.read("out") == body)
    }

    @Test func `a check of a signature that was cancelled before starts no program`() throws {
        try folder.write("no signature", to: "sig")
        let checks = SignatureChecks()
        checks.expect(0)
        checks.cancel([0])
        let signature = DetachedSignature(
            .minisign,
            path: folder.path("sig"),
            displayPath: "sig",
            key: .text("key"),
            timeout: .seconds(60)
        )
        let file = try InputFile(path: folder.path("sig"))
        func failure(for key: Int) -> TransferFailure? {
            checks.check(file, signature, of: "out", for: key, until: nil)
        }
        #expect(failure(for: 0)?.kind == .cancelled)
        #expect(failure(for: 1)?.kind == .signature)
    }

    @Test func `a folder that has been removed since the last file is made again`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try EngineHarness()
        for _ in 1...3 {
            let download = try AttemptRequest.download(
                server.url("/"),
                to: folder.path("new/folder/out")
            )
            let failure = try harness.run(download).failure
            #expect(failure == nil, "\(failure?.detail ?? "")")
            #expect(try folder.text("new/folder/out") == "x")
            let removal = Command("rm", ["-r", "new"], workingFolder: folder.path)
            #expect(try removal.run().status == .exit(0))
        }
    }

    @Test func `a folder where the file should be is a failure that names it`() throws {
        try folder.makeFolder("out")
        let server = try ScriptedServer(["/": [.ok("new")]])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.detail.contains("Is a directory") == true)
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [TaskSpec.IfExists.skip, .fail], [5, 100_000])
    func `a file that appears during the transfer is left alone`(
        ifExists: TaskSpec.IfExists,
        size: Int
    ) throws {
        let body = Self.bytes(size)
        let server = try ScriptedServer { [folder] _ in
            _ = try? folder.write("theirs", to: "out")
            return .ok(body)
        }
        let result = try EngineHarness().run(
            .download(server.url("/"), to: folder.path("out"), ifExists: ifExists)
        )
        if ifExists == .skip {
            #expect(result.failure == nil)
        } else {
            #expect(result.failure?.kind == .localIO)
            #expect(result.failure?.detail == "out has appeared since the transfer started")
            #expect(result.failure?.isPermanent == true)
        }
        #expect(result.isUnchanged == (ifExists == .skip))
        #expect(result.file == nil)
        #expect(try folder.text("out") == "theirs")
        #expect(try folder.list() == ["out"])
    }

    @Test(arguments: [5, 100_000], [Durability.none, .full])
    func `a file that appears is kept only if it has the checksum`(
        size: Int,
        durability: Durability
    ) throws {
        let body = Self.bytes(size)
        let digest = try #require(MessageDigest())
        digest.update(body.span)
        let checksum = Checksum(.sha256, digest: digest.finish())
        var wrong = body
        wrong[size / 2] ^= 1
        for (theirs, isRight) in [(body, true), (wrong, false), ([], false)] {
            let removal = Command("rm", ["-f", "out"], workingFolder: folder.path)
            #expect(try removal.run().status == .exit(0))
            let server = try ScriptedServer { [folder] _ in
                _ = try? folder.write(theirs, to: "out")
                return .ok(body)
            }
            let result = try EngineHarness(durability: durability).run(
                .download(
                    server.url("/"),
                    to: folder.path("out"),
                    ifExists: .skip,
                    checksum: .digest(checksum)
                )
            )
            #expect(result.failure == nil, "\(result.failure?.detail ?? "")")
            #expect(result.isUnchanged == isRight)
            #expect((result.file == nil) == isRight)
            #expect(result.voucher == .checksum)
            #expect(try folder.read("out") == body)
            #expect(try folder.list() == ["out"])
        }
    }

    @Test(arguments: [5, 100_000])
    func `a folder that appears during the transfer is no file to keep`(size: Int) throws {
        let body = Self.bytes(size)
        let server = try ScriptedServer { [folder] _ in
            try? folder.makeFolder("out")
            return .ok(body)
        }
        let result = try EngineHarness().run(
            .download(server.url("/"), to: folder.path("out"), ifExists: .skip)
        )
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.detail.hasSuffix("/out: Is a directory") == true)
        #expect(!result.isUnchanged)
    }

    @Test(arguments: [5, 100_000])
    func `a named pipe is not replaced`(size: Int) throws {
        #expect(try Command("mkfifo", [folder.path("out")]).run().status == .exit(0))
        let server = try ScriptedServer(["/": [.ok(Self.bytes(size))]])
        let result = try EngineHarness().run(.download(server.url("/"), to: folder.path("out")))
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.detail.contains("it is a named pipe") == true)
        #expect(try Command("test", ["-p", folder.path("out")]).run().status == .exit(0))
    }
}
