package import TransferModel

/// Whether a private cache that keeps only complete responses may store a response (RFC 9111 §3).
package enum Storability {
    /// Judges a response.
    ///
    /// - Parameters:
    ///   - response: The response, with its fields as received.
    ///   - request: The request that the response answers.
    /// - Returns: Why the response is not stored; nil when it is.
    package static func refusal(
        of response: StoredResponse,
        to request: CacheRequest
    ) -> CacheVerdict.Storing? {
        let control = CacheControl(response.fields)
        guard isStoredMethod(request, response, control) else { return .method }
        guard isStoredStatus(response.statusCode) else { return .status }
        if request.control.flags.contains(.noStore) || forbidsStoring(response, control) {
            return .noStore
        }
        guard isAllowed(response, control) else { return .status }
        if Selection.variesByAnything(response.fields) { return .varies }
        return isReusable(response, control, request.policy) ? nil : .notReusable
    }

    /// GET, or a POST whose response states its freshness and represents a GET of the same URL (RFC
    /// 9110 §9.3.3).
    private static func isStoredMethod(
        _ request: CacheRequest,
        _ response: StoredResponse,
        _ control: CacheControl
    ) -> Bool {
        if request.method == "GET" { return true }
        guard request.method == "POST", response.statusCode == 200,
            control.maxAge != nil || response.fields.firstValue(of: "expires") != nil,
            let location = response.fields["content-location"]
        else { return false }
        return request.url.resolving(location)?.normalized.text == request.url.normalized.text
    }

    /// Final statuses, except a part, a confirmation and an authentication challenge.
    private static func isStoredStatus(_ status: Int) -> Bool {
        status >= 200 && ![206, 304, 401, 407].contains(status)
    }

    /// `no-store`, unless `must-understand` is also present and the status is understood (RFC 9111
    /// §5.2.2.3).
    private static func forbidsStoring(
        _ response: StoredResponse,
        _ control: CacheControl
    ) -> Bool {
        let isUnderstood = isUnderstood(response.statusCode)
        if control.flags.contains(.mustUnderstand) { return !isUnderstood }
        return control.flags.contains(.noStore)
    }

    /// Statuses whose caching rules this cache fully obeys.
    private static func isUnderstood(_ status: Int) -> Bool {
        switch status {
        case 302, 303, 307: true
        default: Freshness.isHeuristicallyCacheable(status)
        }
    }

    /// The last condition of RFC 9111 §3.
    private static func isAllowed(_ response: StoredResponse, _ control: CacheControl) -> Bool {
        !control.flags.isDisjoint(with: [.isPublic, .isPrivate]) || control.maxAge != nil
            || response.fields.firstValue(of: "expires") != nil
            || Freshness.isHeuristicallyCacheable(response.statusCode)
    }

    /// Whether the response can ever answer another request; policies that accept any age accept
    /// every response.
    private static func isReusable(
        _ response: StoredResponse,
        _ control: CacheControl,
        _ policy: RequestCachePolicy
    ) -> Bool {
        if policy.usesAnyAge || Validators.hasAny(response.fields) { return true }
        if control.flags.contains(.noCache) { return false }
        return Freshness(of: response, control, now: response.responseTime).isFresh
            || (control.staleWhileRevalidate ?? 0) > 0 || (control.staleIfError ?? 0) > 0
    }
}
