import TestSupport
import Testing

/// `runner report merge` makes one report of a run and its rerun.
@Suite struct ReportMergeCommandTests {
    @Test func `a run and its rerun become one report without a failure`() throws {
        let server = try ScriptedServer([
            "/good": [.ok("good")], "/bad": [.status(404), .ok("mended")],
        ])
        let job = try JobFolder(
            """
            version: 1
            name: nightly
            downloads:
              good: { url: "\(server.url("/good"))", to: good }
              bad: { url: "\(server.url("/bad"))", to: bad }
            """
        )
        let first = try job.runner(["run", "job.yaml", "--report", "first.json"])
        #expect(first.status == .exit(1))
        let rerun = [
            "run", "job.yaml", "--rerun-failed", "first.json", "--report", "second.json.gz",
        ]
        let second = try job.runner(rerun)
        #expect(second.status == .exit(0), "\(second)")

        let merge = ["report", "merge", "first.json", "second.json.gz"]
        let merged = try job.runner(merge + ["-o", "all.json"])
        #expect(merged.status == .exit(0), "\(merged)")
        let report = try JSONValue(job.folder.text("all.json"))
        #expect(try Repository.reportValidator().faults(in: report) == [])
        #expect(report["summary"]?["exitCode"]?.integer == 0)
        #expect(report["summary"]?["attempts"]?.integer == 3)
        #expect(
            report["tasks"]?.elements.compactMap { $0["outcome"]?.string } == [
                "succeeded", "succeeded",
            ]
        )
        let shown = try job.runner(["report", "show", "all.json"])
        #expect(shown.standardOutput.contains("2 tasks: 2 succeeded"), "\(shown)")
        #expect(try job.runner(merge).standardOutput == job.folder.text("all.json"))

        let wrong = try job.runner(["report", "merge", "first.json", "job.yaml"])
        #expect(wrong.status == .exit(4))
        #expect(wrong.standardError.contains("`job.yaml` is no report of runner"), "\(wrong)")
    }
}
