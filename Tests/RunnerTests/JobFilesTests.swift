import Testing
import TestSupport

/// The jobs that the repository shows are run against the server that it shows with them.
@Suite struct JobFilesTests {
    /// Runs a job of `jobs` in a copy of that folder, and returns the copy and how the run ended.
    private func run(
        _ job: String,
        report: String
    ) throws -> (folder: TemporaryFolder, run: RunOutcome) {
        let folder = try TemporaryFolder()
        let copy = try Command("cp", ["-R", Repository.path("jobs"), folder.path]).run()
        try #require(copy.status == .exit(0))
        try #require(try Command("rm", ["-rf", folder.path("jobs/out")]).run().status == .exit(0))

        let origin = try Command(Repository.path("Scripts/origin")).start()
        let url = try origin.waitForLine(containing: "http://")
        let outcome = try Command.runner(
            ["run", "jobs/\(job).yaml", "--state-dir", folder.path("state")],
            environment: ["ORIGIN": url],
            workingFolder: folder.path
        ).run()
        origin.signal(15)
        #expect(try origin.finish().status == .exit(143))
        return (folder, try outcome.reported(in: folder, as: "jobs/out/\(report).json"))
    }

    @Test func `the quick start retries a refused order until it is accepted`() throws {
        let (folder, run) = try run("quickstart", report: "report")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            try folder.list("jobs/out") == [
                "CHANGES.txt", "catalogue.json", "handbook-1.0.txt", "order-1001.json",
                "order-1002.json",
                "report.json",
            ]
        )
        let handbook = "releases/handbook-1.0.txt"
        #expect(
            try folder.read("jobs/out/handbook-1.0.txt") == folder.read("jobs/origin/\(handbook)")
        )
        #expect(try folder.text("jobs/out/order-1002.json") == #"{"accepted":true}"#)
        let answers = ["order-1001", "order-1002"].flatMap { run.attempts($0) }
        #expect(answers.contains { $0["reason"]?.string == "503" })
    }

    @Test func `orders of every kind arrive and an optional one may fail`() throws {
        let (folder, run) = try run("orders", report: "orders-report")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try folder.list("jobs/out/orders") == ["pizza.json", "weekly.json"])
        #expect(run.outcome("survey") == "failed")
        let report = try folder.text("jobs/out/orders-report.json")
        #expect(report.contains(#""value":"‹redacted›""#) && !report.contains("key-4711"))
    }

    @Test func `conversations over WebSockets end in order`() throws {
        let server = try WebSocketServer()
        let folder = try TemporaryFolder()
        let copy = try Command("cp", ["-R", Repository.path("jobs"), folder.path]).run()
        try #require(copy.status == .exit(0))
        let outcome = try Command.runner(
            ["run", "jobs/talk.yaml", "--state-dir", folder.path("state")],
            environment: ["SERVER": server.origin],
            workingFolder: folder.path
        ).run()
        let run = try outcome.reported(in: folder, as: "jobs/out/talk-report.json")
        #expect(run.code == 0, "\(outcome.standardError)")
        let events = try folder.text("jobs/out/events.jsonl")
        #expect(events.split(separator: "\n").count == 3 && events.contains("\"done\""))
    }

    @Test func `transfers that outlive their run finish, and the hook runs`() throws {
        let (folder, run) = try run("background", report: "background-report")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try folder.text("jobs/out/background/told") == "ended with 0\n")
        let journals = try folder.list("state/background")
        #expect(journals == ["nightly.journal", "nightly.lock"])
    }

    @Test func `a session with limits fetches the same files`() throws {
        let (folder, run) = try run("office-hours", report: "mirror-report")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try folder.list("jobs/out/mirror") == ["CHANGES.txt", "handbook-1.0.txt"])
        let reasons = ["release[CHANGES.txt]", "release[handbook-1.0.txt]"].flatMap { id in
            run.attempts(id).compactMap { $0["waitReason"]?.string }
        }
        #expect(reasons == ["requestLimit"])
    }

    @Test func `artifacts are published under their names`() throws {
        let (folder, run) = try run("artifacts", report: "artifacts-report")
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            try folder.list("jobs/out/artifacts") == ["CHANGES.txt", "handbook.txt", "index.json"]
        )
    }
}
