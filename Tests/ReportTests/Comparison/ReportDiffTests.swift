import Report
import TestSupport
import Testing
import TransferModel

/// The reports of two runs are compared task by task.
@Suite struct ReportDiffTests {
    /// A report of tasks with ids, outcomes and times in milliseconds.
    private static func reader(
        _ tasks: [(id: String, outcome: TaskOutcome, milliseconds: Int64)],
        detail: ReportDetail = .full,
        change: (inout TaskRecord) -> Void = { _ in }
    ) throws -> ReportReader {
        let file = MemoryFile()
        let reports = Reports([Reports.Output(JSONReport(detail: detail)) { file }])
        var summary = RunSummary(endDate: Samples.time(9_000_000))
        summary.tasks = tasks.count
        reports.receive(.started(Samples.header))
        for (index, task) in tasks.enumerated() {
            var record = Samples.record(task.id, index + 1, task.outcome)
            if task.outcome == .failed { record.error = Samples.refused.error }
            record.endDate = Samples.time(task.milliseconds * 1000)
            change(&record)
            reports.receive(.taskFinished(record))
        }
        reports.receive(.finished(summary))
        return try ReportReader(file.bytes)
    }

    private static func json(_ diff: ReportDiff) throws -> JSONValue {
        let value = try JSONValue(bytes: diff.json)
        let schema = JSONSchemaValidator(schema: try JSONValue(ReportDiff.schema))
        #expect(schema.faults(in: value) == [])
        return value
    }

    private static func ids(_ list: JSONValue?) -> [String] {
        list?.elements.compactMap { $0["id"]?.string } ?? []
    }

    @Test(arguments: [ReportDetail.full, .failures])
    func `tasks fail anew, recover, come and go`(detail: ReportDetail) throws {
        let old = try Self.reader(
            [("a", .succeeded, 10), ("b", .failed, 10), ("c", .failed, 10), ("d", .succeeded, 10)],
            detail: detail
        )
        let new = try Self.reader(
            [("a", .failed, 10), ("b", .succeeded, 10), ("c", .cancelled, 10), ("e", .failed, 10)],
            detail: detail
        )
        let diff = try ReportDiff(from: old, to: new)
        let json = try Self.json(diff)
        #expect(Self.ids(json["failedAnew"]) == ["a", "e"])
        #expect(Self.ids(json["recovered"]) == ["b"])
        #expect(Self.ids(json["changed"]) == ["c"])
        #expect(Self.ids(json["came"]) == ["e"] && Self.ids(json["went"]) == ["d"])
        #expect(Self.ids(json["slower"]) == [] && json["commonTasks"]?.integer == 3)
        #expect(diff.isWorse)
        let text = diff.text(limit: 1)
        #expect(text.contains("3 tasks in both: 2 failed anew, 1 recovered, 1 changed, 1 came"))
        #expect(text.contains("failed anew\n  a  failed: connect: no connection"), "\(text)")
        #expect(text.contains("\n      jobs/nightly.yaml:14:"))
        #expect(text.contains("  and 1 more\n"))
    }

    @Test func `two reports of one run have no difference`() throws {
        let report = try Self.reader([("a", .succeeded, 10), ("b", .failed, 10)])
        let diff = try ReportDiff(from: report, to: report)
        #expect(!diff.isWorse)
        #expect(diff.text(limit: 10).contains("2 tasks in both: no difference"))
        let json = try Self.json(diff)
        for list in ["failedAnew", "recovered", "slower", "changed", "came", "went"] {
            #expect(json[list]?.elements == [])
        }
    }

    /// Old and new times in milliseconds, and whether that is slower.
    @Test(arguments: [
        (1000, 1499, false), (1000, 1500, true), (10, 60, false), (10, 110, true), (0, 150, true),
        (1000, 400, false),
    ])
    func `a task is slower from one and a half times and 100 ms on`(
        old: Int64,
        new: Int64,
        isSlower: Bool
    ) throws {
        let diff = try ReportDiff(
            from: Self.reader([("a", .succeeded, old)]),
            to: Self.reader([("a", .succeeded, new)])
        )
        #expect(try Self.ids(Self.json(diff)["slower"]) == (isSlower ? ["a"] : []))
        #expect(diff.isWorse == isSlower)
    }

    @Test func `times that scatter hide no outlier and make none`() throws {
        // Every other task takes 0.6 or 1.7 times as long: the noise of such a run.
        let old = (0..<40).map {
            (id: "t\($0)", outcome: TaskOutcome.succeeded, milliseconds: Int64(1000))
        }
        var new = (0..<40).map {
            (
                id: "t\($0)", outcome: TaskOutcome.succeeded,
                milliseconds: Int64($0 % 2 == 0 ? 600 : 1700)
            )
        }
        let noise = try ReportDiff(from: Self.reader(old), to: Self.reader(new))
        #expect(try Self.ids(Self.json(noise)["slower"]) == [])
        new[7].milliseconds = 20_000
        let outlier = try ReportDiff(from: Self.reader(old), to: Self.reader(new))
        #expect(try Self.ids(Self.json(outlier)["slower"]) == ["t7"])
    }

    @Test func `a run that is slower as a whole has slower tasks, the longest delay first`() throws
    {
        let old = (1...20).map {
            (id: "t\($0)", outcome: TaskOutcome.succeeded, milliseconds: Int64($0 * 100))
        }
        let new = old.map { (id: $0.id, outcome: $0.outcome, milliseconds: $0.milliseconds * 3) }
        let diff = try ReportDiff(from: Self.reader(old), to: Self.reader(new))
        let json = try Self.json(diff)
        #expect(json["typicalPercent"]?.integer == 300)
        #expect(Self.ids(json["slower"]).count == 20)
        #expect(Self.ids(json["slower"]).first == "t20")
        #expect(diff.text(limit: 1).contains("slower\n  t20  2.0 s → 6.0 s\n  and 19 more"))
    }

    @Test func `a file of another size or checksum has changed, an unknown checksum has not`()
        throws
    {
        let sums = [String(repeating: "a", count: 64), String(repeating: "b", count: 64)]
        let files: [(PublishedFile, PublishedFile, Bool)] = [
            (.init(path: "x", size: 5), .init(path: "x", size: 7), true),
            (.init(path: "x", size: 5), .init(path: "y", size: 5), false),
            (
                .init(path: "x", size: 5, sha256: sums[0]),
                .init(path: "x", size: 5, sha256: sums[1]), true
            ),
            (.init(path: "x", size: 5, sha256: sums[0]), .init(path: "x", size: 5), false),
        ]
        for (old, new, hasChanged) in files {
            let diff = try ReportDiff(
                from: Self.reader([("a", .succeeded, 10)]) { $0.file = old },
                to: Self.reader([("a", .unchanged, 10)]) { $0.file = new }
            )
            #expect(try Self.ids(Self.json(diff)["changed"]) == (hasChanged ? ["a"] : []))
            #expect(!diff.isWorse)
        }
    }

    @Test func `a summary is refused, because it lacks the tasks that succeeded`() throws {
        let report = try Self.reader([("a", .succeeded, 10)])
        let summary = try Self.reader([("a", .succeeded, 10)], detail: .summary)
        #expect(throws: ReportDetail.Lack.self) { try ReportDiff(from: report, to: summary) }
        #expect(throws: ReportDetail.Lack.self) { try ReportDiff(from: summary, to: report) }
    }

    @Test func `texts of a report cannot control a terminal`() throws {
        let report = try Self.reader([("a\u{1B}[31m", .failed, 10)])
        let diff = try ReportDiff(from: Self.reader([]), to: report)
        #expect(!diff.text(limit: 10).contains("\u{1B}"))
    }
}
