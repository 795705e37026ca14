import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct ExpectTests {
    @Test func `an unexpected response replaces no file and is reported without a retry`() throws {
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

    @Test func `responses to data tasks and uploads are decoded unless decode is false`()
        throws
    {
        let coded = try #require(Gzip.compress(Array(#"{"a": 1}"#.utf8)))
        let server = try ScriptedServer { _ in .ok(coded, ["Content-Encoding: gzip"]) }
        let job = try JobFolder(
            """
            version: 1
            defaults: { expect: { json: { /a: 1 } } }
            data:
              data: { url: \(server.url("/data")) }
              own: { url: \(server.url("/own")), headers: { Accept-Encoding: gzip } }
              sent: { url: \(server.url("/sent")), decode: false, responseTo: sent.gz, expect: { statusCode: 200 } }
            uploads:
              upload: { url: \(server.url("/upload")), text: hello, responseTo: answer.json }
            """
        )
        let run = try job.run()
        let outcomes = ["data", "own", "sent", "upload"].map {
            run.task($0)?["outcome"]?.string
        }
        #expect(outcomes == ["succeeded", "failed", "failed", "succeeded"])
        #expect(try job.folder.text("answer.json") == #"{"a": 1}"#)
        let asked = ["/data", "/sent", "/upload"].map {
            server.requests(for: $0).first?.headers["accept-encoding"]
        }
        #expect(asked[0]?.contains("gzip") == true)
        #expect(asked[1] == "identity")
        #expect(asked[2] == asked[0])
    }

    @Test(arguments: ["UTF-8", "aws-chunked", "gzip, gzip"])
    func `a response in an unknown coding is stored as it was sent`(coding: String) throws {
        let server = try ScriptedServer { _ in .ok("taken", ["Content-Encoding: \(coding)"]) }
        let job = try JobFolder(
            """
            version: 1
            uploads: { a: { url: \(server.url("/a")), text: hello, responseTo: answer } }
            """
        )
        #expect(try job.run().code == 0)
        #expect(try job.folder.text("answer") == "taken")
        #expect(server.requests.count == 1)
    }

    @Test func `the body of a failed response is decoded for the report`() throws {
        let coded = try #require(Gzip.compress(Array(#"{"error": "quota exceeded"}"#.utf8)))
        let head = ["Content-Type: application/json", "Content-Encoding: gzip"]
        let server = try ScriptedServer { _ in Reply.status(404, head, body: coded) }
        let job = try JobFolder(
            """
            version: 1
            data: { a: { url: \(server.url("/a")) } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(
            run.task("a")?["error"]?["help"]?.string
                == #"the server said: {"error": "quota exceeded"}"#
        )
    }
}
