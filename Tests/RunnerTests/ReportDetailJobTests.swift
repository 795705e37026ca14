import TestSupport
import Testing

/// Jobs with `report.detail`, and the commands that read their compressed reports.
@Suite struct ReportDetailJobTests {
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer([
            "/ok": [.ok("hello")], "/missing": [.status(404), .ok("here")],
        ])
    }

    private func folder(_ detail: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            name: nightly
            report: { json: report.json.gz, detail: \(detail), har: r.har, junit: r.xml }
            data:
              row: { url: "\(server.url("/ok"))", forEach: { range: [1, 20] } }
            downloads:
              missing: { url: "\(server.url("/missing"))", to: missing }
            """
        )
    }

    private func run(_ job: JobFolder, _ arguments: String...) throws -> Command.Outcome {
        try job.runner(arguments)
    }

    @Test(arguments: ["full", "failures", "summary"])
    func `each detail can be shown, and its failures run again`(detail: String) throws {
        let job = try folder(detail)
        let first = try run(job, "run", "job.yaml")
        #expect(first.status == .exit(1), "\(first)")
        let shown = try run(job, "report", "show", "report.json.gz")
        #expect(shown.standardOutput.contains("21 tasks: 20 succeeded, 1 failed"), "\(shown)")
        #expect(shown.standardOutput.contains("missing  failed: httpStatus"))
        let har = try run(job, "report", "har", "report.json.gz")
        #expect(har.status == .exit(detail == "full" ? 0 : 4))
        if detail == "full" {
            #expect(try har.standardOutput == job.folder.text("r.har"))
        } else {
            #expect(har.standardError.contains("`report.json.gz` has the detail `\(detail)`"))
            #expect(har.standardOutput.isEmpty)
        }
        let junit = try run(job, "report", "junit", "report.json.gz")
        #expect(junit.status == .exit(detail == "summary" ? 4 : 0), "\(junit)")
        if detail != "summary" { #expect(try junit.standardOutput == job.folder.text("r.xml")) }
        let count = server.requests.count
        let again = try run(job, "run", "job.yaml", "--rerun-failed", "report.json.gz")
        #expect(again.status == .exit(0), "\(again)")
        #expect(server.requests.dropFirst(count).map(\.path) == ["/missing"])
    }
}
