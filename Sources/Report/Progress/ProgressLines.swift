internal import SystemKit
internal import TransferModel

/// The permanent lines: the result of a task, a retry, the summary of the run.
struct ProgressLines: Sendable {
    /// The width of the longest outcome.
    private static let wordWidth = 9
    /// The most running tasks named in one line.
    private static let mostNames = 3
    /// The most cells shown of a text from a peer.
    private static let maximumDetail = 500

    var usesColor: Bool
    /// Prepares text from others for the display.
    var foreign = ForeignText()

    /// `failed     id  512 B in 1.2 s, 4 attempts: connect: … (job.yaml:3:3)`, with the help on its
    /// own line.
    func finished(_ record: TaskRecord) -> String {
        let size = record.kind == .upload ? record.countOfBytesSent : record.countOfBytesReceived
        let duration = record.endDate.microseconds(since: record.startDate)
        var line = word(record.outcome) + "  " + foreign.line(record.id)
        if !record.required, record.error != nil { line += " (not required)" }
        if !record.attempts.isEmpty {
            line += "  \(Quantity.bytes(size)) in \(Quantity.duration(microseconds: duration))"
            if record.attemptCount > 1 { line += ", \(record.attemptCount) attempts" }
        }
        guard let error = record.error else { return line + "\n" }
        let source = record.source
        let place = foreign.line(source.file) + ":\(source.line):\(source.column)"
        line += ": \(reason(error)) (\(place))\n"
        if let help = error.help { line += "\(margin)help: \(shown(help))\n" }
        return line
    }

    /// `retrying   id  attempt 1: timeout: …; again in 1.2 s`.
    func retry(
        id: String,
        attempt: Int,
        failure: TransferFailure,
        waitMicroseconds: Int64
    ) -> String {
        let wait = Quantity.duration(microseconds: waitMicroseconds)
        // There is no wait before a request to a mirror.
        let next = waitMicroseconds == 0 ? "again at once" : "again in \(wait)"
        return padded("retrying", color: 33) + "  \(foreign.line(id))"
            + "  \(attempt == 0 ? "it could not begin" : "attempt \(attempt)"): "
            + "\(reason(failure)); \(next)\n"
    }

    /// `waiting    id  network: no interface leads to …`.
    func waiting(id: String, failure: TransferFailure) -> String {
        padded("waiting", color: 33) + "  \(foreign.line(id))  \(reason(failure))\n"
    }

    /// `stderr     id  dump: connection refused`.
    func wrote(_ line: String, id: String) -> String {
        TerminalText.fitted("stderr", columns: Self.wordWidth)
            + "  \(foreign.line(id))  \(foreign.line(line))\n"
    }

    /// `stopping   the run was interrupted; 3 tasks are still running`.
    func stopping(reason: String, running: Int) -> String {
        let rest =
            switch running {
            case 0: ""
            case 1: "; 1 task is still running"
            default: "; \(running) tasks are still running"
            }
        return padded("stopping", color: 33) + "  \(foreign.line(reason))\(rest)\n"
    }

    /// `running    a, b and 5 more; 3 of 40 tasks have ended; 1.2 GiB, 3.4 MiB/s`.
    func stillRunning(_ ids: [String], _ total: ProgressFrame.Total) -> String {
        let shown = ids.prefix(Self.mostNames).map { foreign.line($0) }
        var names = shown.joined(separator: ", ")
        if ids.count > shown.count { names += " and \(ids.count - shown.count) more" }
        var figures = Quantity.bytes(total.bytes)
        if let rate = total.bytesPerSecond {
            figures += ", \(Quantity.bytes(Int64(min(rate, 1e15))))/s"
        }
        return TerminalText.fitted("running", columns: Self.wordWidth)
            + "  \(names); \(total.done) of \(total.tasks) tasks have ended; \(figures)\n"
    }

    /// The counts, the bytes and the time, then the path of the report.
    func summary(
        _ summary: RunSummary,
        startDate: Timestamp?,
        reportPath: String?
    ) -> String {
        var counts = ["\(summary.succeeded) of \(summary.tasks) tasks succeeded"]
        for (count, name) in [
            (summary.unchanged, "unchanged"), (summary.failed, "failed"),
            (summary.deferred, "deferred"), (summary.cancelled, "cancelled"),
            (summary.skipped, "skipped"),
        ] where count > 0 {
            counts.append("\(count) \(name)")
        }
        var sizes = ["\(Quantity.bytes(summary.countOfBytesReceived)) received"]
        if summary.countOfBytesSent > 0 {
            sizes.append("\(Quantity.bytes(summary.countOfBytesSent)) sent")
        }
        let time = startDate.map {
            " in " + Quantity.duration(microseconds: summary.endDate.microseconds(since: $0))
        }
        let result = counts.joined(separator: ", ")
        let isGood = summary.exitCode == .success
        var text = colored(result, isGood ? 32 : 31)
        text += "; \(sizes.joined(separator: ", "))\(time ?? "")\n"
        if [.interrupted, .terminated].contains(summary.exitCode),
            summary.tasks > 0, summary.succeeded + summary.unchanged == summary.tasks
        {
            text +=
                "exit code \(summary.exitCode.rawValue): a signal stopped the run, "
                + "although every task had already ended\n"
        }
        if let reportPath { text += "report: \(foreign.line(reportPath))\n" }
        return text
    }

    private var margin: String { String(repeating: " ", count: Self.wordWidth + 2) }

    /// The kind and the detail; for a task that the run cancelled, the outcome already says the
    /// kind.
    private func reason(_ failure: TransferFailure) -> String {
        let detail = shown(failure.detail)
        return failure.kind == .cancelled ? detail : "\(failure.kind.label): \(detail)"
    }

    /// Text that a peer may have influenced, on one line and without credentials.
    private func shown(_ text: String) -> String {
        foreign.line(
            text,
            maximumBytes: ReportWriter.maximumForeignBytes,
            columns: Self.maximumDetail
        )
    }

    private func word(_ outcome: TaskOutcome) -> String {
        switch outcome {
        case .succeeded, .unchanged: padded(outcome.rawValue, color: 32)
        case .failed: padded(outcome.rawValue, color: 31)
        case .deferred, .cancelled, .skipped: padded(outcome.rawValue, color: 33)
        }
    }

    private func padded(_ word: String, color: Int) -> String {
        colored(TerminalText.fitted(word, columns: Self.wordWidth), color)
    }

    /// The text in a colour of ECMA-48 §8.3.117, if colour is used.
    private func colored(_ text: String, _ color: Int) -> String {
        usesColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }
}
