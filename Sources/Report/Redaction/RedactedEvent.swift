internal import TransferModel

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
