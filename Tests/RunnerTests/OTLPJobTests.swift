import TestSupport
import Testing

/// A job with `report.otlp`, whose trace OpenTelemetry's own definitions parse.
@Suite struct OTLPJobTests {
    /// What `otlp-trace.py` finds in a trace.
    private static func facts(of name: String, in job: JobFolder) throws -> JSONValue {
        let own = Repository.path(".build-python/bin/python")
        let script = ServerScript.path("otlp-trace.py")
        let outcome = try Command(
            "sh",
            ["-c", "exec \"$1\" \"$2\" <\"$3\"", "sh", own, script, name],
            workingFolder: job.folder.path
        ).run()
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        return try JSONValue(outcome.standardOutput)
    }

    @Test func `the trace of a run has spans for tasks, attempts and exchanges`() throws {
        let server = try ScriptedServer([
            "/old": [.redirect(to: "/new")], "/new": [.ok("hello")],
            "/flaky": [.status(503), .ok("good")], "/missing": [.status(404)],
        ])
        let job = try JobFolder(
            """
            version: 1
            name: nightly
            report: { json: report.json, otlp: trace.json }
            data:
              moved: { url: "\(server.url("/old"))" }
              flaky: { url: "\(server.url("/flaky"))", retry: { backoff: { initial: 1ms } } }
              missing: { url: "\(server.url("/missing"))" }
            """
        )
        let run = try job.runner(["run", "job.yaml"])
        #expect(run.status == .exit(1), "\(run)")
        let facts = try Self.facts(of: "trace.json", in: job)
        #expect(facts["resource"]?["service.name"]?.string == "runner")
        let spans = facts["spans"]?.elements ?? []
        let paths = spans.compactMap { $0["path"]?.string }.sorted()
        #expect(
            paths == [
                "nightly", "nightly/flaky", "nightly/flaky/attempt 1",
                "nightly/flaky/attempt 1/GET",
                "nightly/flaky/attempt 2", "nightly/flaky/attempt 2/GET", "nightly/missing",
                "nightly/missing/attempt 1", "nightly/missing/attempt 1/GET", "nightly/moved",
                "nightly/moved/attempt 1", "nightly/moved/attempt 1/GET",
                "nightly/moved/attempt 1/GET",
            ]
        )
        let missing = spans.first { $0["path"]?.string == "nightly/missing/attempt 1/GET" }
        #expect(missing?["kind"]?.integer == 3 && missing?["status"]?.integer == 2)
        let attributes = missing?["attributes"]
        #expect(attributes?["http.response.status_code"]?.integer == 404)
        #expect(attributes?["server.address"]?.string == "127.0.0.1")
        #expect(attributes?["url.full"]?.string == server.url("/missing"))
        #expect(attributes?["error.type"]?.string == "404")

        let printed = try job.runner(["report", "otlp", "report.json"])
        #expect(printed.status == .exit(0))
        #expect(try printed.standardOutput == job.folder.text("trace.json"))
    }
}
