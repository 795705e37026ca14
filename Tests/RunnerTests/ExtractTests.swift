import TestSupport
import Testing

/// Downloads with `extract`.
@Suite struct ExtractTests {
    private static let tool = """
        folder("top")
        file("top/tool", b"#!", 0o755)
        link("top/latest", "tool")
        """

    private func job(_ server: borrowing ScriptedServer, _ settings: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            schedule: { durability: none }
            downloads:
              a: { url: \(server.url("/a")), to: a.archive, retry: { attempts: 1 }, \(settings) }
            """
        )
    }

    @Test(arguments: ["tar", "tar.gz", "tar.bz2", "tar.xz"])
    func `a downloaded archive becomes a folder, and the report counts it`(format: String) throws {
        let archive = try TestArchive.make(Self.tool, format: format)
        let server = try ScriptedServer(["/a": [.ok(archive)]])
        let job = try job(server, "extract: { to: out/tool/, stripComponents: 1 }")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.list("out") == ["tool"])
        #expect(try job.folder.list("out/tool") == ["latest", "tool"])
        #expect(try job.folder.text("out/tool/latest") == "#!")
        #expect(try job.folder.read("a.archive") == archive)
        let extraction = run.task("a")?["file"]?["extraction"]
        #expect(extraction?["path"]?.string == "out/tool/")
        #expect(extraction?["entries"]?.integer == 3)
        #expect(extraction?["size"]?.integer == 2)
    }

    @Test(
        arguments: [
            ("maximumEntries: 2", "it has more than 2 entries (`maximumEntries`)"),
            ("maximumSize: 5B", "its files have more than 5 bytes (`maximumSize`)"),
            ("maximumRatio: 50", "its files have more than 67108864 bytes (`maximumRatio`)"),
        ]
    )
    func `the limits of a job are those of its archive`(limit: String, detail: String) throws {
        let large = "zipped(\"a\")\nzipped(\"b\")\nzipped(\"c\", bytes(65 << 20))"
        let server = try ScriptedServer(["/a": [.ok(try TestArchive.make(large, format: "zip"))]])
        let run = try job(server, "extract: { to: out, \(limit) }").run()
        #expect(run.code == 1)
        let message = run.task("a")?["error"]?["message"]?.string
        #expect(message?.contains(detail) == true, "\(message ?? "no message")")
    }

    /// More than a body that stays in memory.
    @Test func `a large zip archive is extracted with durable files`() throws {
        let archive = try TestArchive.make(
            "import random\nzipped(\"a/large\", random.Random(1).randbytes(1 << 20))",
            format: "zip"
        )
        let server = try ScriptedServer(["/a": [.ok(archive)]])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/a")), to: a.zip, extract: out }\n"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.size(of: "out/a/large") == 1 << 20)
        // `.local` has the record of what was extracted.
        #expect(try job.folder.list() == [".local", "a.zip", "job.yaml", "out", "report.json"])
    }

    @Test(arguments: [
        (
            "file(\"../evil\")",
            "`a.archive` cannot be extracted: entry 1, `../evil`: its name has `..`"
        ),
        (
            "link(\"l\", \"/etc\")",
            "cannot be extracted: entry 1, `l`: its target is an absolute path"
        ),
    ])
    func `a hostile archive fails the task with exit code 6 after one request`(
        entry: String,
        detail: String
    ) throws {
        let archive = try TestArchive.make(entry)
        let server = try ScriptedServer(["/a": [.ok(archive), .ok(archive)]])
        let job = try JobFolder(
            "version: 1\ndownloads:\n  a: { url: \(server.url("/a")), to: a.archive, extract: out }\n"
        )
        let run = try job.run()
        #expect(run.code == 6)
        #expect(run.kind("a") == "integrity")
        let found = run.task("a")?["error"]?["message"]?.string
        #expect(found?.contains(detail) == true, "\(found ?? "no detail")")
        #expect(server.requests.count == 1)
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `an archive above a limit fails the task with exit code 1`() throws {
        let server = try ScriptedServer([
            "/a": [.ok(try TestArchive.make("file(\"many\", bytes(2000))"))]
        ])
        let job = try job(server, "extract: { to: out, maximumSize: 1kB }")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("a") == "tooLarge")
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `a body that is no archive is no file either`() throws {
        let server = try ScriptedServer(["/a": [.ok("<html>not found</html>")]])
        let job = try job(server, "extract: out")
        let run = try job.run()
        #expect(run.code == 6)
        #expect(try job.folder.list() == ["job.yaml", "report.json"])
    }

    @Test func `a folder that exists is kept unless the job replaces it`() throws {
        let archive = try TestArchive.make(Self.tool)
        let server = try ScriptedServer(["/a": [.ok(archive), .ok(archive)]])
        let job = try job(server, "extract: out")
        try job.folder.makeFolder("out")
        try job.folder.write("mine", to: "out/mine")
        let kept = try job.run()
        #expect(kept.code == 1)
        #expect(kept.kind("a") == "localIO")
        let help = kept.task("a")?["error"]?["help"]?.string
        #expect(help?.contains("`ifExists: replace` in `extract`") == true)
        #expect(try job.folder.list("out") == ["mine"])
        #expect(!job.folder.contains("a.archive"))

        let replacing = try job.folder.text("job.yaml").replacing(
            "extract: out",
            with: "extract: { to: out, ifExists: replace }"
        )
        try job.folder.write(replacing, to: "job.yaml")
        #expect(try job.run().code == 0)
        #expect(try job.folder.list("out") == ["top"])
        #expect(try job.folder.list() == ["a.archive", "job.yaml", "out", "report.json"])
    }

    @Test func `a later run replaces the folder of an earlier one, whatever the archive has now`()
        throws
    {
        let archives = try ["file(\"old\", b\"1\")", "file(\"new\", b\"2\")"].map {
            try TestArchive.make($0)
        }
        let server = try ScriptedServer(["/a": archives.map { .ok($0) }])
        let job = try job(server, "extract: tools/out/")
        #expect(try job.run().code == 0)
        #expect(try job.folder.list("tools/out") == ["old"])
        let second = try job.run()
        #expect(second.code == 0, "\(second.command.standardError)")
        #expect(try job.folder.list("tools/out") == ["new"])
        #expect(try job.folder.list("tools") == ["out"])
    }

    @Test(arguments: [
        "touch out/top/mine", "echo '#?' > out/top/tool", "rm out/top/tool", "mkdir out/mine",
        "mv out/top out/up", "touch out/mine && rm out/top/latest", "ln -sf mine out/top/latest",
    ])
    func `a folder that was changed since a run extracted it stays`(change: String) throws {
        let archive = try TestArchive.make(Self.tool)
        let server = try ScriptedServer(["/a": [.ok(archive), .ok(archive)]])
        let job = try job(server, "extract: out")
        #expect(try job.run().code == 0)
        let shell = Command("sh", ["-c", "cd \"$1\" && \(change)", "sh", job.folder.path])
        #expect(try shell.run().status == .exit(0))
        let find = Command(
            "sh",
            ["-c", "cd \"$1\" && find . | sort", "sh", job.folder.path("out")]
        )
        let before = try find.run().standardOutput
        let second = try job.run()
        #expect(second.code == 1)
        #expect(second.kind("a") == "localIO")
        #expect(try find.run().standardOutput == before)
    }

    @Test func `another task's folder, and one under ifExists: fail, stay`() throws {
        let archive = try TestArchive.make(Self.tool)
        let server = try ScriptedServer(["/a": [.ok(archive), .ok(archive), .ok(archive)]])
        let job = try job(server, "extract: out")
        #expect(try job.run().code == 0)
        let text = try job.folder.text("job.yaml")
        for change in [
            ("  a: {", "  b: {"), ("extract: out", "extract: { to: out, ifExists: fail }"),
        ] {
            try job.folder.write(text.replacing(change.0, with: change.1), to: "job.yaml")
            #expect(try job.run().code == 1, "\(change.1)")
        }
    }

    @Test func `an unchanged archive is extracted again only without its folder`() throws {
        let archive = try TestArchive.make(Self.tool)
        let server = try ScriptedServer(["/a": [.ok(archive), .ok(archive)]])
        let folder = try TemporaryFolder()
        try folder.write(archive, to: "a")
        let sum = try Command("sha256sum", [folder.path("a")]).run().standardOutput.prefix(64)
        let job = try job(server, "extract: out, checksum: \"sha256:\(sum)\"")
        #expect(try job.run().code == 0)
        let second = try job.run()
        #expect(second.code == 0)
        #expect(second.outcome("a") == "unchanged")
        #expect(server.requests.count == 1)
        #expect(try Command("rm", ["-r", job.folder.path("out")]).run().status == .exit(0))
        let third = try job.run()
        #expect(third.code == 0)
        #expect(third.outcome("a") == "succeeded")
        #expect(try job.folder.list("out") == ["top"])
        #expect(server.requests.count == 2)
    }

    @Test(arguments: ["", ", extract: out"])
    func `two destinations may be one file through a linked folder`(extract: String) throws {
        let server = try ScriptedServer([
            "/a": [.ok(try TestArchive.make(Self.tool))], "/b": [.ok("b")], "/c": [.ok("c")],
        ])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: "\(server.url("/a"))", to: a.archive\(extract) }
              b: { url: "\(server.url("/b"))", to: files/x }
              c: { url: "\(server.url("/c"))", to: linked/x, needs: [b] }
            """
        )
        try job.folder.makeFolder("files")
        try job.folder.link("linked", to: "files")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("files/x") == "c")
    }

    @Test func `doctor names the library`() throws {
        let job = try JobFolder("version: 1\n")
        let doctor = try job.runner(["doctor"])
        #expect(doctor.standardOutput.contains("libarchive.so.13"))
    }
}
