import TestSupport
import Testing
import TransferModel

/// `runner suspend` and `runner resume`, by the built executable.
@Suite struct SuspendTests {
    private static func job(_ server: ScriptedServer, more: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            sessions:
              nightly: { configuration: background, identifier: nightly }
              own: {}
            defaults: { retry: { attempts: 1 } }
            downloads:
              first: { session: nightly, url: "\(server.url("/first"))", to: first }
              second: { session: nightly, url: "\(server.url("/second"))", to: second, needs: first }
            \(more)
            """
        )
    }

    @Test func `a suspended session is deferred by runs until it is resumed`() throws {
        let server = try ScriptedServer([
            "/first": [.unavailable(), .ok("1")], "/second": [.ok("2")], "/other": [.ok("3")],
        ])
        let job = try Self.job(
            server,
            more: "data: { other: { session: own, url: \"\(server.url("/other"))\" } }"
        )
        #expect(try job.runner(["suspend", "nightly"]).status == .exit(2))
        #expect(try job.run().code == 5)
        let requests = server.requests.count
        for words in ["nightly: suspended\n", "nightly: already suspended\n"] {
            let outcome = try job.runner(["suspend", "nightly"])
            #expect(outcome.status == .exit(0))
            #expect(outcome.standardOutput == words)
        }
        let status = try job.runner(["status"])
        #expect(status.standardOutput.hasPrefix("nightly: open, suspended\n"))
        let json = try job.runner(["status", "--format", "json"]).standardOutput
        #expect(json.contains(#""suspended": true"#))

        for _ in 0..<2 {
            let run = try job.run()
            #expect(run.code == 7, "\(run.command.standardError)")
            #expect([run.outcome("first"), run.outcome("second")] == ["deferred", "skipped"])
            #expect(run.kind("first") == "suspended")
            #expect(run.attempts("first").isEmpty)
            #expect(run.outcome("other") == "succeeded")
        }
        #expect(server.requests(for: "/first").count == 1 && requests == 2)

        let resumed = try job.runner(["resume", "nightly"])
        #expect(
            resumed.standardOutput == "nightly: resumed; the next run continues its transfers\n"
        )
        #expect(try job.runner(["resume", "nightly"]).standardOutput == "nightly: not suspended\n")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("first") == "1")
        #expect(try job.folder.text("second") == "2")
    }

    @Test func `a suspension stops the transfers of a running run and keeps their progress`() throws
    {
        let body = FileContent.patterned(3_000_000)
        let (arrived, goOn) = (try Gate(), try Gate())
        let etag = ["ETag: \"1\"", "Accept-Ranges: bytes"]
        let server = try ScriptedServer { request in
            switch request.path {
            case "/first" where request.headers["Range"] == nil:
                Reply([
                    .send(Reply.head(200, etag + ["Content-Length: \(body.count)"])),
                    .send(Array(body.prefix(2_000_000))), .open(arrived), .waitForPeerToLeave,
                ])
            case "/first": .part(of: body, from: request.rangeStart ?? 0, etag)
            case "/other": Reply([.wait(goOn)] + Reply.ok("3").steps)
            default: .ok("2")
            }
        }
        let job = try Self.job(
            server,
            more: "data: { other: { session: own, url: \"\(server.url("/other"))\" } }"
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        let suspend = try job.runner(["suspend", "nightly"])
        #expect(
            suspend.standardOutput
                == "nightly: suspended; process \(running.identifier) stops its transfers\n"
        )
        // The run goes on without the session.
        _ = try running.waitForLine(containing: "deferred")
        goOn.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 7, "\(run.command.standardError)")
        #expect(run.outcome("first") == "deferred")
        #expect(run.attempts("first").map { $0["outcome"]?.string } == ["cancelled"])
        #expect(run.outcome("other") == "succeeded")
        #expect(server.requests(for: "/second").isEmpty)

        #expect(try job.runner(["resume", "nightly"]).status == .exit(0))
        let next = try job.run("--only", "first", "--only", "second")
        #expect(next.code == 0, "\(next.command.standardError)")
        #expect(try job.folder.read("first") == body)
        #expect(next.task("first")?["file"]?["resumedFrom"]?.integer ?? 0 > 0)
    }

    @Test func `a suspension ends the waits of its session`()
        throws
    {
        let server = try ScriptedServer([
            "/first": [.unavailable(retryAfter: "600"), .ok("1")], "/second": [.ok("2")],
        ])
        let job = try JobFolder(
            """
            version: 1
            sessions: { nightly: { configuration: background, identifier: nightly } }
            defaults: { retry: { maximumRetryAfter: 1h } }
            downloads:
              first: { url: "\(server.url("/first"))", to: first }
              later: { url: "\(server.url("/second"))", to: second, earliestBeginDate: 2999-01-01T00:00:00Z }
            """
        )
        let running = try job.runCommand(["--only", "first"]).start()
        _ = try running.waitForLine(containing: "retrying")
        #expect(try job.runner(["suspend", "nightly"]).status == .exit(0))
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 7, "\(run.command.standardError)")
        #expect(run.outcome("first") == "deferred")
        // A run of a suspended session does not wait for the dates of its tasks.
        #expect(try job.run().code == 7)
        #expect(server.requests.count == 1)
    }

    @Test func `a cancelled session is not suspended any more`() throws {
        let server = try ScriptedServer([
            "/first": [.unavailable(), .ok("1")], "/second": [.ok("2")],
        ])
        let job = try Self.job(server)
        _ = try job.run()
        #expect(try job.runner(["suspend", "nightly"]).status == .exit(0))
        #expect(try job.runner(["cancel", "nightly"]).status == .exit(0))
        #expect(try job.runner(["status"]).standardOutput.hasPrefix("nightly: cancelled\n"))
        #expect(try job.run().code == 0)
    }

    @Test func `an order that may have arrived when its session is suspended is not repeated`()
        throws
    {
        let arrived = try Gate()
        let server = try ScriptedServer([
            "/order": [Reply([.open(arrived), .waitForPeerToLeave]), .status(201)]
        ])
        let job = try JobFolder(
            """
            version: 1
            sessions: { nightly: { configuration: background, identifier: nightly } }
            uploads:
              order: { url: "\(server.url("/order"))", text: one }
            """
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        #expect(try job.runner(["suspend", "nightly"]).status == .exit(0))
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("order") == "failed")
        #expect(run.command.standardError.contains("outcome unknown"))
        #expect(try job.runner(["resume", "nightly"]).status == .exit(0))
        #expect(try job.run().code == 1)
        #expect(server.requests.count == 1)
    }
}
