internal import HTTPCache
internal import TransferModel

/// A stored response that answers if its body is available and intact.
struct Serving {
    /// Why the stored response is used, which decides the step when it cannot answer.
    enum Occasion {
        /// The lookup found it without a request; `refreshes` when it must be refreshed afterwards.
        case lookup(refreshes: Bool)
        /// The origin has just confirmed it.
        case confirmation
        /// The origin failed; nil when it did so by its response.
        case failure(TransferFailure?)
    }

    let response: StoredResponse
    /// The verdict for the report.
    let verdict: CacheVerdict
    let occasion: Occasion
    /// The current time, for its age; nil for a response validated just now.
    var now: Timestamp?

    /// A long body that is read in steps, so that other attempts run in between.
    enum Reading {
        case checking(Serving, StoredBodyCheck)
        case handingOn(StoredBody, from: Int64, to: Int64)
    }

    /// The step after reading a piece of a stored body.
    enum Step {
        /// There is more to read when other attempts have had their turn.
        case more
        /// The body is intact; nil for a response without one.
        case deliver(Serving, StoredBody?)
        /// A piece of the body goes to the task.
        case handOn(StoredBody, from: Int64, to: Int64, isLast: Bool)
        /// The body is missing or damaged.
        case giveUp(Serving)
    }
}

extension Serving {
    /// Answers with a stale response, because the origin failed.
    init(_ stored: StoredResponse, after failure: TransferFailure?, now: Timestamp) {
        self.init(
            response: stored,
            verdict: CacheVerdict(.stale, .staleIfError),
            occasion: .failure(failure),
            now: now
        )
    }
}
