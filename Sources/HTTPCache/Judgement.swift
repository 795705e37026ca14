package import TransferModel

/// Whether a stored response may answer a request without validation, and why not (RFC 9111 §4.2,
/// §4.2.4, §5.2).
package struct Judgement: Sendable {
    /// How the response is used; nil when the origin must be asked first.
    package let verdict: CacheVerdict?
    /// Why the origin is asked.
    package let question: CacheVerdict.Reason

    /// Judges a stored response whose selection matches the request.
    package init(of stored: StoredResponse, for request: CacheRequest, now: Timestamp) {
        let control = CacheControl(stored.fields)
        let freshness = Freshness(of: stored, control, now: now)
        if request.policy.usesAnyAge {
            verdict = CacheVerdict(freshness.isFresh ? .hit : .stale, .anyAge)
            question = .expired
            return
        }
        question = Self.question(stored, control, freshness, request)
        verdict = Self.verdict(stored, control, freshness, request, question)
    }

    private static func question(
        _ stored: StoredResponse,
        _ control: CacheControl,
        _ freshness: Freshness,
        _ request: CacheRequest
    ) -> CacheVerdict.Reason {
        if stored.isInvalidated { return .invalidated }
        if control.flags.contains(.noCache) || request.control.flags.contains(.noCache) {
            return .noCache
        }
        // A fresh immutable response needs no validation (RFC 8246 §2).
        if request.policy == .reloadRevalidatingCacheData,
            !(control.flags.contains(.immutable) && freshness.isFresh)
        {
            return .revalidating
        }
        if !freshness.isFresh || freshness.isGuessed && !request.mayGuess { return .expired }
        let isTooOld =
            request.control.maxAge.map { freshness.age > $0 } == true
            || request.control.minFresh.map { freshness.remaining < $0 } == true
        return isTooOld ? .tooOld : .fresh
    }

    private static func verdict(
        _ stored: StoredResponse,
        _ control: CacheControl,
        _ freshness: Freshness,
        _ request: CacheRequest,
        _ question: CacheVerdict.Reason
    ) -> CacheVerdict? {
        if question == .fresh { return CacheVerdict(.hit, .fresh) }
        guard question == .expired, !control.flags.contains(.mustRevalidate) else { return nil }
        let wanted = request.control
        if let maxStale = wanted.maxStale, wanted.minFresh == nil,
            wanted.maxAge.map({ freshness.age <= $0 }) ?? true, freshness.staleness <= maxStale
        {
            return CacheVerdict(.stale, .maxStale)
        }
        // The window begins at the end of freshness, which a guess does not know.
        guard !freshness.isGuessed || request.mayGuess, wanted.maxAge == nil,
            wanted.minFresh == nil,
            let window = control.staleWhileRevalidate, freshness.staleness <= window
        else { return nil }
        return CacheVerdict(.stale, .staleWhileRevalidate)
    }

    /// Whether a stored response may replace the response of a failing origin (RFC 9111 §4.2.4, RFC
    /// 5861 §4).
    ///
    /// - Parameters:
    ///   - stored: The response that the origin was asked to validate.
    ///   - request: The request that failed.
    ///   - allowance: The staleness that the session allows, seconds.
    ///   - now: The current time.
    /// - Returns: Whether it may.
    package static func mayStandIn(
        _ stored: StoredResponse,
        for request: CacheRequest,
        allowance: Int64,
        now: Timestamp
    ) -> Bool {
        let control = CacheControl(stored.fields)
        guard !control.flags.contains(.mustRevalidate), !control.flags.contains(.noCache),
            !request.control.flags.contains(.noCache), !stored.isInvalidated,
            request.policy == .useProtocolCachePolicy, stored.hasBody, request.method == "GET",
            request.range == nil
        else { return false }
        let windows = [control.staleIfError, request.control.staleIfError, allowance]
        let longest = windows.compactMap(\.self).max() ?? 0
        return longest > 0 && Freshness(of: stored, control, now: now).staleness <= longest
    }

    /// Whether a status counts as an origin failure (RFC 5861 §4).
    package static func isFailure(_ status: Int) -> Bool {
        [500, 502, 503, 504].contains(status)
    }
}
