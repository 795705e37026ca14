internal import JSON
internal import SystemKit
internal import TransferModel

/// The file of a run's events, named after the callbacks of URLSession's delegates.
///
/// Text waits in memory for a fifth of a second at most, or until the next event; during a run an
/// event of progress comes every second.
final class CallbackReport: LiveReportFormat {
    /// The size of the text that is gathered before a write, bytes.
    private static let bufferSize = 64 * 1024
    private static let longestWait = Duration.milliseconds(200)

    private let now: () -> MonotonicTime
    private var lines: CallbackLines
    private var writer = ReportWriter()
    private var lastWrite: MonotonicTime

    /// A report that has written nothing yet.
    init(
        now: @escaping () -> MonotonicTime = {
            MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
        }
    ) {
        self.now = now
        lines = CallbackLines(now: now)
        lastWrite = now()
        writer.json.reserveCapacity(2 * Self.bufferSize)
    }

    func open(_ header: RedactedHeader, to file: any ReportFile) throws(SystemError) {}

    func receive(_ record: RedactedRecord, to file: any ReportFile) throws(SystemError) {}

    func note(_ event: RedactedEvent, to file: any ReportFile) throws(SystemError) {
        event.write(to: &writer, by: &lines)
        guard writer.json.count > 0 else { return }
        let time = now()
        guard writer.json.count >= Self.bufferSize || time - lastWrite >= Self.longestWait else {
            return
        }
        lastWrite = time
        try flush(to: file)
    }

    func finish(_ run: RedactedRun, to file: any ReportFile) throws(SystemError) {
        try flush(to: file)
    }

    private func flush(to file: any ReportFile) throws(SystemError) {
        try writer.json.drain { (bytes) throws(SystemError) in try file.write(bytes) }
    }
}
