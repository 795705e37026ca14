import Journal
import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

/// The job's programs and its webhook, which learn of the end of a run.
struct RunHook {
    private let request: RunRequest
    private let hidden: HiddenSecrets
    private let signals: RunSignals
    private let inbox: Inbox<Scheduler.Message>
    /// The notes of the run for the webhook.
    let notes: RunNotes

    /// Prepares the hook of a job.
    ///
    /// - Parameters:
    ///   - request: The run.
    ///   - hidden: The secrets that the hook's output must not show.
    ///   - signals: The stop signals, which also end the hook.
    ///   - inbox: Receives a signal that arrives while the hook runs.
    init(
        of request: RunRequest,
        hiding hidden: HiddenSecrets,
        signals: RunSignals,
        inbox: Inbox<Scheduler.Message>
    ) {
        self.request = request
        self.hidden = hidden
        self.signals = signals
        self.inbox = inbox
        notes = RunNotes(request.plan.webhook)
    }

    /// Runs the hooks for a run that has ended; a failure of a hook is a warning and changes
    /// nothing else.
    ///
    /// `totals` are nil for an earlier run, and for one that could not begin.
    func run(_ finish: BackgroundRound.Finish, _ totals: RunSummary? = nil) {
        for hook in request.plan.finishHooks
        where hook.event == .onFinish || finish.exitCode != 0 {
            run(hook, finish)
        }
        if let webhook = request.plan.webhook, webhook.isDue(exitCode: finish.exitCode) {
            post(finish, totals)
        }
    }

    private func run(_ hook: FinishHook, _ finish: BackgroundRound.Finish) {
        let name = hook.event.rawValue
        do {
            let program = try ChildProcess(
                hook.arguments,
                in: request.plan.folder,
                environment: environment(of: finish)
            )
            let inbox = inbox
            try signals.hear { signal in
                program.kill()
                return inbox.pass(signal)
            }
            let deadline = MonotonicTime(nanoseconds: Clock.monotonicNanoseconds()) + hook.timeout
            var lines = HookLines(redactor: hidden.redactor)
            let outcome = try program.relay(until: deadline.nanoseconds) { bytes, isError in
                lines.take(bytes, isError: isError)
            }
            lines.end()
            let fault: String? =
                switch outcome {
                case .ended(.exited(0)): nil
                case .ended(.exited(let status)): "ended with status \(status)"
                case .ended(.killed(let signal)): "was ended by signal \(signal)"
                case .timedOut, .tooMuchOutput: "did not end in time"
                }
            if let fault { StandardError.say("warning: the hook `\(name)` \(fault)") }
        } catch let error as SystemError {
            StandardError.say("warning: the hook `\(name)`: \(error.message)")
        } catch {
            StandardError.say(
                "warning: the output of the hook `\(name)` could not be read: \(error)"
            )
        }
    }

    /// Posts the summary to the webhook.
    private func post(_ finish: BackgroundRound.Finish, _ totals: RunSummary?) {
        guard let webhook = notes.webhook else {
            return StandardError.say(
                "warning: the webhook got no summary: its secrets could not be read"
            )
        }
        let isOfThisRun = finish.runIdentifier == request.plan.runIdentifier
        let summary = WebhookSummary(
            job: request.plan.name,
            run: finish.runIdentifier,
            host: ProcessContext.hostName,
            exitCode: finish.exitCode,
            reportPath: finish.reportPath,
            totals: totals,
            tasks: isOfThisRun ? notes.tasks : [],
            redactor: hidden.redactor
        )
        let inbox = inbox
        do throws(Exit) {
            let fault = try WebhookDelivery(webhook, body: summary.json)
                .send { (stop: @escaping @Sendable () -> Void) throws(Exit) in
                    try signals.hear { signal in
                        stop()
                        return inbox.pass(signal)
                    }
                }
            guard let fault else { return }
            let place = webhook.url.origin.text
            StandardError.say("warning: the webhook at \(place) got no summary: \(fault)")
        } catch {
            StandardError.say("warning: the webhook got no summary: a signal thread is missing")
        }
    }

    /// Runs the hooks for an end that no journal keeps: no later run repeats the call.
    ///
    /// - Returns: `exit`.
    func told(_ exit: Exit, hasReport: Bool = true, _ totals: RunSummary? = nil) -> Exit {
        run(finish(exit.code, hasReport: hasReport), totals)
        return exit
    }

    /// The end of this run as journals keep it; without a report its path is empty, because a
    /// report of an earlier run may have that path.
    func finish(_ exitCode: ExitCode, hasReport: Bool = true) -> BackgroundRound.Finish {
        BackgroundRound.Finish(
            runIdentifier: request.plan.runIdentifier,
            exitCode: exitCode.rawValue,
            reportPath: hasReport ? request.absoluteReportPath : "",
            isDelivered: !isAwaited(after: exitCode.rawValue)
        )
    }

    /// Whether the job has a program or a server that learns of this end.
    private func isAwaited(after exitCode: Int32) -> Bool {
        let plan = request.plan
        return plan.finishHooks.contains { $0.event == .onFinish || exitCode != 0 }
            || plan.webhook?.isDue(exitCode: exitCode) == true
    }

    /// The environment of this process without secrets, with the facts of the run's end.
    private func environment(of finish: BackgroundRound.Finish) -> [String: String] {
        let plan = request.plan
        // A run that the hook starts would otherwise replace the report of this one.
        let own: Set = ["RUNNER_REPORT", "RUNNER_ONLY", "RUNNER_RERUN_FAILED"]
        var environment = ProcessContext.environment.filter {
            !plan.secretVariables.contains($0.key) && !own.contains($0.key)
        }
        environment["RUNNER_HOOK_REPORT"] = finish.reportPath
        environment["RUNNER_HOOK_EXIT_CODE"] = "\(finish.exitCode)"
        environment["RUNNER_HOOK_RUN"] = finish.runIdentifier
        environment["RUNNER_HOOK_JOB"] = plan.name
        environment["RUNNER_HOOK_FILE"] = JobIdentity.canonicalPath(of: request.jobPath)
        environment["RUNNER_HOOK_IDENTIFIERS"] = plan.sessions.compactMap(\.identifier)
            .joined(separator: " ")
        return environment
    }
}

/// Shows a hook's output line by line, without secrets and harmless to a terminal.
private struct HookLines {
    private var output: ProgramLines
    private var error: ProgramLines

    init(redactor: Redactor?) {
        output = ProgramLines(redactor: redactor)
        error = ProgramLines(redactor: redactor)
    }

    mutating func take(_ bytes: [UInt8], isError: Bool) {
        Self.show(isError ? error.take(bytes) : output.take(bytes))
    }

    /// Shows the last line, which has no line end.
    mutating func end() {
        Self.show(output.take([], isLast: true) + error.take([], isLast: true))
    }

    private static func show(_ lines: [String]) {
        let text = lines.map { ForeignText().line($0) + "\n" }.joined()
        if !text.isEmpty { StandardError.write(Array(text.utf8)) }
    }
}

/// The facts of a run that its hooks need: the webhook with its secrets, and the tasks that did not
/// succeed.
final class RunNotes: RunEventSink, Sendable {
    private struct State {
        var webhook: Webhook?
        var tasks: [WebhookSummary.Task] = []
    }

    private let state: Lock<State>

    /// Keeps the webhook of the plan, if it is complete without secrets.
    init(_ webhook: Webhook?) {
        state = Lock(State(webhook: webhook?.hasSecrets == false ? webhook : nil))
    }

    /// The webhook as it can be sent; nil until its secrets are known.
    var webhook: Webhook? { state.withLock { $0.webhook } }
    /// Tasks that did not succeed, the first ones.
    var tasks: [WebhookSummary.Task] { state.withLock { $0.tasks } }

    /// Keeps the webhook with its secrets.
    func fill(_ webhook: Webhook?) { state.withLock { $0.webhook = webhook } }

    func receive(_ event: RunEvent) {
        guard case .taskFinished(let task) = event else { return }
        let record = task.record
        guard !record.isGood else { return }
        state.withLock { state in
            guard state.tasks.count < WebhookSummary.shownTasks else { return }
            state.tasks.append(
                .init(id: record.id, outcome: record.outcome, failure: record.error)
            )
        }
    }
}
