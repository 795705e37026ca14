import CurlKit
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Files that servers name, and the job's other settings of a file.
@Suite struct DestinationTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("in")
    }

    private func named(_ name: String, _ body: String = "new") -> Reply {
        .ok(body, ["Content-Disposition: attachment; filename=\"\(name)\""])
    }

    /// Downloads into the folder `in`.
    private func download(
        _ reply: Reply,
        path: String = "/from-url",
        ifExists: TaskSpec.IfExists = .fail,
        claims: DestinationClaims? = nil
    ) throws -> AttemptResult {
        let server = try ScriptedServer([path: [reply]])
        let attempt = try AttemptRequest.to(server.url(path)) {
            $0.sink = .file(
                .init(path: folder.path("in/"), displayPath: "in/", ifExists: ifExists)
            )
        }
        return try EngineHarness(claims: claims).run(attempt)
    }

    @Test(arguments: [
        ("x.tgz", "x.tgz"), ("../../etc/x", "x"), ("/etc/x", "x"), ("..", "from-url"),
        (".profile", "profile"),
    ])
    func `a server's file name stays in the folder`(name: String, expected: String) throws {
        let result = try download(named(name))
        #expect(result.failure == nil)
        #expect(result.file?.path == "in/\(expected)")
        #expect(try folder.list("in") == [expected])
        #expect(try folder.list() == ["in"])
        #expect(try folder.text("in/\(expected)") == "new")
    }

    @Test func `without a suggestion the last URL names the file`() throws {
        let server = try ScriptedServer([
            "/a": [.redirect(to: "/b/final%20name.txt?x")], "/b/final%20name.txt": [.ok("new")],
        ])
        let attempt = try AttemptRequest.to(server.url("/a")) {
            $0.sink = .file(.init(path: folder.path("in/"), displayPath: "in/"))
        }
        let result = try EngineHarness().run(attempt)
        #expect(result.file?.path == "in/final name.txt")
    }

    @Test func `a missing folder is made`() throws {
        let server = try ScriptedServer(["/f": [.ok("new")]])
        let attempt = try AttemptRequest.to(server.url("/f")) {
            $0.sink = .file(.init(path: folder.path("in/a/b/"), displayPath: "in/a/b/"))
        }
        #expect(try EngineHarness().run(attempt).failure == nil)
        #expect(try folder.text("in/a/b/f") == "new")
    }

    @Test(arguments: [
        (TaskSpec.IfExists.replace, "new"), (.skip, "old"), (.fail, "old"),
    ])
    func `an existing file of that name is handled before the body is read`(
        ifExists: TaskSpec.IfExists,
        content: String
    ) throws {
        try folder.write("old", to: "in/x")
        let body = String(repeating: "new", count: 200_000)
        let result = try download(named("x", body), ifExists: ifExists)
        #expect(try folder.text("in/x").prefix(3) == content)
        #expect(result.isUnchanged == (ifExists == .skip))
        #expect(result.failure?.kind == (ifExists == .fail ? .localIO : nil))
        #expect(try folder.list("in") == ["x"])
        if ifExists != .replace {
            #expect(result.countOfBytesReceived < 100_000)
            #expect((result.transactions.last?.curlCode == nil) == (ifExists == .skip))
            #expect(result.file == nil)
        }
    }

    @Test(arguments: [TaskSpec.IfExists.replace, .fail], ["target", "missing"])
    func `a symbolic link under the name is never written through`(
        ifExists: TaskSpec.IfExists,
        target: String
    ) throws {
        try folder.write("theirs", to: "target")
        let link = Command("ln", ["-s", folder.path(target), folder.path("in/x")])
        #expect(try link.run().status == .exit(0))
        let result = try download(named("x"), ifExists: ifExists)
        #expect(try folder.text("target") == "theirs")
        #expect(try folder.list() == ["in", "target"])
        if ifExists == .replace {
            #expect(result.failure == nil)
            #expect(try Command("test", ["-h", folder.path("in/x")]).run().status == .exit(1))
            #expect(try folder.text("in/x") == "new")
        } else {
            #expect(result.failure?.kind == .localIO)
        }
    }

    @Test func `a folder of that name is a failure`() throws {
        try folder.makeFolder("in/x")
        #expect(try download(named("x"), ifExists: .replace).failure?.kind == .localIO)
    }

    @Test func `two tasks do not write one file that a server names`() throws {
        let server = try ScriptedServer { [self] _ in named("same") }
        let claims = DestinationClaims(folders: [folder.path("in/")]) { "number-\($0)" }
        let harness = try EngineHarness(claims: claims)
        let attempts = try (0..<4).map { key in
            try AttemptRequest.to(server.url("/\(key)"), key: key) {
                $0.sink = .file(
                    .init(path: folder.path("in/"), displayPath: "in/", ifExists: .replace)
                )
            }
        }
        let results = try harness.run(attempts)
        let failures = results.compactMap(\.failure)
        #expect(failures.count == 3)
        #expect(failures.allSatisfy { $0.kind == .localIO && $0.isPermanent })
        #expect(try folder.list("in") == ["same"])
        // The task whose name it is may try again.
        let owner = try #require(results.first { $0.failure == nil }).key
        let detail = "`in/same` belongs to the task number-\(owner)"
        #expect(failures.first?.detail == detail)
        #expect(try harness.run(attempts[owner]).failure == nil)
    }

    @Test(arguments: ["in", "in/../in", "link"])
    func `a server does not name a file that the run needs`(path: String) throws {
        try folder.write("the job", to: "in/job.yaml")
        #expect(try Command("ln", ["-s", "in", folder.path("link")]).run().status == .exit(0))
        let claims = DestinationClaims(folders: [folder.path("in/")]) { "\($0)" }
        claims.reserve(PlannedPath(folder.path("missing/job.yaml"), .ofTheRun))
        claims.reserve(PlannedPath(folder.path("\(path)/job.yaml"), .ofTheRun))
        let result = try download(named("job.yaml"), ifExists: .replace, claims: claims)
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.detail == "`in/job.yaml` belongs to the run itself")
        #expect(try folder.text("in/job.yaml") == "the job")
    }

    @Test(arguments: ["in", "link"], [true, false])
    func `a declared destination is reserved before its folder exists`(
        path: String,
        isThere: Bool
    ) throws {
        #expect(try Command("ln", ["-s", ".", folder.path("link")]).run().status == .exit(0))
        let base = isThere ? "" : "new/"
        let way = path == "link" ? "link/in/\(base)" : "in/\(base)"
        let claims = DestinationClaims(folders: [folder.path("in/\(base)")]) { "task-\($0)" }
        claims.reserve(PlannedPath(folder.path("\(way)fixed"), .destination(of: 7)))
        claims.reserve(PlannedPath(folder.path("\(way)a/b/"), .destination(of: 8)))
        let server = try ScriptedServer { _ in .ok("new") }
        let harness = try EngineHarness(claims: claims)
        func fetch(_ name: String, key: Int, to: String = "in/\(base)") throws -> String? {
            let attempt = try AttemptRequest.to(server.url("/\(name)"), key: key) {
                $0.sink = .file(.init(path: folder.path(to), displayPath: "in/"))
            }
            return try harness.run(attempt).failure?.detail
        }
        #expect(try fetch("fixed", key: 0) == "`in/fixed` belongs to the task task-7")
        #expect(try fetch("a", key: 0) == "`in/a` belongs to the run itself")
        #expect(try fetch("other", key: 0) == nil)
        #expect(try fetch("x", key: 7, to: "\(way)fixed") == nil)
        #expect(try fetch("b", key: 8, to: "\(way)a/b/") == nil)
        #expect(try folder.text("in/\(base)a/b/b") == "new")
    }

    @Test(arguments: [204, 205], [true, false])
    func `a download without content leaves the file alone`(
        status: Int,
        isExpected: Bool
    ) throws {
        try folder.write("old", to: "in/x")
        // Only its length shows the end of a 205.
        let length = status == 205 ? "Content-Length: 0\r\n" : ""
        let reply = "HTTP/1.1 \(status) Empty\r\n\(length)\r\n"
        let server = try ScriptedServer(["/": [.raw(reply)]])
        var attempt = try AttemptRequest.download(server.url("/"), to: folder.path("in/x"))
        attempt.isDownload = true
        if isExpected { attempt.expectation.statusCodes = [200...203, status...status] }
        let result = try EngineHarness().run(attempt)
        #expect((result.failure == nil) == isExpected)
        if !isExpected {
            #expect(result.failure?.kind == .content)
            #expect(result.failure?.isPermanent == true)
            #expect(result.checks.last?.check == .data)
            #expect(result.checks.last?.passed == false)
            #expect(try folder.text("in/x") == "old")
        }
    }

    @Test(arguments: [
        ("<html>not found</html>", "is not a list of checksums", false),
        ("\(String(repeating: "ab", count: 32))  other", "has no SHA-256 of file", true),
    ])
    func `a text that is not a list of checksums fails with that reason`(
        text: String,
        detail: String,
        hasHelp: Bool
    ) throws {
        let server = try ScriptedServer(["/file": [.ok("content")]])
        let list = SumsFile(url: try TransferURL(server.url("/sums")), algorithm: .sha256)
        var attempt = try AttemptRequest.download(
            server.url("/file"),
            to: folder.path("in/file"),
            checksum: .listed(list)
        )
        attempt.checksums = ChecksumList(Array(text.utf8))
        let failure = try #require(try EngineHarness().run(attempt).failure)
        #expect(failure.kind == .integrity)
        #expect(failure.detail.hasSuffix(detail))
        #expect((failure.help != nil) == hasHelp)
    }

    @Test(arguments: [UInt16(0o644), 0o400, 0o777, 0o000], [5, 100_000])
    func `a mode applies in spite of the umask and an older file`(
        mode: UInt16,
        size: Int
    ) throws {
        try folder.write("old", to: "in/old", mode: 0o640)
        let server = try ScriptedServer { _ in .ok([UInt8](repeating: 1, count: size)) }
        for name in ["in/old", "in/new"] {
            let attempt = try AttemptRequest.to(server.url("/")) {
                $0.sink = .file(.init(path: folder.path(name), displayPath: name, mode: mode))
            }
            #expect(try EngineHarness().run(attempt).failure == nil)
            #expect(try folder.mode(of: name) == UInt32(mode))
        }
    }

    @Test(arguments: [5, 100_000])
    func `a SHA-512 is verified`(size: Int) throws {
        let body = [UInt8](repeating: 7, count: size)
        let digest = try #require(MessageDigest(.sha512))
        digest.update(body.span)
        let right = Checksum(.sha512, digest: digest.finish())
        let server = try ScriptedServer(["/": [.ok(body)]])
        let good = try EngineHarness().run(
            .download(server.url("/"), to: folder.path("out"), checksum: .digest(right))
        )
        #expect(good.failure == nil)
        #expect(good.voucher == .checksum)
        #expect(good.file?.sha256 == nil)
        let wrong = Checksum(.sha512, digest: .init(repeating: 0, count: 64))
        let bad = try EngineHarness().run(
            .download(server.url("/"), to: folder.path("bad"), checksum: .digest(wrong))
        )
        #expect(bad.failure?.kind == .integrity)
        #expect(bad.failure?.detail.hasPrefix("the SHA-512 is ") == true)
        #expect(!folder.contains("bad"))
    }

    @Test(arguments: [
        ("/pub/file", nil, "in/renamed", true), ("/pub/other", nil, "in/file", true),
        ("/pub/other", "file", "in/renamed", true), ("/pub/file", "other", "in/file", false),
        ("/pub/other", nil, "in/other", false), ("/moved", nil, "in/moved", true),
    ])
    func `a listed checksum is found by the names of the file`(
        path: String,
        name: String?,
        to: String,
        isFound: Bool
    ) throws {
        let body = Array("content".utf8)
        let server = try ScriptedServer([
            "/pub/file": [.ok(body)], "/pub/other": [.ok(body)],
            "/moved": [.redirect(to: "/pub/file")],
        ])
        let sums = "\(try #require(MessageDigest.sha256(of: body)))  file\n"
        let list = SumsFile(
            url: try TransferURL(server.url("/sums")),
            algorithm: .sha256,
            name: name
        )
        var attempt = try AttemptRequest.download(
            server.url(path),
            to: folder.path(to),
            checksum: .listed(list)
        )
        attempt.checksums = ChecksumList(Array(sums.utf8))
        let result = try EngineHarness().run(attempt)
        #expect((result.failure == nil) == isFound)
        #expect(folder.contains(to) == isFound)
        if isFound {
            #expect(result.voucher == .checksum)
        } else {
            #expect(result.failure?.kind == .integrity)
            #expect(result.failure?.detail.contains("has no SHA-256 of") == true)
        }
    }

    @Test func `a list of checksums is read into the result`() throws {
        let digits = String(repeating: "ab", count: 32)
        let server = try ScriptedServer(["/": [.ok("\(digits)  file\n")]])
        let result = try EngineHarness().run(.to(server.url("/")) { $0.sink = .checksums })
        #expect(result.failure == nil)
        #expect(result.checksums != nil)
    }
}
