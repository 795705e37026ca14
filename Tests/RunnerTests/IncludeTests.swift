import TestSupport
import Testing
import TransferModel

/// Jobs whose sessions and tasks are in several files.
@Suite struct IncludeTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { request in
            request.path == "/missing" ? .status(404) : .ok("x")
        }
        job = try JobFolder(
            """
            version: 1
            include: shared/tasks.yaml
            downloads:
              first: { session: api, url: "\(server.url("/first"))", to: out/first }
            """
        )
        try job.folder.makeFolder("shared")
        try job.folder.write(
            "version: 1\nsessions: { api: { httpAdditionalHeaders: { X-Shared: yes } } }\n",
            to: "shared/sessions.yaml"
        )
        try writeTasks("second")
    }

    private func writeTasks(_ path: String) throws {
        try job.folder.write(
            """
            version: 1
            include: sessions.yaml
            downloads:
              second: { session: api, url: "\(server.url("/\(path)"))", to: out/second }
            """,
            to: "shared/tasks.yaml"
        )
    }

    @Test func `a run has the tasks and sessions of included files`() throws {
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.list("out") == ["first", "second"])
        #expect(server.requests.allSatisfy { $0.headers["X-Shared"] == "yes" })
        #expect(run.task("first")?["source"]?["file"]?.string == "job.yaml")
        #expect(run.task("second")?["source"]?["file"]?.string == "shared/tasks.yaml")
        #expect(run.task("second")?["source"]?["line"]?.integer == 4)
    }

    @Test func `a failure names its place in the included file`() throws {
        try writeTasks("missing")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.command.standardError.contains("(shared/tasks.yaml:4:"))
        let shown = try job.runner(["report", "show", "report.json"])
        #expect(shown.standardOutput.contains("shared/tasks.yaml:4:"), "\(shown)")
    }

    @Test func `a captured value that does not fit is placed in the included file`() throws {
        try job.folder.write(
            """
            version: 1
            include: shared/tasks.yaml
            data:
              first: { url: "\(server.url("/first"))", capture: { s: { regex: "x" } } }
            """,
            to: "job.yaml"
        )
        try job.folder.write(
            """
            version: 1
            data:
              second: { url: "${task.first.s}", needs: first }
            """,
            to: "shared/tasks.yaml"
        )
        let run = try job.run()
        #expect(run.command.standardError.contains("line 3, column "), "\(run.command)")
        #expect(run.command.standardError.contains("(shared/tasks.yaml:3:"), "\(run.command)")
    }

    @Test func `a line of a report names the included file`() throws {
        let text = try job.folder.text("job.yaml")
        try job.folder.write(text + "\nreport: { detail: failures }", to: "job.yaml")
        let outcome = try job.runner(["run", "job.yaml", "--report", "report.json"])
        #expect(outcome.status == .exit(0), "\(outcome)")
        let lines = try JSONValue(job.folder.text("report.json"))["tasks"]?.elements ?? []
        let places = lines.map { line in
            let place = "\(line["include"]?.string ?? ""):\(line["line"]?.integer ?? 0)"
            return "\(line["id"]?.string ?? "") \(place)"
        }
        #expect(Set(places) == ["first :4", "second shared/tasks.yaml:4"])
    }

    @Test func `the plan names the file of each line of an included file`() throws {
        let plan = try job.runner(["plan", "job.yaml"])
        #expect(plan.standardOutput.contains("session api (line 2 of shared/sessions.yaml)"))
        #expect(plan.standardOutput.contains("download first (line 4)"))
        #expect(plan.standardOutput.contains("download second (line 4 of shared/tasks.yaml)"))
    }

    @Test(arguments: [
        ("text", "shared/tasks.yaml:3:1: error: unknown key `nonsense`"),
        ("json", #""file": "shared/tasks.yaml""#),
        ("sarif", #""uri": "shared/tasks.yaml""#),
        ("github", "::error file=shared/tasks.yaml,line=3,"),
        ("gitlab", #""path": "shared/tasks.yaml""#),
    ])
    func `each format has the place in the included file`(format: String, place: String) throws {
        try job.folder.write(
            "version: 1\ninclude: sessions.yaml\nnonsense: 1\n",
            to: "shared/tasks.yaml"
        )
        let outcome = try job.runner(["validate", "--format", format, "job.yaml"])
        #expect(outcome.status == .exit(3))
        let output = outcome.standardOutput + outcome.standardError
        #expect(output.contains(place), "\(output)")
    }

    @Test func `a run without an included file exits with 3 and does nothing`() throws {
        try job.folder.write("version: 1\n", to: "shared/tasks.yaml")
        let text = try job.folder.text("job.yaml")
        try job.folder.write(
            text.replacing("shared/tasks.yaml", with: "[shared/sessions.yaml, gone.yaml]"),
            to: "job.yaml"
        )
        let outcome = try job.runner(["run", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("there is no file `gone.yaml`"), "\(outcome)")
        #expect(server.requests.isEmpty)
    }

    @Test func `shards of a job with another included file are not merged`() throws {
        let shard = { (number: Int) in
            try job.runner(
                ["run", "job.yaml", "--shard", "\(number)/2", "--report", "\(number).json"]
            )
        }
        let merge = ["report", "merge", "1.json", "2.json", "-o", "all.json"]
        for number in [1, 2] { #expect(try shard(number).status == .exit(0)) }
        #expect(try job.runner(merge).status == .exit(0))
        #expect(server.requests.count == 2)
        try writeTasks("other")
        #expect(try shard(2).status == .exit(0))
        let refused = try job.runner(merge)
        #expect(refused.status == .exit(4))
        #expect(refused.standardError.contains("another version of the job file"), "\(refused)")
    }
}
