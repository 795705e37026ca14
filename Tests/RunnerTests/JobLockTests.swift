import JSON
import TestSupport
import Testing

/// `runner lock` and `runner run --locked`, as the executable and its servers show them.
@Suite struct JobLockTests {
    private static let right = Reply.ok("hello world", ["ETag: \"1\""])

    /// A job of one download to `a.bin`, with other keys.
    private func job(_ server: ScriptedServer, _ keys: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            downloads:
              a: { url: "\(server.url("/a"))", to: a.bin, retry: { attempts: 1 }\(keys) }
            """
        )
    }

    private func lock(_ job: JobFolder, _ arguments: String...) throws {
        let outcome = try job.runner(["lock", "job.yaml"] + arguments)
        #expect(outcome.status == .exit(0), "\(outcome)")
    }

    /// A run with the lock file that does not find the file of `lock`.
    private func lockedRun(_ job: JobFolder) throws -> RunOutcome {
        try job.folder.write("old", to: "a.bin")
        return try job.run("--locked")
    }

    @Test func `a lock file has the facts of each download, and no query of a redirect`() throws {
        let server = try ScriptedServer([
            "/b": [.redirect(to: "/a?signature=s3cr3t")], "/a": [Self.right],
        ])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              b: { url: "\(server.url("/b"))", to: b.bin }
              a: { url: "\(server.url("/a"))", to: a.bin, ifExists: skip }
            """
        )
        try job.folder.write("old", to: "a.bin")
        try lock(job)
        let text = try job.folder.text("job.lock")
        #expect(!text.contains("s3cr3t"))
        let value = try JSONValue(text)
        #expect(try Repository.validator("lock").faults(in: value).isEmpty)
        let downloads = value["downloads"]?.elements ?? []
        #expect(downloads.map { $0["id"]?.string } == ["a", "b"])
        for download in downloads {
            #expect(download["finalUrl"]?.string == server.url("/a"))
            #expect(download["validator"]?.string == "ETag: \"1\"")
            #expect(download["size"]?.integer == 11)
            #expect(
                download["sha256"]?.string
                    == "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
            )
        }
    }

    @Test func `the checksum of the job counts beside the lock file`() throws {
        let server = try ScriptedServer(["/a": [Self.right, Self.right]])
        let digest =
            "309ecc489c12d6eb4cc40f50c902f2b4d0ed77ee511a7c7a9bcd3ca86d4cd86f"
            + "989dd35bc5ff499670da34255b45b0cfd830e81f605dcf7dc5542e93ae9cd76f"
        let job = try job(server, ", checksum: \"sha512:\(digest)\"")
        try lock(job)
        #expect(try lockedRun(job).code == 0)
        let text = try job.folder.text("job.lock")
        try job.folder.write(text.replacing("b94d27b9", with: "00000000"), to: "job.lock")
        let run = try lockedRun(job)
        #expect(run.code == 6)
        #expect(run.command.standardError.contains("instead of 00000000"))
        #expect(try job.folder.text("a.bin") == "old")
    }

    @Test func `a lock file has the file of the server, not that of the cache`() throws {
        let server = try ScriptedServer([
            "/a": [
                .ok("hello world", ["Cache-Control: max-age=600"]),
                .ok("hello earth", ["Cache-Control: max-age=600"]),
            ]
        ])
        let job = try job(server, ", cachePolicy: returnCacheDataElseLoad")
        #expect(try job.run().code == 0)
        try lock(job)
        #expect(try job.folder.text("a.bin") == "hello earth")
    }

    @Test(arguments: [
        (Reply.ok("hello earth", ["ETag: \"1\""]), "the SHA-256 is "),
        (Reply.ok("hello", ["ETag: \"1\""]), "the size is 5 instead of 11"),
        (Reply.ok("hello world", ["ETag: \"2\""]), "the validator is ETag: \"2\" instead of ETag:"),
        (Reply.ok("hello world"), "the validator is missing instead of ETag: \"1\""),
    ])
    func `a response that differs from the lock file fails and is named`(
        reply: Reply,
        words: String
    ) throws {
        let server = try ScriptedServer(["/a": [Self.right, reply]])
        let job = try job(server)
        try lock(job)
        let run = try lockedRun(job)
        #expect(run.code == 6)
        #expect(run.kind("a") == "integrity")
        #expect(run.command.standardError.contains(words), "\(run.command.standardError)")
        #expect(run.command.standardError.contains("which the lock file has"))
        #expect(try job.folder.text("a.bin") == "old")
    }

    @Test func `a redirect to another place fails and is named`() throws {
        let server = try ScriptedServer([
            "/a": [.redirect(to: "/one"), .redirect(to: "/two")],
            "/one": [Self.right], "/two": [Self.right],
        ])
        let job = try job(server)
        try lock(job)
        let run = try lockedRun(job)
        let words =
            "the final URL is \(server.url("/two")) instead of \(server.url("/one"))"
        #expect(run.code == 6)
        #expect(run.command.standardError.contains(words), "\(run.command.standardError)")
    }

    @Test(arguments: [("hello world", 0), ("hello earth", 6)])
    func `a mirror must have the same bytes, and may have another validator`(
        content: String,
        code: Int32
    ) throws {
        let server = try ScriptedServer([
            "/a": [Self.right, .status(404)], "/mirror": [.ok(content, ["ETag: \"m\""])],
        ])
        let job = try job(server, ", mirrors: [\"\(server.url("/mirror"))\"]")
        try lock(job)
        let run = try lockedRun(job)
        #expect(run.code == code, "\(run.command.standardError)")
        #expect(run.command.standardError.contains("the SHA-256 is ") == (code == 6))
        #expect(try job.folder.text("a.bin") == (code == 0 ? content : "old"))
    }

    @Test func `a thousand locked files are verified without a request`() throws {
        let server = try ScriptedServer { _ in Self.right }
        let job = try JobFolder(
            """
            version: 1
            schedule: { durability: none }
            downloads:
              a:
                forEach: { range: [1, 1000] }
                url: \(server.url("/"))${item}
                to: out/${item}
            """
        )
        try lock(job)
        let count = server.requests.count
        #expect(count == 1000)
        let run = try job.run("--locked")
        #expect(run.code == 0, "\(run.command.standardError)")
        let outcomes = run.report["tasks"]?.elements.map { $0["outcome"]?.string } ?? []
        #expect(outcomes.count { $0 == "unchanged" } == 1000)
        #expect(server.requests.count == count)
    }

    @Test func `an update renews the chosen downloads and keeps the other lines`() throws {
        let server = try ScriptedServer([
            "/a": [Self.right, .ok("new")], "/b": [Self.right, .ok("new")],
        ])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: "\(server.url("/a"))", to: a.bin }
              b: { url: "\(server.url("/b"))", to: b.bin }
            """
        )
        try lock(job)
        let old = try job.folder.text("job.lock").split(separator: "\n")
        try lock(job, "--update", "b")
        let new = try job.folder.text("job.lock").split(separator: "\n")
        #expect(new[1] == old[1])
        #expect(new[2] != old[2] && new[2].contains("\"size\":3"))
        #expect(server.requests.map(\.path).sorted() == ["/a", "/b", "/b"])
        let unknown = try job.runner(["lock", "job.yaml", "--update", "c"])
        #expect(unknown.status == .exit(2))
        #expect(unknown.standardError.contains("the job has no download `c`"))
    }

    @Test func `a failed download leaves the lock file as it was`() throws {
        let server = try ScriptedServer(["/a": [Self.right, .status(404)]])
        let job = try job(server)
        try lock(job)
        let old = try job.folder.text("job.lock")
        let outcome = try job.runner(["lock", "job.yaml"])
        #expect(outcome.status == .exit(1))
        #expect(outcome.standardError.contains("job.lock is as before"), "\(outcome)")
        #expect(try job.folder.text("job.lock") == old)
    }

    @Test func `a job that disagrees with its lock file is warned of, and not run`() throws {
        let server = try ScriptedServer(["/a": [Self.right]])
        let job = try job(server)
        try lock(job)
        let text = try job.folder.text("job.yaml").replacing("/a\"", with: "/c\"")
        try job.folder.write(text, to: "job.yaml")
        let words = "`url` of `a` is `\(server.url("/c"))`, the lock file has"
        let validated = try job.runner(["validate", "job.yaml"])
        #expect(validated.status == .exit(0))
        #expect(validated.standardError.contains("warning: \(words)"), "\(validated)")
        #expect(try job.runner(["validate", "--strict", "job.yaml"]).status == .exit(3))
        let run = try job.runner(["run", "job.yaml", "--locked"])
        #expect(run.status == .exit(3))
        #expect(run.standardError.contains("error: \(words)"), "\(run)")
        #expect(server.requests.count == 1)
    }

    @Test func `a locked run without a lock file names the command that makes it`() throws {
        let server = try ScriptedServer(["/a": [Self.right]])
        let run = try job(server).runner(["run", "job.yaml", "--locked"])
        #expect(run.status == .exit(4))
        #expect(run.standardError.contains("make it with `runner lock job.yaml`"), "\(run)")
        #expect(server.requests.isEmpty)
    }
}
