internal import TransferModel

/// The Markdown of a run for the summary of a step of GitHub Actions.
struct GitHubSummary {
    let text: String

    /// Makes the text.
    ///
    /// - Parameters:
    ///   - run: The run.
    ///   - undone: The first tasks that are not done.
    ///   - count: The number of all of them.
    init(_ run: ReportedRun, _ undone: [ReportedTask], count: Int) {
        let mark = run.exitCode == 0 ? "✅" : "❌"
        var lines = ["### \(mark) runner: \(Self.escaped(run.head.jobName))", ""]
        let outcomes = TaskOutcome.allCases.filter { run.outcomes[$0] ?? 0 > 0 }
        lines.append(
            "| \(outcomes.map(\.rawValue).joined(separator: " | ")) | time | received | sent |"
        )
        lines.append("|" + String(repeating: " --: |", count: outcomes.count + 3))
        let counts =
            outcomes.map { "\(run.outcomes[$0] ?? 0)" } + [
                Quantity.duration(microseconds: run.durationMicroseconds),
                Quantity.bytes(run.countOfBytesReceived), Quantity.bytes(run.countOfBytesSent),
            ]
        lines.append("| \(counts.joined(separator: " | ")) |")
        if !undone.isEmpty {
            lines += ["", "| task | outcome | reason | job file |", "| --- | --- | --- | --- |"]
            lines += undone.map(Self.row)
            if count > undone.count { lines += ["", "and \(count - undone.count) more"] }
        }
        text = lines.joined(separator: "\n") + "\n\n"
    }

    private static func row(of task: ReportedTask) -> String {
        let reason = task.failure.map { "\($0.kind): \($0.message)" } ?? ""
        let place = "\(task.source.file):\(task.source.line)"
        let cells = [task.id, task.outcome.rawValue, reason, place].map(escaped)
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// A text in which no sign is markup: signs are numeric references, line breaks blanks.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in ForeignText().line(text).unicodeScalars {
            switch scalar {
            case " ", "0"..."9", "A"..."Z", "a"..."z", ".", "/", "-", "\u{80}"...:
                result.unicodeScalars.append(scalar)
            default: result += "&#\(scalar.value);"
            }
        }
        return result
    }
}
