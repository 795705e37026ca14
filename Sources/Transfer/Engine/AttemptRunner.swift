/// An event from an attempt runner.
package enum AttemptEvent: Sendable {
    case finished(EndedAttempt)
    /// The answer to `reportProgress`: every running attempt.
    case progress([AttemptProgress])

    /// The end of an attempt with that result.
    package static func finished(_ result: consuming AttemptResult) -> AttemptEvent {
        .finished(EndedAttempt(result))
    }
}

/// The result of an attempt on its way through the engine and the scheduler.
///
/// An object, because a result is large and passed on often.
package final class EndedAttempt: Sendable {
    /// How the attempt ended.
    package let result: AttemptResult

    /// Creates the end of an attempt from its result.
    package init(_ result: consuming AttemptResult) { self.result = consume result }
}

/// Something that carries out attempts: the engine, or a wrapper around one.
///
/// Its methods may be called from any thread and return at once. Results come back in batches
/// through the closure that the runner was made with, on a thread of the runner's own; each started
/// attempt finishes exactly once.
package protocol AttemptRunner: AnyObject, Sendable {
    /// Begins the attempts; each needs a key that no running attempt has.
    func start(_ attempts: [AttemptRequest])
    /// Ends the attempts with those keys with a failure of kind `cancelled`; unknown keys are
    /// ignored.
    func cancel(_ keys: [Int])
    /// Asks for one `progress` event.
    func reportProgress()
    /// Cancels the running attempts, delivers the results and releases every thread; afterwards
    /// nothing may be started.
    func stop()
}
