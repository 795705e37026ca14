import Journal
import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

/// The job's program that learns of the end of a run; does nothing for a job without a hook.
struct RunHook {
    private let request: RunRequest
    private let hidden: HiddenSecrets
    private let signals: RunSignals
    private let inbox: Inbox<Scheduler.Message>

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
    }

    /// Runs the hook for a run that has ended; a failure of the hook is a warning and changes
    /// nothing else.
    func run(_ finish: BackgroundRound.Finish) {
        guard let hook = request.plan.finishHook else { return }
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
            if let fault { StandardError.say("warning: the hook `onFinish` \(fault)") }
        } catch let error as SystemError {
            StandardError.say("warning: the hook `onFinish`: \(error.message)")
        } catch {
            StandardError.say(
                "warning: the output of the hook `onFinish` could not be read: \(error)"
            )
        }
    }

    /// Runs the hook for an end that no journal keeps: no later run repeats the call.
    ///
    /// - Returns: `exit`.
    func told(_ exit: Exit, hasReport: Bool = true) -> Exit {
        run(finish(exit.code, hasReport: hasReport))
        return exit
    }

    /// The end of this run as journals keep it; without a report its path is empty, because a
    /// report of an earlier run may have that path.
    func finish(_ exitCode: ExitCode, hasReport: Bool = true) -> BackgroundRound.Finish {
        BackgroundRound.Finish(
            runIdentifier: request.plan.runIdentifier,
            exitCode: exitCode.rawValue,
            reportPath: hasReport ? request.absoluteReportPath : "",
            isDelivered: request.plan.finishHook == nil
        )
    }

    /// The environment of this process without secrets, with the facts of the run's end.
    private func environment(of finish: BackgroundRound.Finish) -> [String: String] {
        let plan = request.plan
        // A run that the hook starts would otherwise replace the report of this one.
        let own: Set = ["RUNNER_REPORT", "RUNNER_ONLY"]
        var environment = ProcessContext.environment.filter {
            !plan.secretVariables.contains($0.key) && !own.contains($0.key)
        }
        environment["RUNNER_HOOK_REPORT"] = finish.reportPath
        environment["RUNNER_HOOK_EXIT_CODE"] = "\(finish.exitCode)"
        environment["RUNNER_HOOK_RUN"] = finish.runIdentifier
        environment["RUNNER_HOOK_JOB"] = plan.name
        environment["RUNNER_HOOK_FILE"] = StateFolder.canonicalPath(of: request.jobPath)
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
