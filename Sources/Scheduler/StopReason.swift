package import SystemKit
import TransferModel

/// Why a run starts no more tasks, or none at all.
package enum StopReason: Sendable, Hashable {
    /// Something that the run needs is not there, and what.
    case environment(String)
    /// The first required task has failed, and the job says `failFast`.
    case failFast
    case deadline
    case signal(StopSignal)

    /// The exit code that the reason dictates, whatever the tasks' ends are.
    ///
    /// A hang-up ends the run as SIGTERM does: there is no exit code of its own for it.
    var exitCode: ExitCode? {
        switch self {
        case .failFast, .deadline: nil
        case .environment: .environment
        case .signal(.interrupt): .interrupted
        case .signal(.terminate), .signal(.hangUp): .terminated
        }
    }

    /// How the tasks end that have not begun.
    var outcome: TaskOutcome {
        if case .environment = self { .skipped } else { .cancelled }
    }

    /// The exit code that a required task asks for when it is cancelled for this reason.
    ///
    /// Fail-fast and signals have theirs from the failure and from the signal.
    var verdict: ExitCode {
        self == .deadline ? .deadline : .success
    }

    /// The reason as half a sentence.
    var text: String {
        switch self {
        case .environment(let fault): "the run did not begin: \(fault)"
        case .failFast: "a required task failed and `failFast` is set"
        case .deadline: "the deadline of the run passed"
        case .signal(.interrupt): "the run was interrupted"
        case .signal(.terminate): "the run was told to terminate"
        case .signal(.hangUp): "the terminal of the run was closed"
        }
    }
}
