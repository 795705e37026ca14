package import SystemKit
package import TransferModel

/// Why a run starts no more tasks, or none at all.
package enum StopReason: Sendable, Hashable {
    /// The run lacks a requirement, which the text names.
    case environment(String)
    /// The first required task has failed, and the job says `failFast`.
    case failFast
    case deadline
    /// It is not the time of `schedule.window`.
    case window(DailyWindow)
    case signal(StopSignal)

    /// The exit code that the reason dictates, whatever the outcomes of the tasks are.
    ///
    /// A hang-up ends the run as SIGTERM does: there is no exit code of its own for it.
    var exitCode: ExitCode? {
        switch self {
        case .failFast, .deadline, .window: nil
        case .environment: .environment
        case .signal(.interrupt): .interrupted
        case .signal(.terminate), .signal(.hangUp): .terminated
        }
    }

    /// How the tasks end that have not begun.
    var outcome: TaskOutcome {
        switch self {
        case .environment: .skipped
        case .window: .deferred
        case .failFast, .deadline, .signal: .cancelled
        }
    }

    /// How the tasks end that have begun and wait for another attempt.
    var haltedOutcome: TaskOutcome { outcome == .deferred ? .deferred : .cancelled }

    /// The exit code that a required task asks for when it is cancelled for this reason.
    ///
    /// For fail-fast and signals, the failure and the signal determine the exit code.
    var verdict: ExitCode {
        switch self {
        case .deadline: .deadline
        case .window: .deferred
        case .environment, .failFast, .signal: .success
        }
    }

    /// What the user can do; for a signal only while tasks are `running`.
    func advice(running: Int) -> String? {
        let seconds = StopMachine.grace.components.seconds
        return switch self {
        case .deadline: "run the job again for the rest, or raise `schedule.deadline`"
        case .environment, .failFast, .window: nil
        case .signal where running == 0: nil
        case .signal(.interrupt):
            "they have \(seconds) s; Ctrl-C again cancels them at once"
        case .signal(.terminate), .signal(.hangUp):
            "they have \(seconds) s; a second signal cancels them at once"
        }
    }

    /// The failure of a task that the stop ends.
    var failure: TransferFailure {
        var failure = TransferFailure.cancelled(text)
        failure.decidingKey = key.map { ["schedule", $0] } ?? []
        return failure
    }

    /// The key of `schedule` that stops the run; nil if no key does.
    private var key: String? {
        switch self {
        case .failFast: "failFast"
        case .deadline: "deadline"
        case .window: "window"
        case .environment, .signal: nil
        }
    }

    /// The reason as half a sentence.
    var text: String {
        switch self {
        case .environment(let fault): "the run did not begin: \(fault)"
        case .failFast: "a required task failed and `failFast` is set"
        case .window(let window): "the time is outside the window \(window.text)"
        case .deadline: "the deadline of the run passed"
        case .signal(.interrupt): "the run was interrupted"
        case .signal(.terminate): "the run was told to terminate"
        case .signal(.hangUp): "the terminal of the run was closed"
        }
    }
}
