import TestSupport
import Testing

/// Paths on the command line or in a job must not harm existing files.
@Suite struct SafePathTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { _ in .ok("x") }
        job = try JobFolder("version: 1\ndata: { a: { url: \(server.url("/")) } }\n")
    }

    @Test(arguments: ["", "job.yaml", "./job.yaml", "link.yaml"])
    func `a report that is no file of its own is a wrong command line`(path: String) throws {
        let text = try job.folder.text("job.yaml")
        let link = Command("ln", ["job.yaml", "link.yaml"], workingFolder: job.folder.path)
        #expect(try link.run().status == .exit(0))
        let outcome = try job.runner(["run", "job.yaml", "--report", path])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("report"))
        #expect(try job.folder.text("job.yaml") == text)
        #expect(server.requests.isEmpty)
    }

    @Test func `a report that will be the job file is found before its folder is made`() throws {
        let text = try job.folder.text("job.yaml")
        let outcome = try job.runner(["run", "job.yaml", "--report", "new/../job.yaml"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("`--report` is the job file itself"))
        #expect(try job.folder.list() == ["job.yaml"])
        #expect(try job.folder.text("job.yaml") == text)
        #expect(server.requests.isEmpty)
    }

    @Test func `a report path that is one of the job's files is a fault of the file`() throws {
        try job.folder.makeFolder("sub")
        let link = Command("ln", ["-s", ".", "here"], workingFolder: job.folder.path)
        #expect(try link.run().status == .exit(0))
        let text = try job.folder.text("job.yaml") + "report: { json: sub/../here/job.yaml }\n"
        try job.folder.write(text, to: "job.yaml")
        for command in ["run", "validate"] {
            let outcome = try job.runner([command, "job.yaml"])
            #expect(outcome.status == .exit(3))
            #expect(outcome.standardError.contains("the report's file is the job file itself"))
        }
        #expect(try job.folder.text("job.yaml") == text)
    }

    @Test func `a report path from the environment obeys the same rules`() throws {
        let outcome = try job.runner(
            ["run", "job.yaml"],
            environment: ["RUNNER_REPORT": "job.yaml"]
        )
        #expect(outcome.status == .exit(2))
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: ["folder", "folder/", "pipe", "/dev/null", "/dev/stdout"])
    func `a report that would replace a non-file sends nothing`(path: String) throws {
        try job.folder.makeFolder("folder")
        let pipe = Command("mkfifo", ["pipe"], workingFolder: job.folder.path)
        #expect(try pipe.run().status == .exit(0))
        let outcome = try job.runner(["run", "job.yaml", "--report", path])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.hasPrefix("runner: the report `json`: cannot write "))
        #expect(server.requests.isEmpty)
        #expect(try job.folder.list() == ["folder", "job.yaml", "pipe"])
    }

    @Test(arguments: ["run", "plan", "validate"])
    func `a job file is not read from standard input`(command: String) throws {
        let outcome = try job.runner([command, "-"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("for a file named -, write ./-"))
    }

    @Test func `a file named by a hyphen is read by its path`() throws {
        try job.folder.write(job.folder.text("job.yaml"), to: "-")
        #expect(try job.runner(["validate", "./-"]).status == .exit(0))
    }

    @Test func `a job file that is too large is an invalid one`() throws {
        let grow = Command("truncate", ["-s", "70M", "large.yaml"], workingFolder: job.folder.path)
        #expect(try grow.run().status == .exit(0))
        let outcome = try job.runner(["validate", "large.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("yaml.too-large"))
    }
}
