package import TransferModel

/// What is to be done for a request, by what is stored.
package enum CachePlan: Sendable {
    /// The stored response is the answer; with `refreshes` the origin is asked about it afterwards
    /// (RFC 5861 §3).
    case serve(StoredResponse, CacheVerdict, refreshes: Bool = false)
    /// The origin is asked; about `stored`, when there are conditions.
    case ask(Question)
    /// Only what is stored may answer, and nothing does (RFC 9111 §5.2.1.7).
    case unavailable

    /// What the origin is asked.
    package struct Question: Sendable {
        /// What a 304 may be about, or what may stand in when the origin fails; none without a
        /// match.
        package var stored: [StoredResponse]
        /// Sent besides the request's own fields; none when everything is asked for.
        package var conditions: [HeaderField]
        package var reason: CacheVerdict.Reason
        /// Whether the cache was looked into.
        package var isBypass: Bool
        /// Whether what comes may be stored.
        package var mayStore: Bool

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

    /// Decides what is to be done before the store is looked into.
    ///
    /// - Parameters:
    ///   - request: What is wanted.
    ///   - isRepeated: Whether an earlier attempt has failed on what it received.
    /// - Returns: nil when what is stored decides.
    package static func beforeLookup(_ request: CacheRequest, isRepeated: Bool) -> CachePlan? {
        func bypass(_ reason: CacheVerdict.Reason, mayStore: Bool = false) -> CachePlan {
            .ask(Question(reason: reason, isBypass: true, mayStore: mayStore))
        }
        if !request.isAnswerable { return bypass(.method, mayStore: true) }
        if request.hasCondition {
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

    /// Decides by what is stored (RFC 9111 §4).
    ///
    /// - Parameters:
    ///   - request: A GET or HEAD that `beforeLookup` has let through.
    ///   - stored: Everything under its URL.
    ///   - now: The present.
    ///   - fingerprint: As the selections were made with.
    /// - Returns: What is to be done.
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
        if let verdict = judgement.verdict, canAnswer(request, with: chosen) {
            return .serve(chosen, verdict, refreshes: verdict.reason == .staleWhileRevalidate)
        }
        if request.wantsStoredOnly { return .unavailable }
        // What a HEAD or a range is answered with is not what is stored.
        guard request.method == "GET", request.range == nil else {
            let reason = judgement.verdict == nil ? judgement.question : .range
            return .ask(Question(stored: [chosen], reason: reason, mayStore: false))
        }
        let conditions = Validators.conditions(for: matching)
        // What only somebody else's file has is asked about however fresh it is.
        let reason = judgement.verdict == nil ? judgement.question : .revalidating
        return .ask(
            Question(
                // The first one is what stands in when the origin fails.
                stored: matching.count == 1
                    ? matching : [chosen] + matching.filter { $0 != chosen },
                conditions: conditions,
                reason: conditions.isEmpty ? .noValidator : reason
            )
        )
    }

    /// Of several responses the most recent one, and rather one that says by what it varies (RFC
    /// 9111 §4.1).
    private static func choose(_ matching: [StoredResponse]) -> StoredResponse? {
        if matching.count == 1 { return matching[0] }
        let varying = matching.filter { $0.fields.firstValue(of: "vary") != nil }
        return (varying.isEmpty ? matching : varying).max { $1.isMoreRecent(than: $0) }
    }

    /// Whether the stored body has what is asked for.
    private static func canAnswer(_ request: CacheRequest, with stored: StoredResponse) -> Bool {
        guard let range = request.range, request.method == "GET" else {
            return stored.hasBody || request.method == "HEAD"
        }
        return stored.hasBody && stored.statusCode == 200
            && ByteRange(range, of: stored.body.length) != nil
    }
}
