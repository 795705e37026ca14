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
        var lines = ["### \(mark) runner: \(Self.code(run.head.jobName))", ""]
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
        let cells = [code(task.id), task.outcome.rawValue, code(reason), code(place)]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// The text as a code span, in which GitHub makes no markup, link, mention or reference of it.
    ///
    /// A bar would end the cell of a table even there, and has no escape behind a backslash.
    static func code(_ text: String) -> String {
        let line = ForeignText().line(text)
        var longest = 0
        var run = 0
        var shown = String.UnicodeScalarView()
        for scalar in line.unicodeScalars {
            run = scalar == "`" ? run + 1 : 0
            longest = max(longest, run)
            shown.append(scalar == "|" ? "¦" : scalar)
        }
        guard !shown.isEmpty else { return "" }
        let fence = String(repeating: "`", count: longest + 1)
        // One blank on each side is taken away, so that the text may begin or end with a fence.
        return longest > 0 ? "\(fence) \(shown) \(fence)" : "\(fence)\(shown)\(fence)"
    }
}
