package import TransferModel

/// The beginning of a run, in displayable form.
package struct RedactedHeader {
    private let header: RunHeader
    private let redactor: Redactor?

    /// Redacts `header` by `redactor`, which is nil for a run without secrets.
    init(_ header: RunHeader, redactor: Redactor?) {
        self.header = header
        self.redactor = redactor
    }

    /// Writes the job for the JSON report.
    func writeJob(to writer: inout ReportWriter) {
        writer.object(RunHeader.JobReport.self, header, hiding: redactor)
    }

    /// The job's name.
    package var jobName: String { own(header.jobName) }
    /// The job file as named on the command line.
    package var jobFile: String { own(header.jobFile) }
    /// The unique identifier of the run.
    package var runIdentifier: String { own(header.runIdentifier) }
    /// The beginning of the run.
    package var startDate: Timestamp { header.startDate }
    /// The version of the runner.
    package var runnerVersion: String { header.runnerVersion }
    /// The version of libcurl; nil for a run that could not begin.
    package var libcurlVersion: String? { header.engine.map { own($0.libcurl) } }
    /// The TLS library with its version; nil without one.
    package var tlsVersion: String? { header.engine?.tls.map(own) }
    /// The machine's name.
    package var host: String { own(header.host) }
    /// The number of tasks that the run will report.
    package var taskCount: Int { header.taskCount }

    private func own(_ text: String) -> String { redactor?.redacted(text) ?? text }
}

/// A finished run, in displayable form.
package struct RedactedRun {
    /// The beginning of the run.
    package let header: RedactedHeader
    /// The totals of the run's tasks: numbers and a date.
    package let summary: RunSummary
    private let run: FinishedRun
    private let redactor: Redactor?

    /// Redacts a run by `redactor`, which is nil for a run without secrets.
    init(header: RunHeader, summary: RunSummary, redactor: Redactor?) {
        self.header = RedactedHeader(header, redactor: redactor)
        self.summary = summary
        run = FinishedRun(header: header, summary: summary)
        self.redactor = redactor
    }

    /// Writes the run for the JSON report.
    func writeRun(to writer: inout ReportWriter) {
        writer.object(FinishedRun.Report.self, run, hiding: redactor)
    }
}

/// An event of a run, in displayable form.
struct RedactedEvent {
    private let event: RunEvent
    private let redactor: Redactor?

    /// Redacts an event by `redactor`, which is nil for a run without secrets.
    init(_ event: RunEvent, redactor: Redactor?) {
        self.event = event
        self.redactor = redactor
    }

    /// Writes the lines that the event has in the file of callbacks.
    func write(to writer: inout ReportWriter, by lines: inout CallbackLines) {
        lines.write(event, hiding: redactor, to: &writer)
    }
}
