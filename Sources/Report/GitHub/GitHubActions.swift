package import SystemKit
package import TransferModel

/// Tells GitHub Actions of a run: a group around the progress, an annotation for each task that is
/// not done, a table in the step's summary, and outputs of the step.
///
/// A failed write is a warning: the run keeps its own result.
package final class GitHubActions: RunEventSink {
    /// The places where GitHub reads the results of a step.
    package struct Places {
        /// The file of the step's summary (`GITHUB_STEP_SUMMARY`); nil without one.
        package var summary: String?
        /// The file of the step's outputs (`GITHUB_OUTPUT`); nil without one.
        package var outputs: String?
        /// The paths of annotations' files.
        package var files: RepositoryPaths

        /// Reads the environment of a step; nil outside of GitHub Actions.
        package init?(environment: [String: String], workingFolder: String?) {
            guard environment["GITHUB_ACTIONS"] == "true" else { return nil }
            summary = environment["GITHUB_STEP_SUMMARY"]
            outputs = environment["GITHUB_OUTPUT"]
            files = RepositoryPaths(environment: environment, workingFolder: workingFolder)
        }
    }

    /// Appends text to a file; returns why it cannot, nil when it can.
    package typealias Append = (_ path: String, _ text: String) -> String?

    /// The most tasks that are annotated and listed; GitHub shows fewer annotations of a step.
    private static let mostTasks = 50

    private let places: Places
    private let redactor: Redactor?
    private let reportPath: String
    private let say: (String) -> Void
    private let append: Append
    private var head: ReportedHead?
    private var undone: [ReportedTask] = []
    private var undoneCount = 0

    /// Prepares the messages of a run.
    ///
    /// - Parameters:
    ///   - places: Where GitHub reads.
    ///   - redactor: Finds the secrets of the run; nil without any.
    ///   - reportPath: The path of the JSON report.
    ///   - say: Writes whole lines to standard error.
    ///   - append: Appends to the files of `places`.
    package init(
        _ places: Places,
        redactor: Redactor?,
        reportPath: String,
        say: @escaping (String) -> Void,
        append: @escaping Append
    ) {
        self.places = places
        self.redactor = redactor
        self.reportPath = reportPath
        self.say = say
        self.append = append
    }

    /// Begins and ends the group, and gathers the tasks that are not done.
    package func receive(_ event: RunEvent) {
        switch event {
        case .started(let header):
            let head = ReportedHead(RedactedHeader(header, redactor: redactor))
            self.head = head
            say("::group::runner \(WorkflowCommand.message(shown(head.jobName)))\n")
        case .taskFinished(let task):
            guard !task.record.isGood else { return }
            undoneCount += 1
            if undone.count < Self.mostTasks {
                undone.append(ReportedTask(RedactedRecord(task, redactor: redactor)))
            }
        case .finished(let summary): finish(summary)
        case .taskStarted, .progress, .taskWillRetry, .taskWaiting, .taskWrote, .stopping: break
        }
    }

    private func finish(_ summary: RunSummary) {
        guard let head else { return }
        let run = ReportedRun(head, summary)
        say("::endgroup::\n" + undone.map(annotation).joined())
        write(GitHubSummary(run, undone, count: undoneCount).text, to: places.summary)
        write(outputs(of: run), to: places.outputs)
    }

    private func write(_ text: String, to path: String?) {
        guard let path, !path.isEmpty else { return }
        if let fault = append(path, text) {
            say("::warning::\(WorkflowCommand.message(shown(fault)))\n")
        }
    }

    /// An annotation at the place in the job file to look at.
    private func annotation(of task: ReportedTask) -> String {
        let isError = task.isRequired && task.outcome != .skipped
        let title = WorkflowCommand.property("\(shown(task.id)): \(task.outcome.rawValue)")
        let place = task.place
        let file = WorkflowCommand.property(shown(places.files.path(of: place.file)))
        let reason = task.failure.map { "\($0.kind): \($0.message)" } ?? task.outcome.rawValue
        var lines = [shown(reason), shown("\(task.method) \(task.url)")]
        if let help = task.failure?.help { lines.append("help: \(shown(help))") }
        let message = WorkflowCommand.message(lines.joined(separator: "\n"))
        return "::\(isError ? "error" : "warning") file=\(file),line=\(place.line),"
            + "col=\(place.column),title=\(title)::\(message)\n"
    }

    private func outputs(of run: ReportedRun) -> String {
        var lines = ["exit-code=\(run.exitCode)", "tasks=\(run.head.taskCount)"]
        for outcome in TaskOutcome.allCases {
            lines.append("\(outcome.rawValue)=\(run.outcomes[outcome] ?? 0)")
        }
        // A line break would begin another output.
        if !reportPath.contains(where: \.isNewline) { lines.append("report=\(reportPath)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private func shown(_ text: String) -> String { ForeignText().line(text) }
}

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
        let place = "\(task.place.file):\(task.place.line)"
        let cells = [code(task.id), task.outcome.rawValue, code(reason), code(place)]
        return "| \(cells.joined(separator: " | ")) |"
    }

    /// The text as a code span, in which GitHub makes no markup, link, mention or reference of it.
    ///
    /// A bar would end the cell of a table even there, and has no escape after a backslash.
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
