import TestSupport
import Testing

@Suite struct ValidateFormatsTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("jobs")
        try folder.write(
            "version: 1\ndata: { a: { url: 'https://a.example/' } }",
            to: "jobs/a.yaml"
        )
        try folder.write(
            "version: 1\ndata: { a: { url: 'https://a.example/$HOST' } }",
            to: "jobs/doubtful.yaml"
        )
        try folder.write("version: 1\ntimeout: 5s", to: "wrong.yaml")
    }

    private func validate(
        _ arguments: String...,
        environment: [String: String?] = [:]
    ) throws -> Command.Outcome {
        try Command.runner(
            ["validate"] + arguments,
            environment: environment,
            workingFolder: folder.path
        ).run()
    }

    @Test func `an unexpanded pattern yields each of its files once`() throws {
        let outcome = try validate("jobs/*.yaml", "jobs/a.yaml")
        #expect(outcome.status == .exit(0))
        #expect(
            outcome.standardOutput == """
                jobs/a.yaml: valid, 1 task
                jobs/doubtful.yaml: valid, 1 task

                """
        )
    }

    @Test func `a pattern without a file is a fault of the environment`() throws {
        let outcome = try validate("jobs/a.yaml", "jobs/*.yml")
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError == "runner: no file matches `jobs/*.yml`\n")
    }

    @Test func `standard input is refused with its reason`() throws {
        let outcome = try validate("-")
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("relative to the job file"))
    }

    @Test func `a warning fails only a strict check`() throws {
        #expect(try validate("jobs/doubtful.yaml").status == .exit(0))
        #expect(try validate("--strict", "jobs/a.yaml").status == .exit(0))
        for outcome in [
            try validate("--strict", "jobs/*.yaml"),
            try validate("jobs/doubtful.yaml", environment: ["RUNNER_STRICT": "1"]),
        ] {
            #expect(outcome.status == .exit(3))
            #expect(outcome.standardError.contains("warning: "))
            #expect(!outcome.standardOutput.contains("doubtful"))
        }
    }

    @Test func `workflow commands go to standard output, and only when asked for`() throws {
        let outcome = try validate("--format", "github", "wrong.yaml", "jobs/a.yaml")
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardOutput.hasPrefix("::error file=wrong.yaml,line=2,endLine=2,col=1,"))
        #expect(outcome.standardError.isEmpty)
        let unasked = try validate("wrong.yaml", environment: ["GITHUB_ACTIONS": "true"])
        #expect(unasked.standardOutput.isEmpty)
        #expect(unasked.standardError.hasPrefix("wrong.yaml:2:1: error: "))
    }

    @Test func `GitLab gets an array with the path, the line and a fingerprint of each fault`()
        throws
    {
        try folder.write("version: 1\ntimeout: 5s\ndata: { a: { urll: 1 } }", to: "wrong.yaml")
        let outcome = try validate("--format", "gitlab", "./wrong.yaml", "jobs/*.yaml")
        #expect(outcome.status == .exit(3) && outcome.standardError.isEmpty)
        let faults = try JSONValue(outcome.standardOutput).elements
        #expect(faults.count > 2)
        let first = try #require(faults.first)
        #expect(first["check_name"]?.string == "job.unknown-key")
        #expect(first["severity"]?.string == "critical")
        #expect(first["location"]?["path"]?.string == "wrong.yaml")
        #expect(first["location"]?["lines"]?["begin"]?.integer == 2)
        #expect(faults.contains { $0["severity"]?.string == "minor" })
        let prints = faults.compactMap { $0["fingerprint"]?.string }
        #expect(Set(prints).count == faults.count && prints.allSatisfy { $0.utf8.count == 32 })
        // A line above changes no fingerprint.
        try folder.write("version: 1\n\ntimeout: 5s\ndata: { a: { urll: 1 } }", to: "wrong.yaml")
        let later = try validate("--format", "gitlab", "wrong.yaml", "jobs/*.yaml")
        let moved = try JSONValue(later.standardOutput).elements
        #expect(moved.compactMap { $0["fingerprint"]?.string } == prints)
        #expect(moved.first?["location"]?["lines"]?["begin"]?.integer == 3)
    }

    @Test func `GitLab gets an empty array without a fault`() throws {
        let outcome = try validate("--format", "gitlab", "jobs/a.yaml")
        #expect(outcome.status == .exit(0) && outcome.standardOutput == "[]\n")
    }

    @Test func `a SARIF log holds all files in one run`() throws {
        let outcome = try validate("--format", "sarif", "wrong.yaml", "jobs/*.yaml")
        #expect(outcome.status == .exit(3))
        let runs = try JSONValue(outcome.standardOutput)["runs"]
        #expect(runs?.elements.count == 1)
        #expect(runs?[0]?["artifacts"]?.elements.count == 3)
        #expect(runs?[0]?["results"]?.elements.count == 2)
    }

    @Test(arguments: ["github", "gitlab", "sarif"])
    func `a service gets the path of a file in its repository`(format: String) throws {
        let outcome = try Command.runner(
            ["validate", "--format", format, "../wrong.yaml"],
            environment: ["GITHUB_WORKSPACE": folder.path],
            workingFolder: folder.path("jobs")
        ).run()
        #expect(outcome.status == .exit(3), "\(outcome)")
        let text = outcome.standardOutput
        #expect(text.contains("wrong.yaml") && !text.contains("../wrong.yaml"), "\(text)")
    }

    @Test func `plan has no formats of diagnostics`() throws {
        let outcome = try Command.runner(
            ["plan", "jobs/a.yaml", "--format", "sarif"],
            workingFolder: folder.path
        ).run()
        #expect(outcome.status == .exit(2))
    }
}
