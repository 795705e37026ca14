package import TransferModel

/// One task and its end, in displayable form.
///
/// The record itself is private to this file: formats read texts without secrets and logins in
/// URLs, with limited length where a peer chose them. Texts are redacted when read, so that nothing
/// is copied for formats that do not show it.
package struct RedactedRecord: Sendable {
    /// The event of the task's end: keeping it costs one reference instead of a copy of the record.
    private let event: RunEvent
    private let redactor: Redactor?

    /// The record of `event` without the secrets of `redactor`; nil unless the event is the end of
    /// a task.
    init?(_ event: RunEvent, redactor: Redactor?) {
        guard case .taskFinished = event else { return nil }
        self.event = event
        self.redactor = redactor
    }

    private var record: TaskRecord {
        guard case .taskFinished(let record) = event else {
            preconditionFailure("a redacted record needs the end of a task")
        }
        return record
    }

    /// Writes the task for the JSON report.
    func write(to writer: inout ReportWriter) {
        writer.object(TaskRecord.Report.self, record, hiding: redactor)
    }

    /// The task's id in the job file.
    package var id: String { own(record.id) }
    /// The job file's description of the task.
    package var taskDescription: String? { record.taskDescription.map(own) }
    /// The section of the job file that declares the task.
    package var kind: TaskSpec.Kind { record.kind }
    /// The name of the task's session.
    package var session: String { own(record.session) }
    /// The end of the task.
    package var outcome: TaskOutcome { record.outcome }
    /// Whether the task changed anything, here or at the server.
    package var isChanged: Bool { record.changed }
    /// Whether the run fails when the task does.
    package var isRequired: Bool { record.required }
    /// The class of the failure; nil for a task that succeeded.
    package var failureKind: TransferFailure.Kind? { record.error?.kind }
    /// One sentence about the failure; nil for a task that succeeded.
    package var failureMessage: String? { record.error.map { foreign($0.detail) } }
    /// Advice about the failure; nil without any.
    package var failureHelp: String? { record.error?.help.map(foreign) }
    /// Whether a later run may succeed.
    package var isRetryable: Bool { record.isRetryable }
    /// The place of the task in the job file.
    package var source: SourceLocation {
        var source = record.source
        source.file = own(source.file)
        return source
    }
    /// Whether the body of the final response came from the cache.
    package var isFromCache: Bool { record.cache?.outcome.isFromCache ?? false }
    /// The method of the last request.
    package var method: String { own(record.currentRequest.method) }
    /// The URL of the last request.
    package var url: String { foreign(record.currentRequest.url) }
    /// The status code of the last response; nil without one.
    package var statusCode: Int? { record.response.map { Int($0.statusCode) } }
    /// The creation of the task.
    package var startDate: Timestamp { record.startDate }
    /// The end of the task.
    package var endDate: Timestamp { record.endDate }
    /// The number of attempts, including those without a record.
    package var attemptCount: Int { record.attempts.count + record.omittedAttempts }
    /// Body bytes sent.
    package var countOfBytesSent: Int64 { record.countOfBytesSent }
    /// Body bytes received.
    package var countOfBytesReceived: Int64 { record.countOfBytesReceived }

    private func own(_ text: String) -> String { redactor?.redacted(text) ?? text }

    private func foreign(_ text: String) -> String {
        ForeignText(redactor: redactor)
            .open(text, maximumBytes: ReportWriter.maximumForeignBytes)
    }
}
