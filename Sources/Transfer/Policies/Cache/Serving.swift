internal import HTTPCache
internal import TransferModel

/// A stored response that answers if its body is there and intact.
struct Serving {
    /// What has led to it, which says what follows when it cannot answer.
    enum Occasion {
        /// Nobody was asked; `refreshes` when it is to be asked for again.
        case lookup(refreshes: Bool)
        /// The origin has confirmed it just now.
        case confirmation
        /// The origin has failed; nil when it did so by its answer.
        case failure(TransferFailure?)
    }

    let response: StoredResponse
    /// What it is used as.
    let verdict: CacheVerdict
    let occasion: Occasion
    /// The present, for its age; nil when it was validated just now.
    var now: Timestamp?

    /// What of a long body is read in steps, so that others have their turn in between.
    enum Reading {
        case checking(Serving, StoredBodyCheck)
        case handingOn(StoredBody, from: Int64, to: Int64)
    }
}

extension Serving {
    /// A stale response answers, because the origin has failed.
    init(_ stored: StoredResponse, after failure: TransferFailure?, now: Timestamp) {
        self.init(
            response: stored,
            verdict: CacheVerdict(.stale, .staleIfError),
            occasion: .failure(failure),
            now: now
        )
    }
}
