internal import SystemKit
internal import TransferModel

/// The permanent lines: the result of a task, a retry, the summary of the run.
struct ProgressLines: Sendable {
    /// The width of the longest outcome.
    private static let wordWidth = 9
    /// The most tasks named in one line.
    static let mostNames = 3
    /// The most URLs of a task in one line.
    private static let mostURLs = 5
    /// The most cells shown of a text from a peer.
    private static let maximumDetail = 500
    /// The most cells shown of a URL.
    private static let maximumURL = 200

    var usesColor: Bool
    /// The time of day before each line; nil for none.
    var time: String?
    /// Prepares text from others for the display.
    var foreign = ForeignText()

    /// `succeeded  id  512 B in 1.2 s, 4 attempts`.
    ///
    /// For a task that is not done `failed     id  GET https://… answered 404 Not Found; attempt 4,
    /// 1.2 s (job.yaml:3:5)`, with the help on a line of its own.
    func finished(_ record: TaskRecord) -> String {
        let word = record.isCached ? head("cached", color: 32) : word(record.outcome)
        let line = word + "  " + foreign.line(record.id)
        let duration = Quantity.duration(
            microseconds: record.endDate.microseconds(since: record.startDate)
        )
        guard let error = record.error else {
            guard !record.attempts.isEmpty else { return line + "\n" }
            let isUpload = record.kind == .upload
            let size = isUpload ? record.countOfBytesSent : record.countOfBytesReceived
            let count = record.attemptCount
            return line + "  \(Quantity.bytes(size)) in \(duration)"
                + (count > 1 ? ", \(count) attempts\n" : "\n")
        }
        let source = record.cause ?? record.source
        let place = foreign.line(source.file) + ":\(source.line):\(source.column)"
        let isOptional = record.required ? "" : " (not required)"
        let attempt =
            record.attempts.isEmpty ? "" : "; attempt \(record.attemptCount), \(duration)"
        let help = error.help.map { "\(margin)help: \(shown($0))\n" } ?? ""
        return line + isOptional + failure(error, of: record) + "\(attempt) (\(place))\n"
            + tried(by: record) + help
    }

    /// `tried: http://a/x: 404; http://b/x: connect`, if the attempts requested several URLs.
    private func tried(by record: TaskRecord) -> String {
        guard record.attempts.count > 1 else { return "" }
        var reasons: [(url: String, reason: String)] = []
        for attempt in record.attempts {
            let first = record.transactions.first { $0.attempt == attempt.number }
            guard let url = first?.request.url, let reason = attempt.reason,
                !reasons.contains(where: { $0.url == url })
            else { continue }
            reasons.append((url, reason))
        }
        guard reasons.count > 1 else { return "" }
        let shown = reasons.prefix(Self.mostURLs).map { url, reason in
            let url = foreign.line(
                url,
                maximumBytes: ReportWriter.maximumForeignBytes,
                columns: Self.maximumURL
            )
            return "\(url): \(foreign.line(reason))"
        }
        let rest = reasons.count - shown.count
        return "\(margin)tried: \(shown.joined(separator: "; "))"
            + (rest > 0 ? " and \(rest) more\n" : "\n")
    }

    /// The failure with the request, if there was one.
    private func failure(_ error: TransferFailure, of record: TaskRecord) -> String {
        guard !record.attempts.isEmpty else { return ": \(reason(error))" }
        let request = record.currentRequest
        let url = foreign.line(
            request.url,
            maximumBytes: ReportWriter.maximumForeignBytes,
            columns: Self.maximumURL
        )
        let subject = record.kind == .stream ? url : "\(foreign.line(request.method)) \(url)"
        let reason = reason(error)
        guard let answer = reason.withoutPrefix("the server answered ") else {
            return "  \(subject): \(reason)"
        }
        return "  \(subject) answered \(answer)"
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
        return head("retrying", color: 33) + "  \(foreign.line(id))"
            + "  \(attempt == 0 ? "it could not begin" : "attempt \(attempt)"): "
            + "\(reason(failure)); \(next)\n"
    }

    /// `waiting    id  network: no interface leads to …`.
    func waiting(id: String, failure: TransferFailure) -> String {
        head("waiting", color: 33) + "  \(foreign.line(id))  \(reason(failure))\n"
    }

    /// `stderr     id  dump: connection refused`.
    func wrote(_ line: String, id: String) -> String {
        head("stderr") + "  \(foreign.line(id))  \(foreign.line(line))\n"
    }

    /// `stopping   the run was interrupted; 2 tasks are still running: a, b; they have 5 s; …`.
    func stopping(reason: String, running: Int, _ ids: [String], advice: String?) -> String {
        var rest =
            switch running {
            case 0: ""
            case 1: "; 1 task is still running"
            default: "; \(running) tasks are still running"
            }
        if running > 0, !ids.isEmpty { rest += ": \(names(ids, of: running))" }
        if let advice { rest += "; \(advice)" }
        return head("stopping", color: 33) + "  \(foreign.line(reason))\(rest)\n"
    }

    /// `cancelled  197 more tasks, which the report lists`.
    func unlisted(_ outcome: TaskOutcome, count: Int) -> String {
        let tasks = count == 1 ? "1 more task" : "\(count) more tasks"
        return word(outcome) + "  \(tasks), which the report lists\n"
    }

    /// `a, b, c and 5 more`.
    private func names(_ ids: [String], of count: Int) -> String {
        let shown = ids.prefix(Self.mostNames).map { foreign.line($0) }
        let names = shown.joined(separator: ", ")
        return count > shown.count ? names + " and \(count - shown.count) more" : names
    }

    /// `running    a, b and 5 more; 3 of 40 tasks have ended; 1.2 GiB, 3.4 MiB/s`.
    func stillRunning(_ ids: [String], _ total: ProgressFrame.Total) -> String {
        let names = names(ids, of: ids.count)
        var figures = Quantity.bytes(total.bytes)
        if let rate = total.bytesPerSecond {
            figures += ", \(Quantity.bytes(Int64(min(rate, 1e15))))/s"
        }
        return head(total.running > 0 ? "running" : "waiting")
            + "  \(names); \(total.done) of \(total.tasks) tasks have ended; \(figures)\n"
    }

    /// The counts, the bytes and the time, then the path of the report.
    ///
    /// `skipped` has the first ids of skipped tasks that have no line; empty to name none.
    func summary(
        _ summary: RunSummary,
        startDate: Timestamp?,
        reportPath: String?,
        skipped: [String] = []
    ) -> String {
        func counted(_ counts: [(Int, String)]) -> [String] {
            counts.filter { $0.0 > 0 }.map { "\($0) \($1)" }
        }
        let good = summary.succeeded + summary.unchanged
        var counts = ["\(good) of \(summary.tasks) tasks succeeded"]
        let effortless = counted([(summary.cached, "cached"), (summary.unchanged, "unchanged")])
        if !effortless.isEmpty { counts[0] += " (\(effortless.joined(separator: ", ")))" }
        counts += counted([
            (summary.failed, "failed"), (summary.deferred, "deferred"),
            (summary.cancelled, "cancelled"), (summary.skipped, "skipped"),
        ])
        if summary.skipped > 0, !skipped.isEmpty {
            counts[counts.count - 1] += " (\(names(skipped, of: summary.skipped)))"
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
            summary.tasks > 0, good == summary.tasks
        {
            text +=
                "exit code \(summary.exitCode.rawValue): a signal stopped the run, "
                + "although every task had already ended\n"
        }
        if let reportPath { text += "report: \(foreign.line(reportPath))\n" }
        return text
    }

    private var margin: String {
        String(repeating: " ", count: Self.wordWidth + 2 + (time.map { $0.utf8.count + 1 } ?? 0))
    }

    /// The kind and the detail; the detail alone if it says as much.
    private func reason(_ failure: TransferFailure) -> String {
        let detail = shown(failure.detail)
        return switch failure.kind {
        case .cancelled, .condition, .httpStatus, .localIO: detail
        default: "\(failure.kind.label): \(detail)"
        }
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
        case .succeeded, .unchanged: head(outcome.rawValue, color: 32)
        case .failed: head(outcome.rawValue, color: 31)
        case .deferred, .cancelled, .skipped: head(outcome.rawValue, color: 33)
        }
    }

    /// The time and the first word of a line.
    private func head(_ word: String, color: Int? = nil) -> String {
        let front = time.map { $0 + " " } ?? ""
        let word = TerminalText.fitted(word, columns: Self.wordWidth)
        return front + (color.map { colored(word, $0) } ?? word)
    }

    /// The text in a colour of ECMA-48 §8.3.117, if colour is used.
    private func colored(_ text: String, _ color: Int) -> String {
        usesColor ? "\u{1B}[\(color)m\(text)\u{1B}[0m" : text
    }
}

extension String {
    /// The rest of a text that begins so; nil for others.
    fileprivate func withoutPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
