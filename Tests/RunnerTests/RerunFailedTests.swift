import JSON
import TestSupport
import Testing

/// `--rerun-failed REPORT` runs what an earlier run left, and `--report -` prints the report.
@Suite struct RerunFailedTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer([
            "/login": [.ok("t1"), .ok("t2")], "/good": [.ok("good")],
            "/bad": [.status(404), .ok("mended")], "/after": [.ok("after")],
        ])
        job = try JobFolder(
            """
            version: 1
            name: nightly
            report: { json: report.json }
            data:
              login: { url: "\(server.url("/login"))", capture: { t: { regex: "t." } } }
            downloads:
              good: { url: "\(server.url("/good"))", to: good }
              bad: { url: "\(server.url("/bad"))", to: bad, needs: [login],
                     headers: { X-T: "${task.login.t}" } }
              after: { url: "\(server.url("/after"))", to: after, needs: [bad] }
            """
        )
    }

    private func rerun(_ arguments: String...) throws -> Command.Outcome {
        try job.runner(["run", "job.yaml", "--rerun-failed", "report.json"] + arguments)
    }

    @Test func `only tasks without success run again, with what they need`() throws {
        #expect(try job.run().code == 1)
        let count = server.requests.count
        let again = try rerun()
        #expect(again.status == .exit(0), "\(again)")
        #expect(
            server.requests.dropFirst(count).map(\.path) == ["/login", "/bad", "/after"]
        )
        #expect(try job.folder.text("bad") == "mended")
        // The new report has the rest: all of it has succeeded now.
        let third = try rerun()
        #expect(third.status == .exit(0), "\(third)")
        #expect(third.standardError.contains("succeeded: nothing to run"), "\(third)")
        #expect(server.requests.count == count + 3)
        let text = try job.folder.text("job.yaml").replacing("name: nightly", with: "name: other")
        try job.folder.write(Array(text.utf8), to: "job.yaml")
        #expect(try rerun().status == .exit(2), "a report without failures of another job")
    }

    @Test func `a report of another job, another file and a second choice are refused`() throws {
        #expect(try job.run().code == 1)
        let count = server.requests.count
        let both = try rerun("--only", "bad")
        #expect(both.status == .exit(2))
        #expect(both.standardError.contains("--rerun-failed and --only choose tasks"), "\(both)")
        try job.folder.write(Array(try job.folder.text("job.yaml").utf8), to: "other.yaml")
        let text = try job.folder.text("job.yaml").replacing("name: nightly", with: "name: other")
        try job.folder.write(Array(text.utf8), to: "job.yaml")
        let other = try rerun()
        #expect(other.status == .exit(2))
        #expect(other.standardError.contains("is of the job `nightly`, not of `other`"), "\(other)")
        let none = try job.runner(["run", "job.yaml", "--rerun-failed", "job.yaml"])
        #expect(none.status == .exit(4))
        #expect(none.standardError.contains("is no report of runner"), "\(none)")
        #expect(server.requests.count == count)
    }

    @Test func `tasks that were removed from the job file are left out`() throws {
        #expect(try job.run().code == 1)
        let count = server.requests.count
        var lines = try job.folder.text("job.yaml").split(separator: "\n")
        lines.removeAll { $0.contains("after:") }
        try job.folder.write(Array(lines.joined(separator: "\n").utf8), to: "job.yaml")
        let again = try rerun("--report", "again.json")
        #expect(again.status == .exit(0), "\(again)")
        #expect(again.standardError.contains("no longer has the task `after` of the report"))
        #expect(server.requests.dropFirst(count).map(\.path) == ["/login", "/bad"])
        lines.removeAll { $0.contains("bad:") || $0.contains("X-T") }
        try job.folder.write(Array(lines.joined(separator: "\n").utf8), to: "job.yaml")
        let none = try rerun()
        #expect(none.status == .exit(0), "\(none)")
        #expect(none.standardError.contains("`bad` and 1 more"), "\(none)")
        #expect(!none.standardError.contains("--only"))
        #expect(server.requests.count == count + 2)
    }

    @Test func `a row that was removed from a data file is left out`() throws {
        let server = try ScriptedServer(["/a": [.status(404), .ok("a")], "/b": [.status(404)]])
        let job = try JobFolder(
            """
            version: 1
            report: { json: report.json }
            downloads:
              each: { forEach: { csv: rows.csv, key: "${item.name}" }, to: "${item.name}",
                      url: "\(server.origin)/${item.name}" }
            """
        )
        try job.folder.write("name\na\nb\n", to: "rows.csv")
        #expect(try job.run().code == 1)
        try job.folder.write("name\na\n", to: "rows.csv")
        let again = try job.runner(["run", "job.yaml", "--rerun-failed", "report.json"])
        #expect(again.status == .exit(0), "\(again)")
        #expect(again.standardError.contains("no longer has the task `each[b]`"), "\(again)")
        #expect(server.requests.dropFirst(2).map(\.path) == ["/a"])
    }

    @Test func `the report goes to standard output, too`() throws {
        let run = try job.runner(["run", "job.yaml", "--report", "-"])
        #expect(run.status == .exit(1))
        let printed = try JSONValue(bytes: Array(run.standardOutput.utf8))
        #expect(printed["job"]?["name"]?.string == "nightly")
        #expect(try job.folder.text("report.json") == run.standardOutput)
        let detached = try job.runner(["run", "job.yaml", "--report", "-", "--detach"])
        #expect(detached.status == .exit(2))
        #expect(detached.standardError.contains("a detached run has no standard output"))
    }
}
