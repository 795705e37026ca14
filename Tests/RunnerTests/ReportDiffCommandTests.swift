import TestSupport
import Testing

/// `runner report diff` compares the reports of two runs.
@Suite struct ReportDiffCommandTests {
    private let job: JobFolder

    init() throws {
        let server = try ScriptedServer([
            "/file": [.ok("one"), .ok("other")], "/flaky": [.ok("good"), .status(404)],
        ])
        job = try JobFolder(
            """
            version: 1
            name: nightly
            downloads:
              file: { url: "\(server.url("/file"))", to: file, ifExists: replace }
              flaky: { url: "\(server.url("/flaky"))", to: flaky, ifExists: replace }
            """
        )
        for (name, code) in [("old.json", 0), ("new.json", 1)] {
            let run = try job.runner(["run", "job.yaml", "--report", name])
            #expect(run.status == .exit(Int32(code)), "\(run)")
        }
    }

    @Test func `a failure of the later run ends with 1, its mend with 0`() throws {
        // A machine under load takes longer for a task that is the same.
        let factor = ["--slower", "1000"]
        let worse = try job.runner(["report", "diff", "old.json", "new.json"] + factor)
        #expect(worse.status == .exit(1), "\(worse)")
        #expect(worse.standardOutput.contains("2 tasks in both: 1 failed anew, 1 changed"))
        #expect(worse.standardOutput.contains("flaky  failed: httpStatus"))
        #expect(worse.standardOutput.contains("file  3 B → 5 B"))
        let better = try job.runner(["report", "diff", "new.json", "old.json"] + factor)
        #expect(better.status == .exit(0), "\(better)")
        #expect(better.standardOutput.contains("flaky  failed (httpStatus) → succeeded"))
    }

    @Test func `the differences are printed as JSON, too`() throws {
        let outcome = try job.runner(["report", "diff", "old.json", "new.json", "--format", "json"])
        #expect(outcome.status == .exit(1))
        let json = try JSONValue(outcome.standardOutput)
        let validator = try Repository.validator("report-diff")
        #expect(validator.faults(in: json) == [])
        #expect(json["failedAnew"]?[0]?["id"]?.string == "flaky")
    }

    @Test func `another file and a wrong factor are refused`() throws {
        let outcome = try job.runner(["report", "diff", "old.json", "job.yaml"])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("`job.yaml` is no report of runner"), "\(outcome)")
        let factor = try job.runner(["report", "diff", "old.json", "new.json", "--slower", "0.5"])
        #expect(factor.status == .exit(2))
    }
}
