internal import JSON
package import SystemKit
package import TransferModel

/// Writes the JSON report of a run while it runs.
///
/// Tasks go to disk as they finish, so that a million of them need no more memory than ten; the document appears
/// under its name when it is complete, or not at all. Members of a JSON object have no order (RFC 8259 §4): what is
/// known only at the end, `run` and `summary`, stands after `tasks`. Each task is one line.
package final class JSONReport: RunEventSink {
    /// Makes the file that the report is written to; the tests' way to a full disk.
    package typealias Opener = (_ path: String) throws(SystemError) -> any ReportFile

    private enum State {
        case idle
        case writing(any ReportFile)
        case published
        case failed(SystemError)
    }

    /// How much text is gathered before it is handed to the file, bytes.
    private static let bufferSize = 64 * 1024

    private let path: String
    private let open: Opener
    private var state = State.idle
    /// The run's beginning, which is told of at its end; there while the report is written.
    private var header: RunHeader?
    private var writer: ReportWriter

    /// A report that will be published at `path`, its missing folders created, without what `redactor` finds.
    package init(
        path: String,
        redactor: Redactor? = nil,
        open: @escaping Opener = { (path) throws(SystemError) in try PublishedReport(path: path) }
    ) {
        self.path = path
        self.open = open
        writer = ReportWriter(redactor: redactor)
        writer.json.reserveCapacity(2 * Self.bufferSize)
    }

    /// Why there is no report; nil while it is being written and when it was published.
    package var failure: SystemError? {
        if case .failed(let failure) = state { failure } else { nil }
    }

    /// Whether the whole report stands under its name.
    package var isPublished: Bool {
        if case .published = state { true } else { false }
    }

    package func receive(_ event: RunEvent) {
        do {
            switch event {
            case .started(let header): try begin(header)
            case .taskFinished(let record): try append(record)
            case .finished(let summary): try finish(summary)
            case .taskStarted, .progress, .taskWillRetry, .taskWaiting, .taskWrote, .stopping:
                break
            }
        } catch {
            // Lets go of the file too, which removes what was written.
            state = .failed(error)
        }
    }

    private func begin(_ header: RunHeader) throws(SystemError) {
        guard case .idle = state else { return }
        state = .writing(try open(path))
        self.header = header
        writer.json.beginObject()
        writer.json.member("formatVersion", ReportSchema.formatVersion)
        writer.json.key("job")
        writer.object(RunHeader.JobReport.self, header)
        writer.json.key("tasks")
        writer.json.beginArray()
    }

    private func append(_ record: consuming TaskRecord) throws(SystemError) {
        guard case .writing(let file) = state else { return }
        writer.json.newline()
        writer.object(TaskRecord.Report.self, consume record)
        if writer.json.count >= Self.bufferSize { try flush(to: file) }
    }

    private func finish(_ summary: RunSummary) throws(SystemError) {
        guard case .writing(let file) = state, let header else { return }
        writer.json.newline()
        writer.json.endArray()
        writer.json.key("run")
        writer.object(
            FinishedRun.Report.self,
            FinishedRun(header: header, summary: summary)
        )
        writer.json.key("summary")
        writer.object(RunSummary.Report.self, summary)
        writer.json.endObject()
        writer.json.newline()
        try flush(to: file)
        try file.publish()
        state = .published
    }

    private func flush(to file: any ReportFile) throws(SystemError) {
        try writer.json.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    }
}
