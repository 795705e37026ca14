import TestSupport
import Testing

@Suite struct ExpectTests {
    @Test func `what is not as expected replaces no file, is asked for once and is told`() throws {
        let server = try ScriptedServer([
            "/good": [.ok(#"{"status":"ok","count":2.0}"#, ["ETag: \"7\""])],
            "/bad": [.ok(#"{"status":"failed"}"#)],
            "/large": [.chunked([[UInt8](repeating: 65, count: 5000)])],
            "/latin": [.ok([0x47, 0x72, 0xF6])],
        ])
        let job = try JobFolder(
            """
            version: 1
            defaults: { expect: { maximumSize: 4KiB } }
            downloads:
              good:
                url: \(server.url("/good"))
                to: good.json
                expect: { headers: { ETag: "*" }, json: { /status: ok, /count: 2 } }
              bad: { url: \(server.url("/bad")), to: bad.json, expect: { json: { /status: ok } } }
              large: { url: \(server.url("/large")), to: large.bin }
              latin: { url: \(server.url("/latin")), to: latin.txt, expect: { textEncoding: utf-8 } }
            uploads:
              order:
                url: \(server.url("/bad"))
                json: {}
                responseTo: order.json
                expect: { json: [/id] }
            """
        )
        try job.folder.write("old", to: "bad.json")
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("good") == "succeeded")
        #expect(run.kind("large") == "tooLarge")
        #expect(["bad", "latin", "order"].map(run.kind) == ["content", "content", "content"])
        #expect(try job.folder.text("bad.json") == "old")
        #expect(
            try job.folder.list() == ["bad.json", "good.json", "job.yaml", "report.json"]
        )
        #expect(server.requests.count == 5)

        let failed = run.task("bad")?["checks"]?.elements.last
        #expect(failed?["check"]?.string == "content")
        #expect(failed?["expected"]?.string == #"`/status` of the body: "ok""#)
        #expect(failed?["actual"]?.string == #""failed""#)
        let checks = ["large", "latin"].map { run.task($0)?["checks"]?.elements.last?["check"] }
        #expect(checks.map { $0?.string } == ["data", "decoding"])
        #expect(run.command.standardError.contains("instead of"))
    }
}
