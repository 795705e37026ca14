import SystemKit
import Transfer
import TransferModel

/// The actions that `Scheduler` carries out for a `RunMachine`.
struct RunActions: Sendable {
    /// Attempts for the runner to start.
    var starts: [AttemptRequest] = []
    /// Attempts to start once it is on the disk that they begin: the first ones under a key that
    /// was made, and all of background sessions.
    var orders: [AttemptRequest] = []
    /// Keys of attempts for the runner to end.
    var cancellations: [Int] = []
    /// Steps for the journals of background sessions, in order.
    var journalSteps: [JournalStep] = []
    /// Destinations to look at, each for a task.
    var destinationChecks: [(task: Int, path: String)] = []
    var events: [RunEvent] = []
    /// When the machine needs a tick even without another event; nil for never.
    var nextTick: MonotonicTime?
    /// Whether the machine needs a reading of the wall clock before the next event.
    var watchesWallClock = false

    /// Starts an attempt; `isOrder` as in `orders`.
    mutating func start(_ request: consuming AttemptRequest, isOrder: Bool) {
        if isOrder { orders.append(request) } else { starts.append(request) }
    }

    /// Reports that the run stops.
    mutating func reportStop(_ reason: StopReason?, running: Int) {
        events.append(
            .stopping(
                reason: reason?.text ?? "",
                running: running,
                advice: reason?.advice(running: running)
            )
        )
    }

    /// Reports once that a task has begun.
    mutating func reportStart(of task: inout ActiveTask) {
        guard !task.isAnnounced else { return }
        task.isAnnounced = true
        var progress = TaskProgress(id: task.spec.id, kind: task.spec.kind)
        progress.phase = .prepare
        events.append(.taskStarted(progress))
    }

    /// Reports that another attempt of a task follows.
    mutating func reportRetry(of task: ActiveTask, after failure: TransferFailure, wait: Duration) {
        events.append(
            .taskWillRetry(
                id: task.spec.id,
                attempt: task.number,
                failure: failure,
                waitMicroseconds: wait.microseconds,
                kind: task.spec.kind,
                exchanges: task.lastExchanges
            )
        )
    }
}

/// A step of an attempt that the journal of a background session keeps.
enum JournalStep {
    /// An attempt begins; its transfer's time is over at the deadline, if there is one.
    case attemptBegins(TaskSpec, deadline: Timestamp?)
    /// An attempt has ended, and another one follows; so many count towards `retry.attempts`.
    case attemptEnded(TaskSpec, failures: Int)
}
