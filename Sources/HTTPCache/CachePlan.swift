package import TransferModel

/// How to answer a request, given the stored responses.
package enum CachePlan: Sendable {
    /// Answer with the stored response; with `refreshes`, validate it at the origin afterwards (RFC
    /// 5861 §3).
    case serve(StoredResponse, CacheVerdict, refreshes: Bool = false)
    /// Ask the origin; when there are conditions, whether `stored` is still valid.
    case ask(Question)
    /// Only a stored response may answer, and no stored response fits (RFC 9111 §5.2.1.7).
    case unavailable

    /// A request to the origin.
    package struct Question: Sendable {
        /// The responses that a 304 may confirm or that may replace a failure; empty without a
        /// match.
        package var stored: [StoredResponse]
        /// Sent besides the request's own fields; empty for an unconditional request.
        package var conditions: [HeaderField]
        /// Why no stored response answers the request alone.
        package var reason: CacheVerdict.Reason
        /// Whether the cache lookup was skipped.
        package var isBypass: Bool
        /// Whether the response may be stored.
        package var mayStore: Bool

        /// Creates a question; without `stored` and `conditions` the request is unconditional.
        package init(
            stored: [StoredResponse] = [],
            conditions: [HeaderField] = [],
            reason: CacheVerdict.Reason,
            isBypass: Bool = false,
            mayStore: Bool = true
        ) {
            self.stored = stored
            self.conditions = conditions
            self.reason = reason
            self.isBypass = isBypass
            self.mayStore = mayStore
        }
    }

    /// Decides about a request that needs no look into the store.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isRepeated: Whether an earlier attempt failed because of the response it received.
    /// - Returns: nil when the stored responses decide.
    package static func beforeLookup(_ request: CacheRequest, isRepeated: Bool) -> CachePlan? {
        func bypass(_ reason: CacheVerdict.Reason, mayStore: Bool = false) -> CachePlan {
            .ask(Question(reason: reason, isBypass: true, mayStore: mayStore))
        }
        if !request.isAnswerable { return bypass(.method, mayStore: true) }
        if request.hasConditionForOrigin {
            return request.wantsStoredOnly ? .unavailable : bypass(.condition)
        }
        if request.control.flags.contains(.noStore), !request.wantsStoredOnly {
            return bypass(.noStore)
        }
        switch request.policy {
        case .reloadIgnoringLocalCacheData, .reloadIgnoringLocalAndRemoteCacheData:
            return bypass(.policy, mayStore: request.range == nil)
        case .returnCacheDataDontLoad: return nil
        default: return isRepeated ? bypass(.repeated, mayStore: request.range == nil) : nil
        }
    }

    /// Decides by the stored responses (RFC 9111 §4).
    ///
    /// - Parameters:
    ///   - request: A GET or HEAD for which `beforeLookup` returned nil.
    ///   - stored: All responses under the request's URL.
    ///   - now: The current time.
    ///   - fingerprint: The function that made the selections.
    /// - Returns: The plan.
    package static func make(
        for request: CacheRequest,
        stored: [StoredResponse],
        now: Timestamp,
        _ fingerprint: Fingerprint
    ) -> CachePlan {
        let matching = stored.filter {
            ($0.hasBody || request.mayHaveCopy) && $0.selection.matches(request, fingerprint)
        }
        guard let chosen = choose(matching) else {
            if request.wantsStoredOnly { return .unavailable }
            let reason: CacheVerdict.Reason = stored.isEmpty ? .notStored : .otherVariant
            return .ask(Question(reason: reason, mayStore: request.range == nil))
        }
        let judgement = Judgement(of: chosen, for: request, now: now)
        if let verdict = judgement.verdict, StoredAnswer(to: request, with: chosen) != nil {
            return .serve(chosen, verdict, refreshes: verdict.reason == .staleWhileRevalidate)
        }
        if request.wantsStoredOnly { return .unavailable }
        // The origin evaluates the conditions, and a 304 is for the task alone.
        if request.hasCondition {
            let reason = judgement.verdict == nil ? judgement.question : .condition
            return .ask(Question(reason: reason, mayStore: request.range == nil))
        }
        // The response to a HEAD or a range request is not stored.
        guard request.method == "GET", request.range == nil else {
            let reason = judgement.verdict == nil ? judgement.question : .range
            return .ask(Question(stored: [chosen], reason: reason, mayStore: false))
        }
        let conditions = Validators.conditions(for: matching)
        // A response whose body is only in a file elsewhere is validated even while it is fresh.
        let reason = judgement.verdict == nil ? judgement.question : .revalidating
        return .ask(
            Question(
                // The first response replaces the response of a failing origin.
                stored: matching.count == 1
                    ? matching : [chosen] + matching.filter { $0 != chosen },
                conditions: conditions,
                reason: conditions.isEmpty ? .noValidator : reason
            )
        )
    }

    /// The most recent of several responses, preferring those with a `Vary` field (RFC 9111 §4.1).
    private static func choose(_ matching: [StoredResponse]) -> StoredResponse? {
        if matching.count == 1 { return matching[0] }
        let varying = matching.filter { $0.fields.firstValue(of: "vary") != nil }
        return (varying.isEmpty ? matching : varying).max { $1.isMoreRecent(than: $0) }
    }
}
