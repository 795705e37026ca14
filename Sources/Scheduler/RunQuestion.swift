import TransferModel

/// A question whose answer a `RunMachine` needs to continue; `TaskResolver` answers it immediately,
/// on the same thread.
enum RunQuestion {
    /// The settings of a task that may start; a fresh task has no place at its host yet, and
    /// earlier runs may have ended it.
    ///
    /// The answer is `RunMachine.taskRead`, `taskFailed` or `taskHadEnded`.
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
