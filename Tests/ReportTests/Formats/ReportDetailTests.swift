import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

/// A report keeps as much of its tasks as its `detail` says.
@Suite struct ReportDetailTests {
    /// One task each that succeeded at once, succeeded after a retry, failed and was skipped.
    private static var events: [RunEvent] {
        var prompt = Samples.full
        prompt.id = "prompt"
        var retried = Samples.full
        retried.id = "retried"
        retried.attempts = Samples.full.attempts + Samples.full.attempts
        var header = Samples.header
        header.taskCount = 4
        var summary = Samples.summary
        summary.tasks = 4
        return [.started(header), .taskFinished(prompt), .taskFinished(retried)]
            + Samples.events.dropFirst(2).dropLast() + [.finished(summary)]
    }

    private static func report(_ detail: ReportDetail) -> [UInt8] {
        let file = MemoryFile()
        let reports = Reports([Reports.Output(JSONReport(detail: detail)) { file }])
        for event in events { reports.receive(event) }
        return file.bytes
    }

    private static func tasks(_ detail: ReportDetail) throws -> [JSONValue] {
        let report = try JSONValue(bytes: report(detail))
        let schema = JSONSchemaValidator(schema: try JSONValue(ReportSchema.text))
        #expect(schema.faults(in: report) == [])
        #expect(report["detail"]?.string == detail.rawValue)
        return try #require(report["tasks"]?.elements)
    }

    @Test func `failures keep the records of all but prompt successes, which get a line`() throws {
        let tasks = try Self.tasks(.failures)
        #expect(tasks.map { $0["id"]?.string } == ["prompt", "retried", "refused", "skipped"])
        #expect(tasks.map { $0["metrics"] == nil } == [true, false, false, false])
        #expect(Array(tasks.dropFirst()) == Array(try Self.tasks(.full).dropFirst()))
        let (line, record) = (tasks[0], try Self.tasks(.full)[0])
        #expect(line["outcome"] == record["outcome"] && line["type"] == record["type"])
        #expect(line["line"] == record["source"]?["line"])
        #expect(line["file"]?["sha256"] == record["file"]?["sha256"])
        #expect(line["durationUs"] == record["metrics"]?["taskInterval"]?["durationUs"])
    }

    @Test func `a summary keeps the records of tasks that did not succeed`() throws {
        let tasks = try Self.tasks(.summary)
        #expect(tasks == Array(try Self.tasks(.full).dropFirst(2)))
    }

    @Test func `a million lines of rows take less than 250 MB`() throws {
        var record = Samples.record("orders-1000000", 1_000_000, .succeeded)
        record.response = Samples.response
        record.attempts = Array(Samples.full.attempts.prefix(1))
        record.countOfBytesReceived = 1_000_000
        let file = MemoryFile()
        let reports = Reports([Reports.Output(JSONReport(detail: .failures)) { file }])
        reports.receive(.started(Samples.header))
        for _ in 0..<1000 { reports.receive(.taskFinished(record)) }
        reports.receive(.finished(Samples.summary))
        #expect(file.bytes.count < 250_000)
        #expect(file.bytes.count > 100_000)
    }

    @Test(arguments: ReportDetail.allCases)
    func `a reader gets the tasks that a report keeps`(detail: ReportDetail) throws {
        let reader = try ReportReader(Self.report(detail))
        #expect(reader.detail == detail)
        var tasks: [ReportedTask] = []
        try reader.forEachTask { tasks.append($0) }
        var full: [ReportedTask] = []
        try ReportReader(Self.report(.full)).forEachTask { full.append($0) }
        if detail == .summary { full.removeFirst(2) }
        #expect(tasks.map(\.id) == full.map(\.id))
        #expect(tasks.map(\.outcome) == full.map(\.outcome))
        #expect(tasks.map(\.durationMicroseconds) == full.map(\.durationMicroseconds))
        #expect(tasks.map(\.attemptCount) == full.map(\.attemptCount))
        #expect(tasks.map(\.source.line) == full.map(\.source.line))
        #expect(tasks.map(\.failure) == full.map(\.failure))
    }

    @Test func `a document is made of a report with enough detail, and otherwise refused`() throws {
        let documents: [(ReportKind, ReportDetail)] = [
            (.har, .full), (.html, .full), (.otlp, .full), (.junit, .failures),
            (.prometheus, .summary),
        ]
        for (kind, needed) in documents {
            for detail in ReportDetail.allCases {
                let file = MemoryFile()
                let reader = try ReportReader(Self.report(detail))
                guard !detail.includes(needed) else {
                    try kind.export(reader, to: file)
                    #expect(file.isPublished && !file.bytes.isEmpty)
                    continue
                }
                let lack = #expect(throws: ReportDetail.Lack.self) {
                    try kind.export(reader, to: file)
                }
                #expect(lack?.message.contains("`\(detail.rawValue)`") == true)
                #expect(file.bytes.isEmpty)
            }
        }
    }

    @Test func `JUnit of lines has the same test cases as JUnit of records`() throws {
        let documents = try [ReportDetail.full, .failures].map { detail in
            let file = MemoryFile()
            try ReportKind.junit.export(ReportReader(Self.report(detail)), to: file)
            return String(decoding: file.bytes, as: UTF8.self)
        }
        #expect(documents[0] == documents[1])
        #expect(documents[0].contains("prompt"))
    }

    @Test func `metrics of a summary have the sums and no single tasks`() throws {
        let file = MemoryFile()
        try ReportKind.prometheus.export(ReportReader(Self.report(.summary)), to: file)
        let text = String(decoding: file.bytes, as: UTF8.self)
        #expect(text.contains("runner_last_run_exit_code"))
        #expect(!text.contains("task="))
    }

    @Test func `the text of a summary lists no slowest tasks`() throws {
        let reader = try ReportReader(Self.report(.summary))
        var summary = ReportSummary(mostTasks: 5, detail: reader.detail)
        try reader.forEachTask { summary.add($0) }
        let text = summary.text(of: reader.run)
        #expect(text.contains("not done") && !text.contains("slowest"))
    }

    @Test func `a report without a detail is full, and an unknown detail is refused`() throws {
        let text = String(decoding: Self.report(.full), as: UTF8.self)
        let old = text.replacing(#""detail":"full","#, with: "")
        #expect(try ReportReader(Array(old.utf8)).detail == .full)
        let strange = text.replacing(#""detail":"full","#, with: #""detail":"none","#)
        #expect(throws: ReportFault.self) { try ReportReader(Array(strange.utf8)) }
    }

    @Test func `a report whose path ends in gz is compressed, and read again`() throws {
        let folder = try TemporaryFolder()
        let paths = ["report.json", "report.json.gz"].map { folder.path($0) }
        let report = Reports(
            paths.map { path in
                Reports.Output(JSONReport(detail: .failures)) { () throws(SystemError) in
                    try PublishedReport(path: path)
                }
            }
        )
        for event in Self.events { report.receive(event) }
        #expect(report.failure == nil && report.isPublished)
        let texts = try paths.map { path in
            let reader = try ReportReader(of: InputFile(path: path))
            var summary = ReportSummary(mostTasks: 5, detail: reader.detail)
            try reader.forEachTask { summary.add($0) }
            return summary.text(of: reader.run)
        }
        #expect(texts[0] == texts[1])
        let stored = try InputFile(path: paths[1]).readPrefix(limit: 1 << 20)
        let isGzip = GzipExpander.isGzip(stored.span)
        #expect(isGzip)
        #expect(try stored.count < folder.text("report.json").utf8.count)

        try folder.write(Array(stored.dropLast(3)), to: "cut.gz")
        let cut = #expect(throws: ReportFault.self) {
            try ReportReader(of: InputFile(path: folder.path("cut.gz")))
        }
        #expect(cut?.message == "its gzip data are incomplete")
    }
}
