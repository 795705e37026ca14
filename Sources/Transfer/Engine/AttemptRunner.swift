/// What an attempt runner delivers.
package enum AttemptEvent: Sendable {
    indirect case finished(AttemptResult)
    /// The answer to `reportProgress`: every running attempt.
    case progress([AttemptProgress])

    /// The key of the finished attempt; nil for another event.
    var finishedKey: Int? {
        if case .finished(let result) = self { result.key } else { nil }
    }
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
