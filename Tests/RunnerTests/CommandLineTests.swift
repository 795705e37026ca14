import TestSupport
import Testing

@Suite struct CommandLineTests {
    private static let valid = "version: 1\ndata:\n  a: { url: http://127.0.0.1:1/ }\n"

    @Test(arguments: [
        [], ["--help"], ["run", "--help"], ["validate", "--help"], ["plan", "--help"],
        ["schema", "--help"], ["help", "run"],
    ])
    func `help goes to standard output and exits with 0`(arguments: [String]) throws {
        let outcome = try JobFolder("").runner(arguments)
        #expect(outcome.status == .exit(0))
        #expect(outcome.standardOutput.contains("USAGE: runner"))
        #expect(outcome.standardError.isEmpty)
    }

    @Test func `the version goes to standard output and exits with 0`() throws {
        let outcome = try JobFolder("").runner(["--version"])
        #expect(outcome.status == .exit(0))
        #expect(
            try outcome.standardOutput.wholeMatch(of: Regex("[0-9]+\\.[0-9]+\\.[0-9]+\n")) != nil
        )
        #expect(outcome.standardError.isEmpty)
    }

    @Test(arguments: [
        ["frobnicate"], ["--frobnicate"], ["run"], ["validate"], ["plan"], ["schema"],
        ["run", "job.yaml", "--frobnicate"], ["run", "job.yaml", "job.yaml"],
        ["run", "job.yaml", "--progress", "loud"], ["run", "job.yaml", "--report"],
        ["run", "job.yaml", "--var", "novalue"], ["run", "job.yaml", "--var", "=value"],
        ["validate", "job.yaml", "--format", "xml"], ["schema", "weather"],
    ])
    func `a wrong command line exits with 2 and sends nothing`(arguments: [String]) throws {
        let job = try JobFolder(Self.valid)
        let outcome = try job.runner(arguments)
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.hasPrefix("Error: "))
        #expect(outcome.standardOutput.isEmpty)
        #expect(try job.folder.list() == ["job.yaml"])
    }

    @Test(arguments: [
        (["statsu"], "Error: Unknown command 'runner statsu'. Did you mean 'runner status'?\n"),
        (["help", "validat"], "'runner validat'. Did you mean 'runner validate'?"),
        (["report", "hra", "x"], "'runner report hra'. Did you mean 'runner report har'?"),
        (["frobnicate"], "'runner frobnicate'; there are validate, plan, run, lock, submit, "),
    ])
    func `an unknown command is named, with the nearest one`(
        arguments: [String],
        message: String
    ) throws {
        let outcome = try JobFolder("").runner(arguments)
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains(message), "\(outcome.standardError)")
        // Hidden commands stay hidden.
        #expect(!outcome.standardError.contains("find-proxy"))
    }

    @Test(arguments: [
        ["validate"], ["plan"], ["run"], ["lock"], ["submit"], ["status"], ["suspend"], ["resume"],
        ["cancel"], ["reset"], ["cache"], ["cache", "stat"], ["cache", "ls"],
        ["cache", "clear"], ["cache", "verify"], ["report"], ["report", "show"],
        ["report", "diff"], ["report", "otlp"], ["report", "merge"],
        ["report", "har"], ["report", "junit"], ["report", "prometheus"], ["report", "html"],
        ["interfaces"], ["schema"], ["doctor"], ["completion"], [],
    ])
    func `the help of each command has an example`(command: [String]) throws {
        let help = try JobFolder("").runner(command + ["--help"]).standardOutput
        let example = try Regex("\nEXAMPLES:\n  # [^\n]+\n  [^\n]*(runner|schema)")
        #expect(help.contains(example), "\(help)")
        let lines = help.split(separator: "\n").filter { !$0.hasPrefix("USAGE:") }
        #expect(lines.allSatisfy { $0.count <= 80 }, "\(help)")
    }

    @Test(arguments: [
        ["--only", "a", "job.yaml"], ["--only", "job.yaml", "a"], ["job.yaml", "--only", "a"],
        ["--only", "a", "--", "job.yaml"], ["--only", "a", "a", "./job.yaml"],
    ])
    func `the tasks of --only and the job file may have any order`(arguments: [String]) throws {
        let job = try JobFolder(Self.valid.replacing("  a:", with: "  b: { url: http://b/ }\n  a:"))
        // A file that is named as a task is no job file.
        try job.folder.write("", to: "a")
        let outcome = try job.runner(["plan", "--format", "json"] + arguments)
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let plan = try JSONValue(outcome.standardOutput)
        #expect(plan["tasks"]?.elements.map { $0["id"]?.string } == ["a"])
    }

    @Test(arguments: [
        (["--only", "a", "b"], "'--only' took 'a', 'b'; name the job file first, or after '--'"),
        (["--only", "job.yaml"], "'--only' names no task before or after 'job.yaml'"),
        (["--only", "job.yaml", "other.yaml", "a"], "took 'job.yaml', 'other.yaml', 'a'"),
    ])
    func `--only names the words it took if the job file is not among them`(
        arguments: [String],
        words: String
    ) throws {
        let job = try JobFolder(Self.valid)
        try job.folder.write(Self.valid, to: "other.yaml")
        for command in ["run", "plan"] {
            let outcome = try job.runner([command] + arguments)
            #expect(outcome.status == .exit(2))
            #expect(outcome.standardError.hasPrefix("Error: "))
            #expect(outcome.standardError.contains(words), "\(outcome.standardError)")
            #expect(try job.folder.list() == ["job.yaml", "other.yaml"])
        }
    }

    @Test(arguments: ["run", "plan"])
    func `an unknown task exits with 2 and names the nearest one`(command: String) throws {
        let job = try JobFolder(Self.valid.replacing("  a:", with: "  fetch:"))
        let outcome = try job.runner([command, "job.yaml", "--only", "fetchh"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("there is no task `fetchh`"))
        #expect(outcome.standardError.contains("did you mean `fetch`?"))
        #expect(try job.folder.list() == ["job.yaml"])
    }

    @Test(arguments: [
        ("RUNNER_PROGRESS", "loud"), ("RUNNER_FAIL_FAST", "perhaps"),
    ])
    func `a wrong word in the environment exits with 2 and names the variable`(
        name: String,
        value: String
    ) throws {
        let job = try JobFolder(Self.valid)
        let outcome = try job.runner(["run", "job.yaml"], environment: [name: value])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("\(name) is `\(value)`"))
        #expect(try job.folder.list() == ["job.yaml"])
    }

    @Test(arguments: [
        "events", "job", "lock", "protocol", "report", "report-diff", "report-events",
    ])
    func `a schema is printed as the repository keeps it`(subject: String) throws {
        let outcome = try JobFolder("").runner(["schema", subject])
        #expect(outcome.status == .exit(0))
        let kept = try #require(Fixture.read(Repository.path("schemas/\(subject).schema.json")))
        let isEqual = Array(outcome.standardOutput.utf8) == kept
        #expect(isEqual)
    }

    @Test func `a plan is listed with the lines that set it`() throws {
        let outcome = try JobFolder(Self.valid).runner(["plan", "job.yaml"])
        #expect(outcome.status == .exit(0))
        #expect(outcome.standardOutput.contains("1. data a (line 3)"))
        #expect(outcome.standardError.isEmpty)
    }

    @Test func `a plan is listed as JSON`() throws {
        let outcome = try JobFolder(Self.valid)
            .runner(["plan", "job.yaml", "--format", "json"])
        let plan = try JSONValue(outcome.standardOutput)
        #expect(plan["tasks"]?.elements.map { $0["id"]?.string } == ["a"])
    }

    /// Through a shell: only that can close an output before the command starts, and fill a disk.
    private func shell(_ script: String, in job: JobFolder) throws -> Command.Outcome {
        let runner = try job.command([]).executable
        return try Command(
            "bash",
            ["-c", script, "bash", runner],
            environment: ["HOME": job.folder.path],
            workingFolder: job.folder.path
        ).run()
    }

    @Test(arguments: ["validate job.yaml", "plan job.yaml", "schema job", "--help", "--version"])
    func `a closed reader is no failure`(arguments: String) throws {
        // The reader ends before the command begins.
        let outcome = try shell(
            "exec 3> >(:); wait $!; \"$1\" \(arguments) >&3",
            in: JobFolder(Self.valid)
        )
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(outcome.standardError.isEmpty)
    }

    @Test func `an invalid file ends with code 3 even if standard output is closed`() throws {
        let outcome = try shell(
            "exec 3> >(:); wait $!; \"$1\" validate --format json job.yaml >&3",
            in: JobFolder("version: 2\n")
        )
        #expect(outcome.status == .exit(3))
    }

    @Test(arguments: ["validate job.yaml", "plan job.yaml", "schema job", "--help"])
    func `a result that cannot be written exits with 4`(arguments: String) throws {
        let outcome = try shell("\"$1\" \(arguments) >/dev/full", in: JobFolder(Self.valid))
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("No space left on device"))
    }

    @Test(arguments: [("", ">/dev/full"), ("", ">&-"), ("exec 3> >(:); wait $!;", ">&3")])
    func `a printed report that is lost is a failure, which the written one tells`(
        preparation: String,
        output: String
    ) throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder(
            """
            version: 1
            report: { json: report.json }
            data:
              a: { url: \(server.url("/")) }
            """
        )
        let command = "\"$1\" run job.yaml --report - --progress json"
        let outcome = try shell("\(preparation) \(command) \(output)", in: job)
        #expect(outcome.status == .exit(4), "\(outcome.standardError)")
        let report = try JSONValue(job.folder.text("report.json"))
        #expect(report["summary"]?["exitCode"]?.integer == 4)
        let end = outcome.standardError.split(separator: "\n").first { $0.contains("runFinished") }
        #expect(end?.contains(#""exitCode":4"#) == true, "\(outcome.standardError)")
    }

    @Test func `a run without a standard error has the same exit code`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let job = try JobFolder("version: 1\ndata:\n  a: { url: \(server.url("/")) }\n")
        let outcome = try shell("\"$1\" run job.yaml --report report.json 2>&- >&-", in: job)
        #expect(try outcome.reported(in: job.folder).code == 0)
    }
}
