/// What the cache had to do with a response, and why.
package struct CacheVerdict: Sendable, Hashable {
    /// Where the response came from.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// It was stored, and nobody was asked.
        case hit
        /// It was stored and was used although it was stale.
        case stale
        /// It was stored, and the origin has confirmed it.
        case revalidated
        /// It came from the network.
        case miss
        /// The cache was not asked for it.
        case bypassed
    }

    /// Why so.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        // Hits.
        case fresh
        /// The request's cache policy takes what is stored whatever its age.
        case anyAge
        // Stale ones.
        /// The request has `max-stale`.
        case maxStale
        /// The response has `stale-while-revalidate` (RFC 5861 §3); it is refreshed before the run
        /// ends.
        case staleWhileRevalidate
        /// The origin failed, and the response or the session has `staleIfError` (RFC 5861 §4).
        case staleIfError
        // What made the origin be asked about a stored response.
        /// It was stale.
        case expired
        /// It has `no-cache`, or the request has.
        case noCache
        /// The request asks for one that is younger, or fresh for longer.
        case tooOld
        /// It was invalidated by another request.
        case invalidated
        /// The request's cache policy is `reloadRevalidatingCacheData`.
        case revalidating
        // Misses.
        case notStored
        /// What is stored answers requests with other fields (`Vary`).
        case otherVariant
        /// Stored, stale, and without a validator.
        case noValidator
        /// The origin has another response by now.
        case changed
        /// The stored body was gone or damaged.
        case damaged
        // Of those that were not asked for.
        /// The method is not one that is answered from a cache.
        case method
        /// The request has conditions of its own.
        case condition
        /// Its range is not one that a stored response can answer.
        case range
        /// The request has `no-store`.
        case noStore
        /// The request's cache policy.
        case policy
        /// The URL has a secret in it.
        case secret
        /// An earlier attempt failed on what was received.
        case repeated
    }

    /// What became of a response from the network.
    package enum Storing: String, Sendable, Hashable, CaseIterable {
        case stored
        /// What was stored has its new fields.
        case updated
        /// The request or the response has `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
        case noStore
        /// Neither fresh for any time nor with a validator.
        case notReusable
        /// Its status is not stored without explicit freshness, or never is (RFC 9111 §3).
        case status
        /// Its method is not stored.
        case method
        /// `Vary: *`.
        case varies
        /// Larger than the twentieth part of the cache.
        case tooLarge
        /// Nobody says that the body is whole.
        case incomplete
        /// It has a secret of the job in it.
        case secret
        /// It was not what the task expected of it.
        case rejected
        /// Another request has changed at the origin what it says while it came in.
        case outdated
        /// The cache could not be written, or had no room at that moment.
        case failed
    }

    package var outcome: Outcome
    package var reason: Reason
    /// nil when nothing came from the network.
    package var storing: Storing?

    package init(_ outcome: Outcome, _ reason: Reason, storing: Storing? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.storing = storing
    }
}
