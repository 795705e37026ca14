import TestSupport
import Testing

/// A job with `report.events`.
@Suite struct ReportEventsJobTests {
    @Test func `the file has the callbacks of each task in their order`() throws {
        let server = try ScriptedServer([
            "/flaky": [.status(503), .ok("good")], "/missing": [.status(404)],
        ])
        let job = try JobFolder(
            """
            version: 1
            name: nightly
            report: { events: out/events.ndjson }
            downloads:
              flaky: { url: "\(server.url("/flaky"))", to: flaky, retry: { backoff: { initial: 1ms } },
                       headers: { X-Key: "${secret.key}" } }
              missing: { url: "\(server.url("/missing"))?k=swordfish", to: missing, needs: [flaky] }
            secrets:
              key: { env: KEY, origins: ["\(server.url(""))"] }
            """
        )
        let run = try job.runner(["run", "job.yaml"], environment: ["KEY": "swordfish"])
        #expect(run.status == .exit(1), "\(run)")
        let validator = try Repository.validator("report-events")
        let text = try job.folder.text("out/events.ndjson")
        #expect(!text.contains("swordfish"))
        var names: [String] = []
        for line in text.split(separator: "\n") {
            let event = try JSONValue(String(line))
            #expect(validator.faults(in: event) == [], "\(line)")
            let id = event["id"]?.string.map { " \($0)" } ?? ""
            names.append("\(event["event"]?.string ?? "")\(id)")
        }
        #expect(
            names == [
                "runStarted", "didCreateTask flaky", "didReceiveResponse flaky",
                "taskWillRetry flaky", "didReceiveResponse flaky", "didWriteData flaky",
                "didFinishDownloadingTo flaky", "didFinishCollectingMetrics flaky",
                "didCompleteWithError flaky", "didCreateTask missing", "didReceiveResponse missing",
                "didFinishCollectingMetrics missing", "didCompleteWithError missing", "runFinished",
            ]
        )
    }

    @Test func `a compressed file of events is refused, because it could not be read meanwhile`()
        throws
    {
        let job = try JobFolder(
            """
            version: 1
            report: { events: events.ndjson.gz }
            data:
              a: { url: "data:,a" }
            """
        )
        let outcome = try job.runner(["validate", "job.yaml"])
        #expect(outcome.status == .exit(3))
        #expect(outcome.standardError.contains("job.yaml:2:19: error"), "\(outcome)")
        #expect(outcome.standardError.contains("[job.bad-path]"))
    }
}
