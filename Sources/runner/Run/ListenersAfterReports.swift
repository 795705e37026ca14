import Report
import TransferModel

/// Passes the events of a run on, its end with the exit code that the reports leave.
final class ListenersAfterReports: RunEventSink {
    private let reports: Reports
    private let listeners: [any RunEventSink]

    /// Listeners that get each event after the reports.
    init(_ reports: Reports, _ listeners: [any RunEventSink]) {
        self.reports = reports
        self.listeners = listeners
    }

    func receive(_ event: RunEvent) {
        var event = event
        if case .finished(let summary) = event { event = .finished(reports.ended(summary)) }
        for listener in listeners { listener.receive(event) }
    }
}
