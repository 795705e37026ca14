import Report
import TestSupport
import Testing
import TransferModel

/// Several reports of a job become one.
@Suite struct ReportMergeTests {
    /// A report of a run that began so many seconds after the first one.
    private static func reader(
        _ tasks: [TaskRecord],
        after seconds: Int64 = 0,
        exitCode: ExitCode = .success,
        detail: ReportDetail = .full,
        change: (inout RunHeader) -> Void = { _ in }
    ) throws -> ReportReader {
        let file = MemoryFile()
        let reports = Reports([Reports.Output(JSONReport(detail: detail)) { file }])
        var header = Samples.header
        header.runIdentifier = "run-\(seconds)"
        header.startDate = Samples.time(seconds * 1_000_000)
        change(&header)
        var summary = RunSummary(endDate: Samples.time((seconds + 5) * 1_000_000))
        summary.tasks = tasks.count
        summary.attempts = tasks.count
        summary.redirects = 2
        summary.countOfBytesReceived = 100
        summary.exitCode = exitCode
        reports.receive(.started(header))
        for task in tasks { reports.receive(.taskFinished(task)) }
        reports.receive(.finished(summary))
        return try ReportReader(file.bytes)
    }

    private static func task(
        _ id: String,
        _ outcome: TaskOutcome,
        at seconds: Int64 = 0,
        _ failure: TransferFailure? = nil,
        isRetryable: Bool = false
    ) -> TaskRecord {
        var record = Samples.record(id, 1, outcome)
        record.startDate = Samples.time(seconds * 1_000_000)
        record.endDate = Samples.time((seconds + 1) * 1_000_000)
        record.error = failure
        record.isRetryable = isRetryable
        return record
    }

    private static func merged(_ reports: [ReportReader]) throws -> JSONValue {
        let file = MemoryFile()
        try ReportMerge(reports).write(to: file)
        #expect(file.isPublished)
        let value = try JSONValue(bytes: file.bytes)
        let schema = JSONSchemaValidator(schema: try JSONValue(ReportSchema.text))
        #expect(schema.faults(in: value) == [])
        #expect(try ReportReader(file.bytes).run.exitCode >= 0)
        return value
    }

    private static func outcomes(_ report: JSONValue) -> [String: String] {
        let pairs = report["tasks"]?.elements.map {
            ($0["id"]?.string ?? "", $0["outcome"]?.string ?? "")
        }
        return Dictionary(pairs ?? []) { first, _ in "\(first) twice" }
    }

    @Test func `shards become one report with the sums of both`() throws {
        let report = try Self.merged([
            Self.reader([Self.task("a", .succeeded)]) { $0.host = "one" },
            Self.reader([Self.task("b", .unchanged)], after: 60) { $0.host = "two" },
        ])
        #expect(Self.outcomes(report) == ["a": "succeeded", "b": "unchanged"])
        let summary = report["summary"]
        #expect(summary?["tasks"]?.integer == 2 && summary?["succeeded"]?.integer == 1)
        #expect(summary?["redirects"]?.integer == 4 && summary?["exitCode"]?.integer == 0)
        let run = report["run"]
        #expect(run?["host"]?.string == "one, two")
        #expect(run?["merge"]?["runs"]?.elements.compactMap(\.string) == ["run-0", "run-60"])
        #expect(run?["startDate"]?.string == Samples.start.rfc3339)
        #expect(run?["endDate"]?.string == Samples.time(65_000_000).rfc3339)
    }

    @Test func `ids are compared by their bytes`() throws {
        let report = try Self.merged([
            Self.reader([Self.task("\u{E9}", .succeeded)]),
            Self.reader([Self.task("e\u{301}", .succeeded)], after: 60),
        ])
        #expect(report["tasks"]?.elements.count == 2)
        #expect(report["summary"]?["tasks"]?.integer == 2)
        #expect(report["run"]?["merge"]?["supersededTasks"]?.integer == 0)
    }

    @Test func `the later attempt of a task wins, in any order of the reports`() throws {
        let first = try Self.reader(
            [Self.task("a", .succeeded), Self.task("b", .failed, Samples.refused.error)],
            exitCode: .taskFailed
        )
        let second = try Self.reader([Self.task("b", .succeeded, at: 60)], after: 60)
        for reports in [[first, second], [second, first]] {
            let report = try Self.merged(reports)
            #expect(Self.outcomes(report) == ["a": "succeeded", "b": "succeeded"])
            let summary = report["summary"]
            #expect(summary?["failed"]?.integer == 0 && summary?["succeeded"]?.integer == 2)
            #expect(summary?["attempts"]?.integer == 3, "the earlier attempt counts")
            #expect(summary?["exitCode"]?.integer == 0)
            #expect(report["run"]?["merge"]?["supersededTasks"]?.integer == 1)
        }
    }

    /// The class of a failure, whether a later run may succeed, and the exit code.
    private static let failures: [(TransferFailure.Kind, Bool, Int64)] = [
        (.connect, false, 1), (.connect, true, 5), (.integrity, false, 6), (.network, true, 7),
        (.httpStatus, true, 5), (.signature, false, 6),
    ]

    @Test(arguments: failures)
    func `the exit code follows from the tasks that are left`(
        kind: TransferFailure.Kind,
        isRetryable: Bool,
        code: Int64
    ) throws {
        var failure = try #require(Samples.refused.error)
        failure.kind = kind
        let failed = Self.task("b", .failed, failure, isRetryable: isRetryable)
        let report = try Self.merged([
            Self.reader([Self.task("a", .succeeded)]),
            Self.reader([failed], after: 60, exitCode: .integrity),
        ])
        #expect(report["summary"]?["exitCode"]?.integer == code)
        var spare = failed
        spare.required = false
        let other = try Self.merged([Self.reader([spare])])
        #expect(other["summary"]?["exitCode"]?.integer == 0)
    }

    @Test func `tasks that a signal cancelled keep its exit code until they are run`() throws {
        let first = try Self.reader([Self.task("a", .cancelled)], exitCode: .interrupted)
        #expect(try Self.merged([first])["summary"]?["exitCode"]?.integer == 130)
        let second = try Self.reader([Self.task("a", .succeeded, at: 60)], after: 60)
        #expect(try Self.merged([first, second])["summary"]?["exitCode"]?.integer == 0)
    }

    @Test func `lines stay lines, and the detail is the smaller one`() throws {
        let full = try Self.reader([Self.task("a", .succeeded)])
        let lines = try Self.reader([Self.task("b", .succeeded)], after: 60, detail: .failures)
        let report = try Self.merged([full, lines])
        #expect(report["detail"]?.string == "failures")
        #expect(report["tasks"]?.elements.map { $0["metrics"] == nil } == [false, true])
    }

    @Test func `a merged report can be merged again`() throws {
        let file = MemoryFile()
        try ReportMerge([
            Self.reader([Self.task("a", .succeeded)]),
            Self.reader([Self.task("b", .succeeded)], after: 60),
        ]).write(to: file)
        let third = try Self.reader([Self.task("c", .succeeded)], after: 120)
        let report = try Self.merged([ReportReader(file.bytes), third])
        #expect(Self.outcomes(report).count == 3)
        let runs = report["run"]?["merge"]?["runs"]?.elements.compactMap(\.string)
        #expect(runs == ["run-0", "run-60", "run-120"])
    }

    @Test func `reports of two jobs and summaries are refused, with the position`() throws {
        let report = try Self.reader([Self.task("a", .succeeded)])
        let other = try Self.reader([Self.task("a", .succeeded)], after: 60) {
            $0.jobName = "weekly"
        }
        let fault = #expect(throws: ReportMergeFault.self) { try ReportMerge([report, other]) }
        #expect(fault?.index == 1)
        #expect(fault?.message == "is of the job `weekly`, and the first report of `nightly`")
        let summary = try Self.reader([Self.task("a", .succeeded)], detail: .summary)
        let lack = #expect(throws: ReportMergeFault.self) { try ReportMerge([summary]) }
        #expect(lack?.index == 0 && lack?.message.contains("`summary`") == true)
    }

    @Test func `a change of the job file between the runs is noticed`() throws {
        let report = try Self.reader([Self.task("a", .succeeded)])
        let other = try Self.reader([Self.task("b", .succeeded)], after: 60) {
            $0.jobSHA256 = String(repeating: "1", count: 64)
        }
        let third = try Self.reader([Self.task("c", .succeeded)], after: 120)
        #expect(try ReportMerge([report, other]).hasDifferentJobFiles)
        #expect(try !ReportMerge([report, third]).hasDifferentJobFiles)
    }

    private static func shard(
        _ text: String,
        _ tasks: [TaskRecord],
        after seconds: Int64,
        sum: String = String(repeating: "0f", count: 32),
        selection: RunHeader.Selection? = nil
    ) throws -> ReportReader {
        let shard = try Shard(text)
        return try reader(tasks, after: seconds) {
            $0.shard = shard
            $0.selection = selection
            $0.jobSHA256 = sum
        }
    }

    @Test func `shards become a report of the whole job, a retry instead of its shard`() throws {
        let failed = Self.task("b", .failed, Samples.refused.error)
        let report = try Self.merged([
            Self.shard("1/2", [Self.task("a", .succeeded)], after: 0),
            Self.shard("2/2", [failed], after: 1),
            Self.shard("2/2", [Self.task("b", .succeeded, at: 60)], after: 60),
        ])
        #expect(Self.outcomes(report) == ["a": "succeeded", "b": "succeeded"])
        #expect(report["run"]?["shard"]?.isNull == true)
        #expect(report["summary"]?["exitCode"]?.integer == 0)
        let numbers = report["tasks"]?.elements.compactMap { $0["taskIdentifier"]?.integer }
        #expect(numbers == [1, 2])
    }

    @Test func `a rerun of some tasks replaces those tasks in the report of their shard`() throws {
        let failed = Self.task("c", .failed, Samples.refused.error)
        let rerun = Self.task("c", .succeeded, at: 60)
        let report = try Self.merged([
            Self.shard("2/2", [rerun], after: 60, selection: .rerunFailed),
            Self.shard("1/2", [Self.task("a", .succeeded)], after: 0),
            Self.shard("2/2", [Self.task("b", .succeeded), failed], after: 1),
        ])
        let all = ["a": "succeeded", "b": "succeeded", "c": "succeeded"]
        #expect(Self.outcomes(report) == all)
        #expect(report["run"]?["selection"]?.isNull == true)
        #expect(report["summary"]?["exitCode"]?.integer == 0)
    }

    @Test func `the report of some tasks of a shard does not pass for that of the shard`() throws {
        let reports = try [
            Self.shard("1/2", [Self.task("a", .succeeded)], after: 0),
            Self.shard("2/2", [Self.task("b", .succeeded)], after: 60, selection: .only),
        ]
        let fault = #expect(throws: ReportMergeFault.self) { try ReportMerge(reports) }
        #expect(fault?.index == 1)
        let message =
            "is of some tasks of the shard 2/2 (`run.selection`), and no report is of all of them"
        #expect(fault?.message == message)
    }

    @Test func `reports of some tasks of a job become one of some tasks`() throws {
        let reports = try [Int64(0), 60].map { start in
            try Self.reader([Self.task("t\(start)", .succeeded)], after: start) {
                $0.selection = .only
            }
        }
        let report = try Self.merged(reports)
        #expect(report["run"]?["selection"]?.string == "only")
    }

    @Test func `shards that do not make one job are refused`() throws {
        let (a, b) = (Self.task("a", .succeeded), Self.task("b", .succeeded))
        let first = try Self.shard("1/2", [a], after: 0)
        let second = try Self.shard("2/2", [b], after: 1)
        let other = String(repeating: "1", count: 64)
        let cases: [([ReportReader], Int?, String)] = try [
            ([first, second, first], 2, "is of the run `run-0`, as is report 1 of 3"),
            ([first], nil, "no report is of the shards 2/2"),
            (
                [first, Self.reader([b], after: 2)], 1,
                "is of the whole job, and the first report of the shard 1/2"
            ),
            (
                [Self.reader([b], after: 2), first], 1,
                "is of the shard 1/2, and the first report of the whole job"
            ),
            (
                [first, Self.shard("2/3", [b], after: 2)], 1,
                "is of the shard 2/3, and the first report of the shard 1/2"
            ),
            (
                [first, Self.shard("2/2", [b], after: 2, sum: other)], 1,
                "is of another version of the job file than the first report"
            ),
            (
                [first, Self.shard("2/2", [a], after: 2)], 1,
                "has the task `a`, as has the report of the shard 1/2"
            ),
        ]
        for (reports, index, message) in cases {
            let fault = #expect(throws: ReportMergeFault.self) { try ReportMerge(reports) }
            #expect(fault?.index == index && fault?.message == message, "\(fault as Any)")
        }
    }
}
