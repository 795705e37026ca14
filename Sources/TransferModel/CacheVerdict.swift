/// The cache's treatment of a response, and its reason.
package struct CacheVerdict: Sendable, Hashable {
    /// The source of the response.
    package enum Outcome: String, Sendable, Hashable, CaseIterable {
        /// A stored response was used without a request.
        case hit
        /// A stale stored response was used.
        case stale
        /// The origin confirmed a stored response.
        case revalidated
        /// The response came from the network.
        case miss
        /// The cache was not consulted.
        case bypassed

        /// Whether the body of the response came from the cache.
        package var isFromCache: Bool {
            switch self {
            case .hit, .stale, .revalidated: true
            case .miss, .bypassed: false
            }
        }
    }

    /// The reason for the outcome.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        // Hits.
        case fresh
        /// The request's cache policy accepts stored responses of any age.
        case anyAge
        // Stale hits.
        /// The request has `max-stale`.
        case maxStale
        /// The response has `stale-while-revalidate` (RFC 5861 §3); it is refreshed before the run
        /// ends.
        case staleWhileRevalidate
        /// The origin failed, and the response or the session has `staleIfError` (RFC 5861 §4).
        case staleIfError
        // Reasons for validation at the origin.
        /// The stored response was stale.
        case expired
        /// The stored response or the request has `no-cache`.
        case noCache
        /// The request wants a younger response, or one that stays fresh longer.
        case tooOld
        /// Another request invalidated the stored response.
        case invalidated
        /// The request's cache policy is `reloadRevalidatingCacheData`.
        case revalidating
        // Misses.
        case notStored
        /// The stored responses answer requests with other fields (`Vary`).
        case otherVariant
        /// The stored response is stale and has no validator.
        case noValidator
        /// The origin has a newer response.
        case changed
        /// The stored body was missing or damaged.
        case damaged
        // Reasons for a bypass.
        /// A cache does not answer this method.
        case method
        /// The request has its own conditions.
        case condition
        /// A stored response cannot answer the requested range.
        case range
        /// The request has `no-store`.
        case noStore
        /// The request's cache policy demands it.
        case policy
        /// The URL contains a secret.
        case secret
        /// An earlier attempt failed because of the response it received.
        case repeated
    }

    /// Whether a response from the network was stored, or why not.
    package enum Storing: String, Sendable, Hashable, CaseIterable {
        case stored
        /// A stored response got its newer fields.
        case updated
        /// The request or the response has `no-store` (RFC 9111 §5.2.1.5, §5.2.2.5).
        case noStore
        /// Never fresh and without a validator.
        case notReusable
        /// The status needs explicit freshness to be stored, or is never stored (RFC 9111 §3).
        case status
        /// Responses to this method are not stored.
        case method
        /// `Vary: *`.
        case varies
        /// A rule of the session's `willCacheResponse` excludes the response.
        case declined
        /// Larger than a twentieth of the cache.
        case tooLarge
        /// Nothing confirms that the body is complete.
        case incomplete
        /// The response contains a secret of the job.
        case secret
        /// The response did not meet the task's expectations.
        case rejected
        /// Another request changed the content at the origin meanwhile.
        case outdated
        /// Several connections fetched the body in segments.
        case segmented
        /// The cache could not be written, or was full at that moment.
        case failed
    }

    /// Where the final response came from.
    package var outcome: Outcome
    /// Why the cache decided so.
    package var reason: Reason
    /// Nil without a response from the network.
    package var storing: Storing?

    /// Creates a verdict; `storing` stays nil without a response from the network.
    package init(_ outcome: Outcome, _ reason: Reason, storing: Storing? = nil) {
        self.outcome = outcome
        self.reason = reason
        self.storing = storing
    }
}
