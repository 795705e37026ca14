import TestSupport
import Testing

/// Downloads whose files the server names.
@Suite struct ServerNameTests {
    private static func named(_ name: String) -> Reply {
        .ok("new", ["Content-Disposition: attachment; filename=\"\(name)\""])
    }

    @Test(arguments: ["../../etc/x", "/x", "out/../../x", #"..\x"#, ".x", "x"])
    func `a name never leaves the folder`(name: String) throws {
        let server = try ScriptedServer { _ in Self.named(name) }
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \(server.url("/")), to: a/b/ } }\n"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.task("a")?["file"]?["path"]?.string == "a/b/x")
        // The job's state folder has the record of the file.
        #expect(try job.folder.list() == [".local", "a", "job.yaml", "report.json"])
        #expect(try job.folder.list("a/b") == ["x"])
    }

    @Test(arguments: ["x", "job.yaml", "report.json"], ["", ", ifExists: replace"])
    func `a server's file name replaces no file without permission`(name: String, rule: String)
        throws
    {
        let server = try ScriptedServer { _ in Self.named(name) }
        let text = "version: 1\ndownloads: { a: { url: \(server.url("/")), to: ./\(rule) } }\n"
        let job = try JobFolder(text)
        try job.folder.write("old", to: "x")
        let run = try job.run()
        let isReplaced = name == "x" && !rule.isEmpty
        #expect(run.code == (isReplaced ? 0 : 1))
        #expect(try job.folder.text("x") == (isReplaced ? "new" : "old"))
        #expect(try job.folder.text("job.yaml") == text)
        #expect(try job.folder.list() == ["job.yaml", "report.json", "x"])
    }

    @Test func `a kept existing file is unchanged`() throws {
        let server = try ScriptedServer { _ in Self.named("x") }
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \(server.url("/")), to: ./, ifExists: skip } }\n"
        )
        try job.folder.write("old", to: "x")
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.outcome("a") == "unchanged")
        #expect(run.task("a")?["changed"]?.bool == false)
        #expect(try job.folder.text("x") == "old")
    }

    @Test func `a symbolic link under the name is replaced, not followed`() throws {
        let server = try ScriptedServer { _ in Self.named("x") }
        let job = try JobFolder(
            "version: 1\ndownloads: { a: { url: \(server.url("/")), to: out/, ifExists: replace } }\n"
        )
        try job.folder.makeFolder("out")
        try job.folder.write("theirs", to: "theirs")
        let link = Command("ln", ["-s", "../theirs", "out/x"], workingFolder: job.folder.path)
        #expect(try link.run().status == .exit(0))
        #expect(try job.run().code == 0)
        #expect(try job.folder.text("theirs") == "theirs")
        #expect(try job.folder.text("out/x") == "new")
    }

    @Test func `of two tasks with one name the second fails`() throws {
        let server = try ScriptedServer { _ in Self.named("same") }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              one: { url: \(server.url("/1")), to: out/, ifExists: replace }
              two: { url: \(server.url("/2")), to: out/, ifExists: replace, needs: [one] }
              three: { url: \(server.url("/3")), to: out/same-not, needs: [one] }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.outcome("one") == "succeeded")
        #expect(run.kind("two") == "localIO")
        #expect(run.outcome("three") == "succeeded")
        #expect(
            run.task("two")?["error"]?["message"]?.string
                == "`out/same` belongs to the task one"
        )
        #expect(try job.folder.list("out") == ["same", "same-not"])
    }

    @Test(arguments: [
        ("fixed.txt", "the task fixed"), ("kept.txt", "the task kept"),
        ("src.bin", "the run itself"), ("part.bin", "the run itself"),
        ("rows.csv", "the run itself"), ("deep", "the run itself"),
        ("row-2", "the task rows[2]"),
    ])
    func `a server cannot name a file that the job declares elsewhere`(
        name: String,
        owner: String
    ) throws {
        let server = try ScriptedServer { request in
            request.path == "/named" ? Self.named(name) : .ok("own")
        }
        let url = server.url("/other")
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            downloads:
              thief: { url: "\(server.url("/named"))", to: o/, ifExists: replace }
              fixed: { url: "\(url)", to: o/fixed.txt }
              kept: { url: "\(url)", to: o/kept.txt, ifExists: skip }
              deep: { url: "\(url)", to: o/deep/er/x }
              rows: { forEach: { csv: o/rows.csv, key: "${item.n}" }, url: "\(url)", to: "o/row-${item.n}" }
            uploads:
              sent: { url: "\(url)", method: PUT, file: o/src.bin }
              parts: { url: "\(url)", multipart: { it: { file: o/part.bin } } }
            """
        )
        try job.folder.makeFolder("o")
        for file in ["kept.txt", "src.bin", "part.bin"] {
            try job.folder.write("old", to: "o/\(file)")
        }
        try job.folder.write("n\n1\n2\n", to: "o/rows.csv")
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(
            run.task("thief")?["error"]?["message"]?.string
                == "`o/\(name)` belongs to \(owner)"
        )
        for task in ["fixed", "deep", "rows[1]", "rows[2]", "sent", "parts"] {
            #expect(run.outcome(task) == "succeeded")
        }
        #expect(run.outcome("kept") == "unchanged")
        for file in ["kept.txt", "src.bin", "part.bin"] {
            #expect(try job.folder.text("o/\(file)") == "old")
        }
    }

    @Test func `without content a download leaves the old file`() throws {
        let server = try ScriptedServer { _ in .raw("HTTP/1.1 204 None\r\n\r\n") }
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/"))", to: old } }
            uploads: { b: { url: "\(server.url("/"))", text: x, responseTo: answer } }
            """
        )
        try job.folder.write("old", to: "old")
        let run = try job.run()
        #expect(run.outcome("a") == "failed")
        #expect(run.outcome("b") == "succeeded")
        #expect(try job.folder.text("old") == "old")
    }
}
