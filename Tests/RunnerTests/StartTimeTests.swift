import TestSupport
import Testing

@Suite struct StartTimeTests {
    private func server() throws -> ScriptedServer { try ScriptedServer { _ in .ok("") } }

    @Test func `a run waits for a part of its jitter before any request`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            schedule: { startJitter: 20ms }
            data: { a: { url: \(server.url("/a")) } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0)
        let jitter = try #require(run.report["run"]?["startJitterUs"]?.integer)
        #expect((0..<20_000).contains(jitter))
        #expect(run.command.standardError.contains("(startJitter)"))
    }

    @Test(arguments: SignalTests.signals)
    func `a signal ends the jitter, and the report says so`(signal: Int32, code: Int32) throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            schedule: { startJitter: 30d }
            data: { a: { url: \(server.url("/a")) } }
            """
        )
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "(startJitter)")
        running.signal(signal)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == code)
        #expect(run.outcome("a") == "cancelled")
        #expect(server.requests.isEmpty)
    }

    @Test func `the deadline counts from before the jitter`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            schedule: { startJitter: 36500d, deadline: 20ms }
            data: { a: { url: \(server.url("/a")) } }
            """
        )
        let run = try job.run()
        #expect(run.code == 8)
        #expect(run.outcome("a") == "cancelled")
        #expect(server.requests.isEmpty)
    }

    @Test func `a task begins at its time, by a delay or by a date`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            data:
              delayed: { url: \(server.url("/delayed")), earliestBeginDate: 2s }
              past: { url: \(server.url("/past")), earliestBeginDate: "2020-02-29T12:00:00+01:00" }
              future: { url: \(server.url("/future")), earliestBeginDate: "9999-12-31T23:59:59Z" }
            """
        )
        let running = try job.runCommand().start()
        _ = try running.waitForLine(containing: "delayed")
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 143)
        #expect(server.requests.map(\.path) == ["/past", "/delayed"])
        #expect(run.outcome("future") == "cancelled")
    }

    /// A zone in which it is noon now, give or take the half hour that the test may not take.
    private func zone(withHour hour: Int) throws -> String {
        let date = try Command("date", ["-u", "+%H"]).run().standardOutput
        let now = try #require(Int(date.filter(\.isNumber)))
        // In POSIX's time zones, zones west of Greenwich count upwards.
        let west = (now - hour + 24) % 24
        return "TST\(west)"
    }

    private let job = { (server: ScriptedServer) in
        """
        version: 1
        schedule: { window: "22:00-05:00" }
        data: { a: { url: \(server.url("/a")) } }
        """
    }

    @Test func `outside of its window a job is deferred, and nothing is sent`() throws {
        let server = try server()
        let job = try JobFolder(job(server))
        let zone = try zone(withHour: 12)
        let run = try job.run(environment: ["TZ": zone])
        #expect(run.code == 7)
        #expect(run.outcome("a") == "deferred")
        #expect(run.command.standardError.contains("outside the window 22:00-05:00"))
        #expect(server.requests.isEmpty)
    }

    @Test func `inside of its window a job runs`() throws {
        let server = try server()
        let job = try JobFolder(job(server))
        let zone = try zone(withHour: 1)
        #expect(try job.run(environment: ["TZ": zone]).code == 0)
    }
}
