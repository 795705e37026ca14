import Testing
import TestSupport

/// The jobs that the repository shows are run against the server that it shows with them.
@Suite struct JobFilesTests {
    /// The repository's root.
    private static let root = #filePath.split(separator: "/").dropLast(3)
        .reduce("") { "\($0)/\($1)" }

    /// Runs a job of `jobs` in a copy of that folder, and returns the copy and how the run ended.
    private func run(_ job: String) throws -> (folder: TemporaryFolder, outcome: Command.Outcome) {
        let folder = try TemporaryFolder()
        let copy = try Command("cp", ["-R", "\(Self.root)/jobs", folder.path]).run()
        try #require(copy.status == .exit(0))
        try #require(try Command("rm", ["-rf", folder.path("jobs/out")]).run().status == .exit(0))

        let origin = try Command("\(Self.root)/Scripts/origin").start()
        let url = try origin.waitForLine(containing: "http://")
        let outcome = try Command.runner(
            ["run", "jobs/\(job).yaml", "--state-dir", folder.path("state")],
            environment: ["ORIGIN": url],
            workingFolder: folder.path
        ).run()
        origin.signal(15)
        #expect(try origin.finish().status == .exit(143))
        return (folder, outcome)
    }

    @Test func `the quick start takes a refused order again until it is accepted`() throws {
        let (folder, outcome) = try run("quickstart")
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
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
        #expect(try folder.text("jobs/out/report.json").contains(#""reason":"503""#))
    }

    @Test func `orders of every kind arrive and an optional one may fail`() throws {
        let (folder, outcome) = try run("orders")
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(try folder.list("jobs/out/orders") == ["pizza.json", "weekly.json"])
        #expect(folder.contains("jobs/out/orders-report.json"))
    }

    @Test func `artifacts are published under their names`() throws {
        let (folder, outcome) = try run("artifacts")
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        #expect(
            try folder.list("jobs/out/artifacts") == ["CHANGES.txt", "handbook.txt", "index.json"]
        )
    }
}
