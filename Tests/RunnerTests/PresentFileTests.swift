import TestSupport
import Testing
import TransferModel

/// Downloads with a checksum whose file exists already.
@Suite struct PresentFileTests {
    private static let right = "hello world"
    private static let digest = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            request.path == "/sums" ? .ok("\(Self.digest)  a.bin\n") : .ok(Self.right)
        }
    }

    /// A job of one download to `a.bin`.
    private func job(
        _ server: ScriptedServer,
        _ rule: String,
        checksum: String = "sha256:\(digest)",
        _ keys: String = ""
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            downloads:
              a:
                url: "\(server.url("/a.bin"))"
                to: a.bin
                checksum: \(checksum)
                ifExists: \(rule)
                retry: { attempts: 1 }
                \(keys)
            """
        )
    }

    @Test(arguments: ["replace", "skip", "revalidate"])
    func `a file that matches its checksum is unchanged without a request`(
        rule: String
    ) throws {
        let server = try server()
        let job = try job(server, rule)
        try job.folder.write(Self.right, to: "a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "unchanged")
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "checksum")
        #expect(run.attempts("a").isEmpty)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["replace", "skip", "revalidate"], ["hello werld", "", "hello world!"])
    func `a file that does not match its checksum is fetched`(rule: String, content: String) throws
    {
        let server = try server()
        let job = try job(server, rule)
        try job.folder.write(content, to: "a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "succeeded")
        #expect(try job.folder.text("a.bin") == Self.right)
        #expect(server.requests.map(\.path) == ["/a.bin"])
    }

    @Test(arguments: [true, false], [right, "wrong", "hello werld"])
    func `a file that the server names is kept only if it has its checksum`(
        isListed: Bool,
        content: String
    ) throws {
        let server = try server()
        let list = "{ from: \"\(server.url("/sums"))\", algorithm: sha256 }"
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a:
                url: "\(server.url("/a.bin"))"
                to: out/
                checksum: \(isListed ? list : "sha256:\(Self.digest)")
                ifExists: skip
            """
        )
        try job.folder.makeFolder("out")
        try job.folder.write(content, to: "out/a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == (content == Self.right ? "unchanged" : "succeeded"))
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "checksum")
        #expect(try job.folder.text("out/a.bin") == Self.right)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a wrong file stays when the server has no other`() throws {
        let server = try ScriptedServer { _ in .ok("also wrong") }
        let job = try job(server, "skip")
        try job.folder.write("wrong", to: "a.bin")
        #expect(try job.run().code == 6)
        #expect(try job.folder.text("a.bin") == "wrong")
    }

    @Test func `with ifExists fail an existing file is not read`() throws {
        let server = try server()
        let job = try job(server, "fail")
        try job.folder.write(Self.right, to: "a.bin")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.outcome("a") == "failed")
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["replace", "skip"], [true, false])
    func `an existing file is checked against a fetched list of checksums`(
        rule: String,
        isRight: Bool
    ) throws {
        let server = try server()
        let list = "{ from: \"\(server.url("/sums"))\", algorithm: sha256 }"
        let job = try job(server, rule, checksum: list)
        try job.folder.write(isRight ? Self.right : "wrong", to: "a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == (isRight ? "unchanged" : "succeeded"))
        #expect(run.task("a")?["extension"]?["vouchedBy"]?.string == "checksum")
        #expect(try job.folder.text("a.bin") == Self.right)
        #expect(server.requests.map(\.path) == (isRight ? ["/sums"] : ["/sums", "/a.bin"]))
        #expect(run.attempts("a").map { $0["outcome"]?.string } == ["succeeded"])
    }

    @Test(arguments: [
        "mode: \"0600\"", "expect: { headers: { Content-Length: \"*\" } }",
        "expect: { maximumSize: 20B }\n    capture: { length: { header: Content-Length } }",
        "method: POST",
    ])
    func `a matching file is fetched if the task needs a response`(keys: String) throws {
        let server = try server()
        let job = try job(server, "replace", keys)
        try job.folder.write(Self.right, to: "a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("a") == "succeeded")
        #expect(server.requests.map(\.path) == ["/a.bin"])
    }

    @Test func `a link is replaced, and kept where files are`() throws {
        for (rule, outcome) in [("skip", "unchanged"), ("replace", "succeeded")] {
            let server = try server()
            let job = try job(server, rule)
            try job.folder.write(Self.right, to: "target")
            try job.folder.link("a.bin", to: "target")
            let run = try job.run()
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(run.outcome("a") == outcome)
        }
    }

    @Test func `a signal ends the hashing of a large file`() throws {
        let server = try server()
        let job = try job(
            server,
            "replace",
            "required: true\n  b: { url: \"\(server.url("/b"))\", to: b.bin }"
        )
        // A hole, which takes minutes to be hashed and no room.
        let size = Command("truncate", ["-s", "200G", "a.bin"], workingFolder: job.folder.path)
        #expect(try size.run().status == .exit(0))
        let running = try job.runCommand().start()
        // It started behind the other one.
        _ = try running.waitForLine(containing: "b  ")
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(run.outcome("a") == "cancelled")
        #expect(server.requests.map(\.path) == ["/b"])
    }

    @Test func `the time of a task counts for the hashing of its file, too`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { timeoutIntervalForResource: 200ms } }
            downloads:
              a: { url: "\(server.url("/a.bin"))", to: a.bin, checksum: "sha256:\(Self.digest)" }
            """
        )
        let size = Command("truncate", ["-s", "200G", "a.bin"], workingFolder: job.folder.path)
        #expect(try size.run().status == .exit(0))
        let run = try job.run()
        #expect(run.kind("a") == "timeout")
        #expect(server.requests.isEmpty)
    }
}
