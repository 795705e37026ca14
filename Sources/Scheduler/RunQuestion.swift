import TransferModel

/// A question that a `RunMachine` cannot go on without; `TaskResolver` answers it at once, on the
/// same thread.
enum RunQuestion {
    /// The settings of a task that may start; a fresh task has no place at its host yet.
    ///
    /// The answer is `RunMachine.taskRead` or `taskFailed`.
    case task(Int, captured: CapturedValues, isFresh: Bool)
    /// The idempotency key of a task that begins, and how far earlier runs have brought it.
    ///
    /// The answer is `RunMachine.orderPrepared` or `taskFailed`.
    indirect case order(TaskSpec)
    /// The record of a task that never begins.
    ///
    /// The answer is `RunMachine.unbegunRecorded`.
    case record(TaskLedger.UnbegunEnd, captured: CapturedValues)
}

/// A transfer that earlier runs have begun.
struct Recollection {
    var transfer: EarlierTransfer
    /// Whether its server can be asked how much of its upload has arrived.
    var leavesUpload: Bool
}

/// A step of an attempt that the journal of a background session keeps.
enum JournalStep {
    /// An attempt begins; its transfer's time is over at the deadline, if there is one.
    case attemptBegins(TaskSpec, deadline: Timestamp?)
    /// An attempt has ended, and another one follows; so many count towards `retry.attempts`.
    case attemptEnded(TaskSpec, failures: Int)
}
