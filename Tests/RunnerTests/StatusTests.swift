import TestSupport
import Testing

@Suite struct StatusTests {
    /// Two orders, of which the second stays open.
    private struct Held {
        let job: JobFolder
        let server: ScriptedServer
        let arrived: Gate

        init() throws {
            let arrived = try Gate()
            server = try ScriptedServer([
                "/o1": [.status(201)],
                "/o2": [Reply([.open(arrived), .waitForPeerToLeave]), .status(201)],
                "/o3": [.status(201)],
            ])
            let server = server
            job = try BackgroundTests.job(
                "uploads:\n"
                    + (1...3).map {
                        "  o\($0): { url: \(server.url("/o\($0)")), text: x, idempotencyKey: auto }"
                    }.joined(separator: "\n"),
                more: "schedule: { maxConcurrentTasks: 1 }"
            )
            self.arrived = arrived
        }

        func start() throws -> RunningCommand {
            let running = try job.runCommand().start()
            try arrived.wait()
            return running
        }

        func status(_ arguments: String...) throws -> Command.Outcome {
            try job.runner(["status"] + arguments)
        }

        func json(_ arguments: String...) throws -> JSONValue {
            let outcome = try job.runner(["status", "--format", "json"] + arguments)
            return try JSONValue(bytes: Array(outcome.standardOutput.utf8))
        }
    }

    @Test func `a session shows its progress`() throws {
        let held = try Held()
        let running = try held.start()
        let shown = try held.status().standardOutput.split(separator: "\n")
        #expect(shown.first == "nightly: running (process \(running.identifier))")
        #expect(shown.contains("  pending 1, running 1, succeeded 1, failed 0"))
        running.signal(9)
        _ = try running.finish()
        let left = try held.status("nightly").standardOutput.split(separator: "\n")
        #expect(left.first == "nightly: open")
        #expect(left.contains("  pending 2, running 0, succeeded 1, failed 0"))
        #expect(left.contains("  succeeded o1, attempts: 1"))
        #expect(left.contains("  pending   o2, attempts: 1"))
        #expect(try held.job.run().code == 0)
        let done = try held.status().standardOutput.split(separator: "\n")
        #expect(done.first == "nightly: finished")
        #expect(done.contains("  pending 0, running 0, succeeded 3, failed 0"))
        #expect(done.last?.hasPrefix("  last run ended with 0, report /") == true)
    }

    @Test func `without a session the text says so, and JSON has an empty list`() throws {
        let job = try BackgroundTests.job("data: { a: { url: \"http://127.0.0.1:1/\" } }")
        let outcome = try job.runner(["status"])
        let folder = job.folder.path(BackgroundTests.journals)
        #expect(outcome.standardOutput == "no background sessions in \(folder)\n", "\(outcome)")
        #expect(outcome.status == .exit(0))
        let json = try job.runner(["status", "--format", "json"])
        let sessions = try JSONValue(bytes: Array(json.standardOutput.utf8))["sessions"]
        #expect(sessions?.elements.isEmpty == true, "\(json)")
    }

    @Test func `JSON has the same content`() throws {
        let held = try Held()
        let running = try held.start()
        let all = try held.json()
        let session = try #require(all["sessions"]?.elements.first)
        #expect(session["identifier"]?.string == "nightly")
        #expect(session["state"]?.string == "running")
        #expect(session["process"]?.integer == Int64(running.identifier))
        #expect(session["job"]?["name"]?.string == "job")
        #expect(session["running"]?.integer == 1)
        #expect(session["lastRun"]?.isNull == true)
        #expect(session["transfers"] == nil)
        let one = try held.json("nightly")
        let transfers = one["sessions"]?.elements.first?["transfers"]?.elements ?? []
        #expect(transfers.map { $0["state"]?.string } == ["succeeded", "running"])
        #expect(transfers.first?["run"]?.string?.isEmpty == false)
    }

    @Test(arguments: ["status", "cancel"])
    func `an unknown identifier is a wrong command line`(command: String) throws {
        let held = try Held()
        let outcome = try held.job.runner([command, "weekly"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("there is no background session `weekly`"))
        let running = try held.start()
        running.signal(9)
        _ = try running.finish()
        let second = try held.job.runner([command, "../locks/x"])
        #expect(second.status == .exit(2))
        #expect(second.standardError.contains("; there are `nightly`"))
    }

    @Test func `an unreadable journal is reported, and the others are shown`() throws {
        let held = try Held()
        let running = try held.start()
        running.signal(9)
        _ = try running.finish()
        try held.job.folder.write("", to: "\(BackgroundTests.journals)/a.journal", mode: 0o600)
        let outcome = try held.status()
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardOutput.hasPrefix("nightly: open\n"))
        #expect(outcome.standardError.contains("a.journal: the journal is damaged"))
    }

    @Test func `cancelling ends the run that has the session, and its round`() throws {
        let held = try Held()
        let running = try held.start()
        let cancel = try held.job.runner(["cancel", "nightly"])
        #expect(cancel.status == .exit(0))
        #expect(cancel.standardOutput == "nightly: cancelled 2 of 3 transfers\n")
        #expect(try running.finish().reported(in: held.job.folder).code == 143)
        #expect(try held.status().standardOutput.hasPrefix("nightly: cancelled\n"))
        let again = try held.job.runner(["cancel", "nightly"])
        #expect(again.status == .exit(0))
        #expect(again.standardOutput == "nightly: no transfer to cancel\n")
        // Another round: all of them.
        #expect(try held.job.run().code == 0)
        #expect(held.server.requests(for: "/o1").count == 2)
    }

    @Test func `cancelling an unused session sends no signal`() throws {
        let held = try Held()
        let running = try held.start()
        running.signal(9)
        _ = try running.finish()
        #expect(try held.job.runner(["cancel", "nightly"]).status == .exit(0))
        #expect(try held.job.run().code == 0)
        #expect(held.server.requests(for: "/o1").count == 2)
    }

    @Test func `cancelling a session sends DELETE for its cut uploads`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 1_000_000), 2: .cut(after: 500_000)] }
        )
        let job = try BackgroundTests.job(
            "uploads: { a: { url: \"\(server.url("/"))\", file: body.bin, headers: { Expect: 100-continue } } }"
        )
        try job.folder.write([UInt8](repeating: 1, count: 2 << 20), to: "body.bin")
        for _ in 0..<2 { #expect(try job.run().code == 5) }
        #expect(try job.runner(["cancel", "nightly"]).status == .exit(0))
        #expect(server.outline == ["POST", "HEAD", "PATCH 1000000", "DELETE"])
    }

    @Test func `looking at a session keeps no run from having it`() throws {
        let held = try Held()
        let running = try held.start()
        for _ in 0..<5 { #expect(try held.status().status == .exit(0)) }
        let second = try held.job.command(["run", "job.yaml", "--report", "b.json"]).run()
        #expect(second.status == .exit(10))
        running.signal(9)
        _ = try running.finish()
    }
}
