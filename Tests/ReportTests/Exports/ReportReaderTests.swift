import Report
import TestSupport
import Testing
import TransferModel

/// Written reports are read back task by task.
@Suite struct ReportReaderTests {
    private static func report() -> [UInt8] {
        let file = MemoryFile()
        let reports = jsonReport(to: file)
        for event in Samples.events { reports.receive(event) }
        return file.bytes
    }

    @Test func `a report tells of its run and its tasks in their order`() throws {
        let reader = try ReportReader(Self.report())
        #expect(reader.run.head.jobName == "nightly")
        #expect(reader.run.exitCode == 1)
        #expect(reader.run.durationMicroseconds == 3_200_000)
        #expect(reader.run.outcomes[.skipped] == 1)
        var ids: [String] = []
        try reader.forEachTask { ids.append("\($0.id) \($0.outcome.rawValue) \($0.attemptCount)") }
        #expect(ids == ["artifact succeeded 1", "refused failed 1", "skipped skipped 0"])
    }

    @Test(arguments: [
        ("", "it is no JSON: "), ("{}", "`formatVersion`"), ("[1]", "`formatVersion`"),
        (#"{"formatVersion":99}"#, "it has formatVersion 99; this version reads 1"),
        (#"{"formatVersion":1}"#, "`job`"),
        (#"{"formatVersion":1,"job":{"name":"a","file":"b"},"tasks":[],"run":{}}"#, "`summary`"),
    ])
    func `another file is refused with the reason`(text: String, reason: String) {
        let fault = #expect(throws: ReportFault.self) { try ReportReader(Array(text.utf8)) }
        #expect(fault?.message.contains(reason) == true, "\(String(describing: fault))")
    }

    @Test func `no cut or changed report traps`() throws {
        let report = Self.report()
        var cases = 0
        for length in stride(from: 0, to: report.count, by: 23) {
            cases += 1
            let cut = Array(report[..<length])
            _ = try? ReportReader(cut).forEachTask { _ in }
            var changed = report
            changed[length] = UInt8(truncatingIfNeeded: length)
            let kind = ReportKind.allCases[cases % ReportKind.allCases.count]
            _ = try? kind.export(ReportReader(changed), to: MemoryFile())
        }
        #expect(cases > 150)
    }

    /// The written report with another number as the value of each member in turn.
    private static func reports(with number: Int64) -> [[UInt8]] {
        let text = String(decoding: report(), as: UTF8.self)
        let names = Set(text.matches(of: #/"([A-Za-z0-9]+)":[0-9]+/#).map { String($0.output.1) })
        return names.map { name in
            let member = #/"([A-Za-z0-9]+)":[0-9]+/#
            let changed = text.replacing(member) { match in
                match.output.1 == name ? "\"\(name)\":\(number)" : String(match.output.0)
            }
            return Array(changed.utf8)
        }
    }

    @Test(arguments: [Int64.min, -1, .max])
    func `no number of a report traps`(number: Int64) throws {
        let original = try ReportReader(Self.report())
        let reports = Self.reports(with: number)
        for bytes in reports {
            for kind in ReportKind.allCases {
                _ = try? kind.export(ReportReader(bytes), to: MemoryFile())
            }
            guard let changed = try? ReportReader(bytes) else { continue }
            var summary = ReportSummary(mostTasks: 2)
            _ = try? changed.forEachTask { summary.add($0) }
            _ = summary.text(of: changed.run)
            for first in [original, changed] {
                _ = try? ReportMerge([first, changed]).write(to: MemoryFile())
            }
            for (old, new) in [(original, changed), (changed, original)] {
                _ = try? ReportDiff(from: old, to: new, limits: ReportDiff.Limits()).json
            }
        }
        #expect(reports.count > 30)
    }

    @Test func `a formatted report may have more than a million values`() throws {
        let text = String(decoding: Self.report(), as: UTF8.self)
        let end = try #require(text.lastIndex(of: "}"))
        let zeros = String(repeating: "0,", count: 1_000_000)
        let formatted = "\(text[..<end]),\n\"more\":[\(zeros)0]}\n"
        let reader = try ReportReader(Array(formatted.utf8))
        #expect(reader.run.head.jobName == "nightly")
    }

    @Test func `a summary names failures with their places, the slowest and the most retried`()
        throws
    {
        var slow = Samples.record("slow\u{1B}[31m", 4, .succeeded)
        slow.endDate = Samples.time(9_000_000)
        slow.attempts = Samples.full.attempts + Samples.full.attempts
        let file = MemoryFile()
        let reports = jsonReport(to: file)
        for event in Samples.events.dropLast() { reports.receive(event) }
        reports.receive(.taskFinished(slow))
        reports.receive(.finished(Samples.summary))
        let reader = try ReportReader(file.bytes)
        var summary = ReportSummary(mostTasks: 2)
        try reader.forEachTask { summary.add($0) }
        let text = summary.text(of: reader.run)
        #expect(text.hasPrefix("job nightly (jobs/nightly.yaml), run 01JD\n"))
        #expect(text.contains("exit code 1\n3 tasks: 1 succeeded, 1 failed, 1 skipped; 2 attempts"))
        #expect(
            text.contains("  jobs/nightly.yaml:14:3  refused  failed: connect: no connection to")
        )
        #expect(text.contains("      help: is the server running?"))
        #expect(text.contains("slowest\n    9.0 s  slow"), "\(text)")
        #expect(text.contains("most retried\n        2  slow"))
        #expect(!text.contains("\u{1B}") && !text.contains("secret"))
    }

    @Test func `each document shows the place of the key that decides about a failure`() throws {
        var record = Samples.refused
        record.cause = record.source
        record.cause?.line = 21
        record.cause?.column = 7
        let file = MemoryFile()
        let reports = jsonReport(to: file)
        reports.receive(.started(Samples.header))
        for record in [record, Samples.full] { reports.receive(.taskFinished(record)) }
        reports.receive(.finished(Samples.summary))
        let tasks = try JSONValue(bytes: file.bytes)["tasks"]?.elements ?? []
        #expect(tasks.first?["error"]?["source"]?["line"]?.integer == 21)
        #expect(tasks.first?["source"]?["line"]?.integer == 14)
        let reader = try ReportReader(file.bytes)
        var summary = ReportSummary(mostTasks: 2)
        try reader.forEachTask { summary.add($0) }
        #expect(summary.text(of: reader.run).contains("  jobs/nightly.yaml:21:7  refused  failed"))
        for kind in [ReportKind.junit, .html] {
            let document = MemoryFile()
            try kind.export(reader, to: document)
            let text = String(decoding: document.bytes, as: UTF8.self)
            #expect(text.contains("jobs/nightly.yaml:21:7"), "\(kind)")
        }
    }

    @Test func `a summary lists skipped tasks with the reason, and ranks none of them`() throws {
        var skipped = Samples.record("later", 3, .skipped)
        skipped.error = TransferFailure(
            kind: .cancelled,
            phase: .prepare,
            detail: "the task needs `refused`, which failed (connect)"
        )
        let file = MemoryFile()
        let reports = jsonReport(to: file)
        reports.receive(.started(Samples.header))
        for record in [skipped, Samples.refused] { reports.receive(.taskFinished(record)) }
        reports.receive(.finished(Samples.summary))
        let reader = try ReportReader(file.bytes)
        for most in [1, 5] {
            var summary = ReportSummary(mostTasks: most)
            try reader.forEachTask { summary.add($0) }
            let text = summary.text(of: reader.run)
            let line = "  later  skipped: the task needs `refused`, which failed (connect)\n"
            #expect(text.contains(line) == (most == 5), "\(text)")
            #expect(text.contains("  and 1 more\n") == (most == 1), "\(text)")
            #expect(text.contains("  refused  failed: connect: "), "\(text)")
            let ranking = text.split(separator: "slowest").last ?? ""
            #expect(ranking.contains("refused") && !ranking.contains("later"), "\(text)")
        }
    }
}
