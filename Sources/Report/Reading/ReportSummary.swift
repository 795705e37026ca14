package import TransferModel

/// The text of `runner report show`: how a run ended, which tasks failed and why, and where the
/// time went.
package struct ReportSummary {
    /// The most tasks of each list.
    private let mostTasks: Int
    private var failures: [ReportedTask] = []
    /// The tasks that never began because another one did not succeed.
    private var skipped: [ReportedTask] = []
    private var countOfTasksNotDone = 0
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
        case .failed, .deferred, .cancelled: keep(task, in: \.failures)
        case .skipped: keep(task, in: \.skipped)
        case .succeeded, .unchanged: break
        }
        // A task without an attempt did nothing: it was neither fast nor slow.
        guard detail != .summary, task.attemptCount > 0 else { return }
        insert(task, into: \.slowest) { $0.durationMicroseconds > $1.durationMicroseconds }
        if task.attemptCount > 1 {
            insert(task, into: \.retried) { $0.attemptCount > $1.attemptCount }
        }
    }

    private mutating func keep(
        _ task: ReportedTask,
        in list: WritableKeyPath<ReportSummary, [ReportedTask]>
    ) {
        countOfTasksNotDone += 1
        if self[keyPath: list].count < mostTasks { self[keyPath: list].append(task) }
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
            run.sums,
        ]
        let notDone = (failures + skipped).prefix(mostTasks)
        if !notDone.isEmpty {
            lines += ["", "not done"] + notDone.flatMap(describe)
            let omitted = countOfTasksNotDone - notDone.count
            if omitted > 0 { lines.append("  and \(omitted) more") }
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

    private func describe(_ task: ReportedTask) -> [String] {
        let place = task.place
        let isSkipped = task.outcome == .skipped
        var words = [task.outcome.rawValue]
        if let failure = task.failure {
            // A skipped task sent nothing, and its message names the task that failed.
            words += (isSkipped ? [] : [failure.kind]) + [failure.message]
        }
        var lines = [
            "  \(shown(place.file)):\(place.line):\(place.column)  \(shown(task.id))  "
                + shown(words.joined(separator: ": "))
        ]
        if !isSkipped { lines.append("      \(shown(task.method)) \(shown(task.url))") }
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
