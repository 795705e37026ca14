import Journal
import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

extension JobRun {
    /// Tells the job's hook that a run has ended, if it has one; what goes wrong is told, and changes nothing.
    ///
    /// - Parameters:
    ///   - finish: The run.
    ///   - inbox: Who hears a signal, which also ends the hook.
    func runHook(_ finish: BackgroundRound.Finish, _ inbox: Inbox<Scheduler.Message>) {
        guard let hook = plan.finishHook else { return }
        do {
            let program = try ChildProcess(
                hook.arguments,
                in: plan.folder,
                environment: environment(of: finish)
            )
            try signals.hear { signal in
                program.kill()
                let turn = inbox.push(.signal(signal))
                return { inbox.isTaken(turn) }
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
            if let fault { say("warning: the hook `onFinish` \(fault)") }
        } catch let error as SystemError {
            say("warning: the hook `onFinish`: \(error.message)")
        } catch {
            say("warning: the hook `onFinish` could not be heard: \(error)")
        }
    }

    /// How a run ends that nobody can write down, its hook told of it now: no later run makes up for that.
    func told(
        _ exit: Exit,
        _ inbox: Inbox<Scheduler.Message>,
        hasReport: Bool = true
    ) -> Exit {
        runHook(finish(exit.code, hasReport: hasReport), inbox)
        return exit
    }

    /// That of this process, with what the hook is told and without what is none of its business.
    private func environment(of finish: BackgroundRound.Finish) -> [String: String] {
        // Else a run that the hook starts would write over the report that it is told of.
        let own: Set = ["RUNNER_REPORT", "RUNNER_ONLY"]
        var environment = ProcessContext.environment.filter {
            !plan.secretVariables.contains($0.key) && !own.contains($0.key)
        }
        environment["RUNNER_HOOK_REPORT"] = finish.reportPath
        environment["RUNNER_HOOK_EXIT_CODE"] = "\(finish.exitCode)"
        environment["RUNNER_HOOK_RUN"] = finish.runIdentifier
        environment["RUNNER_HOOK_JOB"] = plan.name
        environment["RUNNER_HOOK_FILE"] = StateFolder.canonicalPath(of: path)
        environment["RUNNER_HOOK_IDENTIFIERS"] = plan.sessions.compactMap(\.identifier)
            .joined(separator: " ")
        return environment
    }

    /// How this run has ended, for those who are told of it; without a report they are told of no path, where an earlier
    /// run's may be.
    func finish(_ exitCode: ExitCode, hasReport: Bool = true) -> BackgroundRound.Finish {
        BackgroundRound.Finish(
            runIdentifier: plan.runIdentifier,
            exitCode: exitCode.rawValue,
            reportPath: hasReport ? absoluteReportPath : "",
            isDelivered: plan.finishHook == nil
        )
    }
}

/// Shows what a hook writes, line by line, without secrets and harmless to whatever shows it.
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

    /// Shows what has no line end.
    mutating func end() {
        Self.show(output.take([], isLast: true) + error.take([], isLast: true))
    }

    private static func show(_ lines: [String]) {
        let text = lines.map { ForeignText().line($0) + "\n" }.joined()
        if !text.isEmpty { StandardError.write(Array(text.utf8)) }
    }
}
