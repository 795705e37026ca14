import TestSupport
import Testing
import TransferModel

/// Four processes share a job.
@Suite struct ShardTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { request in
            request.path == "/missing" ? .status(404) : .ok("x")
        }
        job = try JobFolder(
            """
            version: 1
            name: shared
            report: { json: out/report.json }
            data:
              login: { url: "\(server.url("/login"))", capture: { token: { regex: "x" } } }
              secured:
                forEach: { range: [1, 5] }
                url: "\(server.url("/secured"))/${item}"
                needs: [login]
                headers: { X-Token: "${task.login.token}" }
              missing: { url: "\(server.url("/missing"))" }
            downloads:
              file:
                forEach: { csv: rows.csv }
                url: "\(server.url("/file"))/${item.id}"
                to: "${item.id}"
            uploads:
              order:
                forEach: { range: [1, 30] }
                url: "\(server.url("/order"))/${item}"
                text: x
                idempotencyKey: auto
            """
        )
        try job.folder.write(
            "id\n" + (1...40).map { "r\($0)\n" }.joined(),
            to: "rows.csv"
        )
    }

    private static func shard(_ index: Int) -> String { "out/report-\(index)of4.json" }

    /// What is the same in the report of a whole run and in that of its shards.
    private static func masked(_ report: JSONValue) -> [String] {
        (report["tasks"]?.elements ?? []).map { task in
            let response = task["response"]?["statusCode"]?.integer.map { "\($0)" } ?? "-"
            let names = ["id", "type", "session", "state", "outcome"].map {
                task[$0]?.string ?? "-"
            }
            let numbers = ["countOfBytesSent", "countOfBytesReceived"].map {
                task[$0]?.integer.map { "\($0)" } ?? "-"
            }
            let line = task["source"]?["line"]?.integer.map { "\($0)" } ?? "-"
            let file = task["file"]?["sha256"]?.string ?? "-"
            return (names + numbers + [response, line, file]).joined(separator: " ")
        }.sorted()
    }

    private func report(_ path: String) throws -> JSONValue {
        try JSONValue(job.folder.text(path))
    }

    @Test func `four shards run each task once, and their report is that of one run`() throws {
        for index in 1...4 {
            let outcome = try job.runner(["run", "job.yaml", "--shard", "\(index)/4"])
            let report = try report(Self.shard(index))
            let exitCode = try #require(report["summary"]?["exitCode"]?.integer)
            #expect(outcome.status == .exit(Int32(exitCode)), "\(outcome)")
            #expect(report["run"]?["shard"]?.string == "\(index)/4")
        }
        let paths = server.requests.map(\.path)
        #expect(paths.count == 77 && Set(paths).count == 77)

        let merge = ["report", "merge"] + (1...4).map(Self.shard)
        let merged = try job.runner(merge + ["-o", "merged.json"])
        #expect(merged.status == .exit(0), "\(merged)")
        let run = ["run", "job.yaml", "--state-dir", "other", "--report", "whole.json"]
        let whole = try job.runner(run)
        #expect(whole.status == .exit(1), "\(whole)")
        let (all, one) = (try report("merged.json"), try report("whole.json"))
        #expect(Self.masked(all) == Self.masked(one))
        #expect(all["run"]?["shard"]?.isNull == true && one["run"]?["shard"]?.isNull == true)
        let sums = ["tasks", "succeeded", "failed", "attempts", "countOfBytesReceived", "exitCode"]
        for name in sums {
            #expect(all["summary"]?[name] == one["summary"]?[name], "\(name)")
        }
        let numbers = all["tasks"]?.elements.compactMap { $0["taskIdentifier"]?.integer }
        #expect(numbers == Array(1...77))
    }

    @Test func `reports that are not of all shards of one job are refused by name`() throws {
        for index in 1...4 { _ = try job.runner(["run", "job.yaml", "--shard", "\(index)/4"]) }
        let shards = (1...4).map(Self.shard)
        func message(_ reports: [String]) throws -> String {
            let outcome = try job.runner(["report", "merge"] + reports)
            #expect(outcome.status == .exit(4), "\(outcome)")
            return outcome.standardError
        }
        let missing = try message([shards[0], shards[2]])
        #expect(missing.contains("no report is of the shards 2/4, 4/4"), "\(missing)")
        let doubled = try message(shards + [shards[1]])
        #expect(doubled.contains("`\(shards[1])` is of the run `"), "\(doubled)")
        #expect(doubled.contains("`, as is report 2 of 5"), "\(doubled)")

        // A retry of a shard supersedes its first run.
        let retry = ["run", "job.yaml", "--shard", "3/4", "--report", "retry.json"]
        _ = try job.runner(retry)
        let merged = try job.runner(["report", "merge", "-o", "all.json", "retry.json"] + shards)
        #expect(merged.status == .exit(0), "\(merged)")
        #expect(try report("all.json")["summary"]?["tasks"]?.integer == 77)

        // A run of some tasks is no run of its shard.
        let only = ["run", "job.yaml", "--shard", "3/4", "--only", "file", "--report", "only.json"]
        _ = try job.runner(only)
        #expect(try report("only.json")["run"]?["selection"]?.string == "only")
        let part = try message([shards[0], shards[1], "only.json", shards[3]])
        #expect(part.contains("`only.json` is of some tasks of the shard 3/4"), "\(part)")
        let rerun = try job.runner(["report", "merge", "-o", "all.json", "only.json"] + shards)
        #expect(rerun.status == .exit(0), "\(rerun)")

        let half = ["run", "job.yaml", "--shard", "1/2", "--only", "file"]
        _ = try job.runner(half + ["--report", "half.json"])
        let foreign = try message(shards + ["half.json"])
        #expect(foreign.contains("`half.json` is of the shard 1/2, and the first"), "\(foreign)")
    }

    @Test func `orders of another number of shards are ended first`() throws {
        // The shard with the missing file does not end with 0, and keeps its orders.
        var unfinished = 0
        for index in 1...4 {
            let outcome = try job.runner(["run", "job.yaml", "--shard", "\(index)/4"])
            if outcome.status != .exit(0) { unfinished = index }
        }
        let count = server.requests.count
        for other in [["--shard", "1/3"], []] {
            let outcome = try job.runner(["run", "job.yaml"] + other)
            #expect(outcome.status == .exit(4), "\(outcome)")
            let text = "a run with --shard \(unfinished)/4 has left "
            #expect(outcome.standardError.contains(text), "\(outcome)")
        }
        #expect(server.requests.count == count)
        func keys(_ requests: some Sequence<RecordedRequest>) -> [String: String] {
            let pairs = requests.compactMap { request in
                request.headers["Idempotency-Key"].map { (request.path, $0) }
            }
            return Dictionary(pairs) { first, _ in first }
        }
        let first = keys(server.requests)
        let again = try job.runner(["run", "job.yaml", "--shard", "\(unfinished)/4"])
        #expect(again.status == .exit(1), "\(again)")
        let repeated = keys(server.requests.dropFirst(count))
        #expect(!repeated.isEmpty)
        for (path, key) in repeated { #expect(first[path] == key, "\(path)") }
    }

    @Test func `plan shows the tasks of a shard that the environment names`() throws {
        let option = try job.runner(["plan", "job.yaml", "--shard", "2/4", "--format", "json"])
        let environment = ["RUNNER_SHARD": "auto", "CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "4"]
        let found = try job.runner(
            ["plan", "job.yaml", "--format", "json"],
            environment: environment
        )
        #expect(option.status == .exit(0) && found.standardOutput == option.standardOutput)
        let plan = try JSONValue(option.standardOutput)
        #expect(plan["job"]?["shard"]?.string == "2/4")
        let whole = try job.runner(["plan", "job.yaml", "--format", "json"])
        #expect(try JSONValue(whole.standardOutput)["job"]?["shard"]?.isNull == true)
        let wrong = try job.runner(["plan", "job.yaml", "--shard", "5/4"])
        #expect(wrong.status == .exit(2))
        #expect(wrong.standardError.contains("there is no shard 5 of 4"), "\(wrong)")
    }
}
