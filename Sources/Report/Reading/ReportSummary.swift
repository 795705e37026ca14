package import TransferModel

/// The text of `runner report show`: how a run ended, which tasks failed and why, and where the
/// time went.
package struct ReportSummary {
    /// The most tasks of each list.
    private let mostTasks: Int
    private var failures: [ReportedTask] = []
    private var omittedFailures = 0
    /// The slowest tasks, the slowest first.
    private var slowest: [ReportedTask] = []
    /// The tasks with most attempts, above one.
    private var retried: [ReportedTask] = []
    private let foreign = ForeignText()
    private let detail: ReportDetail

    /// An empty summary, which shows at most `mostTasks` tasks in each list.
    ///
    /// Of a report with the detail `summary` it lists only the tasks that did not succeed: the
    /// slowest of those are not the slowest of the run.
    package init(mostTasks: Int, detail: ReportDetail = .full) {
        self.mostTasks = mostTasks
        self.detail = detail
    }

    /// Adds a task.
    package mutating func add(_ task: ReportedTask) {
        switch task.outcome {
        case .failed, .deferred, .cancelled:
            if failures.count < mostTasks { failures.append(task) } else { omittedFailures += 1 }
        case .succeeded, .unchanged, .skipped: break
        }
        guard detail != .summary else { return }
        insert(task, into: \.slowest) { $0.durationMicroseconds > $1.durationMicroseconds }
        if task.attemptCount > 1 {
            insert(task, into: \.retried) { $0.attemptCount > $1.attemptCount }
        }
    }

    private mutating func insert(
        _ task: ReportedTask,
        into list: WritableKeyPath<ReportSummary, [ReportedTask]>,
        before isBefore: (ReportedTask, ReportedTask) -> Bool
    ) {
        let tasks = self[keyPath: list]
        if tasks.count == mostTasks, let last = tasks.last, !isBefore(task, last) { return }
        let index = tasks.firstIndex { isBefore(task, $0) } ?? tasks.count
        self[keyPath: list].insert(task, at: index)
        if self[keyPath: list].count > mostTasks { self[keyPath: list].removeLast() }
    }

    /// The text about the run and all added tasks; it ends with a line break.
    package func text(of run: ReportedRun) -> String {
        let head = run.head
        var lines = [
            "job \(shown(head.jobName)) (\(shown(head.jobFile))), run \(shown(head.runIdentifier))",
            "\(head.startDate.rfc3339.prefix(19))Z, "
                + "\(Quantity.duration(microseconds: run.durationMicroseconds)), "
                + "on \(shown(head.host)), exit code \(run.exitCode)",
            counts(of: run),
        ]
        if !failures.isEmpty {
            lines += ["", "not done"] + failures.flatMap(describe)
            if omittedFailures > 0 { lines.append("  and \(omittedFailures) more") }
        }
        if !slowest.isEmpty {
            lines += ["", "slowest"]
            lines += slowest.map { task in
                let time = padded(Quantity.duration(microseconds: task.durationMicroseconds))
                return "  \(time)  \(shown(task.id))  \(sizes(of: task))"
            }
        }
        if !retried.isEmpty {
            lines += ["", "most retried"]
            lines += retried.map { task in
                "  \(padded("\(task.attemptCount)"))  \(shown(task.id))  \(task.outcome.rawValue)"
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private func counts(of run: ReportedRun) -> String {
        let outcomes = TaskOutcome.allCases.compactMap { outcome -> String? in
            guard let count = run.outcomes[outcome], count > 0 else { return nil }
            return "\(count) \(outcome.rawValue)"
        }
        let total = "\(run.head.taskCount) \(run.head.taskCount == 1 ? "task" : "tasks")"
        var parts = [outcomes.isEmpty ? total : "\(total): \(outcomes.joined(separator: ", "))"]
        parts.append("\(run.attempts) \(run.attempts == 1 ? "attempt" : "attempts")")
        if run.redirects > 0 { parts.append("\(run.redirects) redirects") }
        if run.cacheHits > 0 { parts.append("\(run.cacheHits) from the cache") }
        parts.append("\(Quantity.bytes(run.countOfBytesReceived)) received")
        if run.countOfBytesSent > 0 { parts.append("\(Quantity.bytes(run.countOfBytesSent)) sent") }
        return parts.joined(separator: "; ")
    }

    private func describe(_ task: ReportedTask) -> [String] {
        let source = task.source
        let reason = task.failure.map { "\($0.kind): \($0.message)" } ?? task.outcome.rawValue
        var lines = [
            "  \(shown(source.file)):\(source.line):\(source.column)  \(shown(task.id))  "
                + "\(task.outcome.rawValue): \(shown(reason))",
            "      \(shown(task.method)) \(shown(task.url))",
        ]
        if let help = task.failure?.help { lines.append("      help: \(shown(help))") }
        return lines
    }

    private func sizes(of task: ReportedTask) -> String {
        let sizes = [(task.countOfBytesReceived, "received"), (task.countOfBytesSent, "sent")]
        let shown = sizes.filter { $0.0 > 0 }.map { "\(Quantity.bytes($0.0)) \($0.1)" }
        return shown.isEmpty ? task.outcome.rawValue : shown.joined(separator: ", ")
    }

    private func padded(_ text: String) -> String {
        String(repeating: " ", count: max(0, 7 - text.count)) + text
    }

    private func shown(_ text: String) -> String { foreign.line(text) }
}
