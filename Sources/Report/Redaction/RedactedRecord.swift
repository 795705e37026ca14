package import TransferModel

/// One task and its end, in displayable form.
///
/// The record itself is private to this file: formats read texts without secrets and logins in
/// URLs, with limited length where a peer chose them. Texts are redacted when read, so that nothing
/// is copied for formats that do not show it.
package struct RedactedRecord: Sendable {
    private let task: EndedTask
    private let redactor: Redactor?

    /// The record of a task that has ended without the secrets of `redactor`.
    init(_ task: EndedTask, redactor: Redactor?) {
        self.task = task
        self.redactor = redactor
    }

    /// Writes the task for the JSON report.
    func write(to writer: inout ReportWriter) {
        writer.object(TaskRecord.Report.self, task, hiding: redactor)
    }

    /// Writes the task in one short line for the JSON report.
    func writeLine(to writer: inout ReportWriter) {
        writer.object(TaskRecord.Line.self, task, hiding: redactor)
    }

    /// Whether the task reached the result that the job file asks for.
    var isSuccess: Bool { outcome == .succeeded || outcome == .unchanged }
    /// Whether the task did not succeed, or not in its first attempt.
    var isRemarkable: Bool { !isSuccess || attemptCount > 1 }

    /// The task's id in the job file.
    package var id: String { own(task.record.id) }
    /// The job file's description of the task.
    package var taskDescription: String? { task.record.taskDescription.map(own) }
    /// The section of the job file that declares the task.
    package var kind: TaskSpec.Kind { task.record.kind }
    /// The name of the task's session.
    package var session: String { own(task.record.session) }
    /// The end of the task.
    package var outcome: TaskOutcome { task.record.outcome }
    /// Whether the task changed anything, here or at the server.
    package var isChanged: Bool { task.record.changed }
    /// Whether the run fails when the task does.
    package var isRequired: Bool { task.record.required }
    /// The class of the failure; nil for a task that succeeded.
    package var failureKind: TransferFailure.Kind? { task.record.error?.kind }
    /// One sentence about the failure; nil for a task that succeeded.
    package var failureMessage: String? { task.record.error.map { foreign($0.detail) } }
    /// The `errno` of the failure; nil if unknown.
    var failureErrno: Int? { task.record.error?.osErrno }
    /// The file that the task published; nil without one.
    var file: ReportedTask.File? {
        task.record.file.map { ReportedTask.File(size: $0.size, sha256: $0.sha256) }
    }
    /// Advice about the failure; nil without any.
    package var failureHelp: String? { task.record.error?.help.map(foreign) }
    /// Whether a later run may succeed.
    package var isRetryable: Bool { task.record.isRetryable }
    /// The place of the task in the job file.
    package var source: SourceLocation { own(task.record.source) }
    /// The place of the key in the job file that decides about the failure; nil without one.
    package var cause: SourceLocation? { task.record.cause.map(own) }
    /// Whether the body of the final response came from the cache.
    package var isFromCache: Bool { task.record.cache?.outcome.isFromCache ?? false }
    /// The method of the last request.
    package var method: String { own(task.record.currentRequest.method) }
    /// The URL of the last request.
    package var url: String { foreign(task.record.currentRequest.url) }
    /// The status code of the last response; nil without one.
    package var statusCode: Int? { task.record.response.map { Int($0.statusCode) } }
    /// The creation of the task.
    package var startDate: Timestamp { task.record.startDate }
    /// The end of the task.
    package var endDate: Timestamp { task.record.endDate }
    /// The number of attempts, including those without a task.record.
    package var attemptCount: Int { task.record.attempts.count + task.record.omittedAttempts }
    /// Body bytes sent.
    package var countOfBytesSent: Int64 { task.record.countOfBytesSent }
    /// Body bytes received.
    package var countOfBytesReceived: Int64 { task.record.countOfBytesReceived }

    private func own(_ text: String) -> String { redactor?.redacted(text) ?? text }

    private func own(_ place: SourceLocation) -> SourceLocation {
        var place = place
        place.file = own(place.file)
        return place
    }

    private func foreign(_ text: String) -> String {
        ForeignText(redactor: redactor)
            .open(text, maximumBytes: ReportWriter.maximumForeignBytes)
    }
}
