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
}

/// A step of an attempt that the journal of a background session keeps.
enum JournalStep {
    /// An attempt begins; its transfer's time is over at the deadline, if there is one.
    case attemptBegins(TaskSpec, deadline: Timestamp?)
    /// An attempt has ended, and another one follows; so many count towards `retry.attempts`.
    case attemptEnded(TaskSpec, failures: Int)
}
