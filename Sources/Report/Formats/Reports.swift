package import SystemKit
package import TransferModel

/// The reports of one run: redacts each record once and hands it to all formats.
package final class Reports: RunEventSink {
    /// One report of the run and the file that it is written to.
    package struct Output {
        /// Makes or hands over the file; called when the run starts.
        package typealias Opener = () throws(SystemError) -> any ReportFile

        fileprivate enum State {
            case idle
            case writing(any ReportFile)
            case published
            case failed(SystemError)
        }

        private let format: any ReportFormat
        private let opener: Opener
        fileprivate private(set) var state = State.idle

        /// A report in `format`, whose file `opener` makes.
        package init(_ format: any ReportFormat, opener: @escaping Opener) {
            self.format = format
            self.opener = opener
        }

        fileprivate mutating func open(_ header: RedactedHeader) {
            guard case .idle = state else { return }
            do throws(SystemError) {
                let file = try opener()
                try format.open(header, to: file)
                state = .writing(file)
            } catch {
                state = .failed(error)
            }
        }

        fileprivate mutating func receive(_ record: RedactedRecord) {
            guard case .writing(let file) = state else { return }
            do throws(SystemError) {
                try format.receive(record, to: file)
            } catch {
                // This releases the file, which removes the unfinished report.
                state = .failed(error)
            }
        }

        /// Whether the format gets all events.
        fileprivate var isLive: Bool { format is any LiveReportFormat }

        fileprivate mutating func note(_ event: RedactedEvent) {
            guard case .writing(let file) = state, let format = format as? any LiveReportFormat
            else { return }
            do throws(SystemError) {
                try format.note(event, to: file)
            } catch {
                state = .failed(error)
            }
        }

        fileprivate mutating func finish(_ run: RedactedRun) {
            guard case .writing(let file) = state else { return }
            do throws(SystemError) {
                try format.finish(run, to: file)
                try file.publish()
                state = .published
            } catch {
                state = .failed(error)
            }
        }
    }

    /// Nil in a run without secrets.
    private let redactor: Redactor?
    private var outputs: [Output]
    private let hasLiveFormats: Bool
    /// The beginning of the run, which `finish` needs, too.
    private var header: RunHeader?

    /// The reports of a run, which show nothing that `redactor` finds.
    package init(_ outputs: [Output], redactor: Redactor? = nil) {
        self.outputs = outputs
        hasLiveFormats = outputs.contains { $0.isLive }
        self.redactor = redactor
    }

    /// The failure of the first report that failed; nil while all are written or published.
    package var failure: SystemError? {
        for output in outputs {
            if case .failed(let failure) = output.state { return failure }
        }
        return nil
    }

    /// The totals with the exit code of the process: a report that failed makes the run fail.
    package func ended(_ summary: RunSummary) -> RunSummary {
        guard failure != nil else { return summary }
        var summary = summary
        summary.exitCode = summary.exitCode.combined(with: .environment)
        return summary
    }

    /// Whether every report is complete under its name.
    package var isPublished: Bool {
        outputs.allSatisfy { if case .published = $0.state { true } else { false } }
    }

    /// The longest time between two `progress` events that the reports need; nil for none.
    package var progressInterval: Duration? { hasLiveFormats ? .seconds(1) : nil }

    /// Adds the event to every report.
    package func receive(_ event: RunEvent) {
        switch event {
        case .started(let header):
            open(header)
            note(event)
        case .taskFinished(let task):
            append(task)
            note(event)
        case .finished(let summary):
            note(event)
            finish(summary)
        case .taskStarted, .progress, .taskWillRetry, .taskWaiting, .taskWrote, .stopping:
            note(event)
        }
    }

    /// Hands an event to the formats that write while tasks run.
    private func note(_ event: RunEvent) {
        guard hasLiveFormats else { return }
        let redacted = RedactedEvent(event, redactor: redactor)
        for index in outputs.indices { outputs[index].note(redacted) }
    }

    private func open(_ header: RunHeader) {
        guard self.header == nil else { return }
        self.header = header
        let redacted = RedactedHeader(header, redactor: redactor)
        for index in outputs.indices { outputs[index].open(redacted) }
    }

    private func append(_ task: EndedTask) {
        let record = RedactedRecord(task, redactor: redactor)
        for index in outputs.indices { outputs[index].receive(record) }
    }

    /// Ends every report, the first one last: it contains the failures of the others.
    private func finish(_ summary: RunSummary) {
        guard let header else { return }
        for index in Array(outputs.indices.dropFirst()) + outputs.indices.prefix(1) {
            let summary = ended(summary)
            let run = RedactedRun(header: header, summary: summary, redactor: redactor)
            outputs[index].finish(run)
        }
    }
}
