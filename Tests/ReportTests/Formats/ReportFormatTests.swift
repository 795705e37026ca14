import Report
import SystemKit
import TestSupport
import Testing
import TransferModel

/// A format that exists in these tests only: one line for each task.
private final class LineFormat: ReportFormat {
    func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError) {
        try write("job \(header.jobName)", to: file)
    }

    func receive(
        _ record: RedactedRecord,
        to file: any ReportFile
    ) throws(SystemError) {
        let failure = record.failureMessage.map { ": \($0)" } ?? ""
        try write("\(record.id) \(record.outcome.rawValue) \(record.url)\(failure)", to: file)
    }

    func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError) {
        try write("\(run.summary.tasks) tasks in run \(run.header.runIdentifier)", to: file)
    }

    private func write(_ line: String, to file: any ReportFile) throws(SystemError) {
        try file.write(Array("\(line)\n".utf8).span)
    }
}

@Suite struct ReportFormatTests {
    private func lines(of file: MemoryFile) -> [Substring] {
        String(decoding: file.bytes, as: UTF8.self).split(separator: "\n")
    }

    private func output(_ format: any ReportFormat, _ file: MemoryFile) -> Reports.Output {
        Reports.Output(format) { file }
    }

    @Test func `a format beside JSON receives every task and leaves the JSON report as it is`() {
        let (alone, json, text) = (MemoryFile(), MemoryFile(), MemoryFile())
        let single = jsonReport(to: alone)
        let both = Reports([output(LineFormat(), text), output(JSONReport(), json)])
        for event in Samples.events {
            single.receive(event)
            both.receive(event)
        }
        #expect(json.bytes == alone.bytes)
        #expect(both.isPublished && text.isPublished && json.isPublished)
        let lines = lines(of: text)
        #expect(lines.first == "job \(Samples.header.jobName)")
        #expect(lines.count == 5)
        #expect(lines.last?.hasPrefix("3 tasks in run ") == true)
    }

    @Test func `a format reads neither secrets nor logins in URLs`() throws {
        var record = Samples.record("swordfish-1", 1, .failed)
        record.currentRequest.url = "https://user:pass@host/swordfish"
        record.error = TransferFailure(
            kind: .connect,
            phase: .connect,
            detail: "https://me:word@host refused swordfish"
        )
        let file = MemoryFile()
        let redactor = try #require(Redactor([Secret("swordfish")]))
        let reports = Reports([output(LineFormat(), file)], redactor: redactor)
        for event: RunEvent in [.started(Samples.header), .taskFinished(record)] {
            reports.receive(event)
        }
        let line = try #require(lines(of: file).last)
        #expect(line.contains("failed"))
        for secret in ["swordfish", "pass", "me:", "word@"] { #expect(!line.contains(secret)) }
    }

    @Test func `the first report tells of the failure of a later one`() throws {
        let (json, full) = (MemoryFile(), MemoryFile(publishFailure: .diskFull("memory")))
        let reports = Reports([output(JSONReport(), json), output(LineFormat(), full)])
        for event in Samples.events { reports.receive(event) }
        let report = try JSONValue(String(decoding: json.bytes, as: UTF8.self))
        #expect(report["summary"]?["exitCode"]?.integer == 4)
    }

    @Test func `a report that fails leaves the others whole and names its failure`() {
        let (full, json) = (MemoryFile(capacity: 4), MemoryFile())
        let reports = Reports([output(LineFormat(), full), output(JSONReport(), json)])
        for event in Samples.events { reports.receive(event) }
        #expect(json.isPublished)
        #expect(!full.isPublished)
        #expect(!reports.isPublished)
        #expect(reports.failure?.operation == "write")
    }
}
