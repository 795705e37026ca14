package import TransferModel
internal import JSON

/// The facts of a run's end that a webhook gets, as JSON.
package struct WebhookSummary: Sendable {
    /// A task that did not succeed.
    package struct Task: Sendable, Hashable {
        /// The task's id.
        package var id: String
        /// How the task ended.
        package var outcome: TaskOutcome
        /// Why the task failed; nil for a task that did not run.
        package var failure: TransferFailure?

        /// Creates a task that did not succeed.
        package init(id: String, outcome: TaskOutcome, failure: TransferFailure?) {
            self.id = id
            self.outcome = outcome
            self.failure = failure
        }
    }

    /// Tasks that a summary lists.
    package static let shownTasks = 20
    /// The limit of a text in it, bytes.
    private static let longestText = 500

    private let job: String
    private let run: String
    private let host: String
    private let exitCode: Int32
    private let reportPath: String
    private let totals: RunSummary?
    private let tasks: [Task]
    private let text: ForeignText

    /// Collects the facts of a run's end.
    ///
    /// - Parameters:
    ///   - job: The name of the job.
    ///   - run: The id of the run.
    ///   - host: The name of the machine.
    ///   - exitCode: The run's exit code.
    ///   - reportPath: The report's path; empty without one.
    ///   - totals: The numbers of tasks; nil when the run could not begin, or was an earlier one.
    ///   - tasks: Tasks that did not succeed, up to `shownTasks`.
    ///   - redactor: Finds the secrets that no text may show.
    package init(
        job: String,
        run: String,
        host: String,
        exitCode: Int32,
        reportPath: String,
        totals: RunSummary?,
        tasks: [Task],
        redactor: Redactor?
    ) {
        self.job = job
        self.run = run
        self.host = host
        self.exitCode = exitCode
        self.reportPath = reportPath
        self.totals = totals
        self.tasks = Array(tasks.prefix(Self.shownTasks))
        text = ForeignText(redactor: redactor)
    }

    /// The body of the request.
    package var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", sentence)
        writer.member("job", open(job))
        writer.member("run", run)
        writer.member("host", open(host))
        writer.member("exitCode", Int(exitCode))
        writer.key("report")
        if reportPath.isEmpty { writer.null() } else { writer.string(open(reportPath)) }
        writer.key("summary")
        if let totals { write(totals, to: &writer) } else { writer.null() }
        writer.key("tasks")
        writer.beginArray()
        for task in tasks { write(task, to: &writer) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// One sentence for people, which chats show.
    private var sentence: String {
        let name = spoken(job)
        guard let totals else {
            return exitCode == 0
                ? "\(name): succeeded" : "\(name): ended with exit code \(exitCode)"
        }
        let good = totals.succeeded + totals.unchanged
        let noun = totals.tasks == 1 ? "task" : "tasks"
        if exitCode == 0 { return "\(name): \(good) of \(totals.tasks) \(noun) succeeded" }
        let list = tasks.map { task in
            // A skipped task has the failure of another task.
            let failure = task.outcome == .failed ? task.failure : nil
            let reason = failure?.httpStatus.map(String.init) ?? failure?.kind.label
            return "\(spoken(task.id)) (\(reason ?? task.outcome.rawValue))"
        }
        let shown = list.isEmpty ? "" : ": " + list.joined(separator: ", ")
        let more = totals.tasks - good > list.count ? ", …" : ""
        return "\(name): ended with exit code \(exitCode), \(totals.tasks - good) of "
            + "\(totals.tasks) \(noun) did not succeed\(shown)\(list.isEmpty ? "" : more)"
    }

    private func write(_ totals: RunSummary, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("tasks", totals.tasks)
        writer.member("succeeded", totals.succeeded)
        writer.member("failed", totals.failed)
        writer.member("deferred", totals.deferred)
        writer.member("cancelled", totals.cancelled)
        writer.member("skipped", totals.skipped)
        writer.member("unchanged", totals.unchanged)
        writer.endObject()
    }

    private func write(_ task: Task, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", open(task.id))
        writer.member("outcome", task.outcome.rawValue)
        writer.key("kind")
        if let kind = task.failure?.kind { writer.string(kind.label) } else { writer.null() }
        writer.key("status")
        if let status = task.failure?.httpStatus {
            writer.integer(Int64(status))
        } else {
            writer.null()
        }
        writer.endObject()
    }

    /// The text without signs that chats take for mentions and links: such signs have their full
    /// width.
    ///
    /// Chats have no common escape.
    private func spoken(_ original: String) -> String {
        var shown = String.UnicodeScalarView()
        for scalar in open(original).unicodeScalars {
            let isSign = "<>&@:()".unicodeScalars.contains(scalar)
            shown.append(isSign ? Unicode.Scalar(scalar.value + 0xFEE0) ?? scalar : scalar)
        }
        return String(shown)
    }

    private func open(_ original: String) -> String {
        text.open(original, maximumBytes: Self.longestText)
    }
}
