package import SystemKit

/// Writes one report in one format: `open` once, `receive` for each task that ends, `finish` once.
///
/// A format reads redacted values only and knows neither paths nor sinks. An error ends the report;
/// `Reports` then calls nothing more and the file disappears. Called on the scheduler's thread
/// only.
package protocol ReportFormat: AnyObject {
    /// Writes the part that precedes the tasks.
    func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError)
    /// Writes a task; a format may gather text and write it later.
    func receive(_ record: RedactedRecord, to file: any ReportFile) throws(SystemError)
    /// Writes the part that follows the tasks, and all text that is still gathered.
    func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError)
}

/// A format that writes events while their tasks run.
protocol LiveReportFormat: ReportFormat {
    /// Writes an event of the run; called for every event, besides the calls of `ReportFormat`.
    func note(_ event: RedactedEvent, to file: any ReportFile) throws(SystemError)
}
