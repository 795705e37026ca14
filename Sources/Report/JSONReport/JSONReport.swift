internal import JSON
package import SystemKit
package import TransferModel

/// Writes the JSON report of a run while it runs.
///
/// Tasks are written as they finish, so that a million of them need no more memory than ten.
/// Members of a JSON object have no order (RFC 8259 §4): `run` and `summary`, known only at the
/// end, follow `tasks`. Each task is one line.
package final class JSONReport: ReportFormat {
    /// The size of the text that is gathered before a write, bytes.
    private static let bufferSize = 64 * 1024

    private let detail: ReportDetail
    private var writer = ReportWriter()

    /// A report with that detail, which has written nothing yet.
    package init(detail: ReportDetail = .full) {
        self.detail = detail
        writer.json.reserveCapacity(2 * Self.bufferSize)
    }

    /// Writes the job's members and opens the list of tasks.
    package func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError) {
        writer.json.beginObject()
        writer.json.member("formatVersion", ReportSchema.formatVersion)
        writer.json.member("detail", detail.rawValue)
        writer.json.key("job")
        header.writeJob(to: &writer)
        writer.json.key("tasks")
        writer.json.beginArray()
    }

    /// Adds a task's line, which reaches the file with the next full buffer.
    package func receive(_ record: RedactedRecord, to file: any ReportFile) throws(SystemError) {
        let isWhole =
            switch detail {
            case .full: true
            case .failures: record.isRemarkable
            case .summary: !record.isSuccess
            }
        guard isWhole || detail == .failures else { return }
        writer.json.newline()
        if isWhole { record.write(to: &writer) } else { record.writeLine(to: &writer) }
        if writer.json.count >= Self.bufferSize { try flush(to: file) }
    }

    /// Closes the list, and writes the run, the summary and all text still in memory.
    package func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError) {
        writer.json.newline()
        writer.json.endArray()
        writer.json.key("run")
        run.writeRun(to: &writer)
        writer.json.key("summary")
        writer.object(RunSummary.Report.self, run.summary)
        writer.json.endObject()
        writer.json.newline()
        try flush(to: file)
    }

    private func flush(to file: any ReportFile) throws(SystemError) {
        try writer.json.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    }
}
