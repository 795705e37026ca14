internal import SystemKit
package import TransferModel

/// The cache of one session: applies the caching rules and keeps responses in a store.
///
/// Shared by the engine's threads.
package final class HTTPCache: Sendable {
    let store: any CacheStore
    /// For how many seconds a stale response may replace the response of a failing origin.
    private let staleIfError: Int64
    private let storingRules: [StoringRule]
    private let partition: String
    private let fingerprint: Fingerprint
    private let findSecret: SecretFinder?

    /// - Parameters:
    ///   - store: Other sessions may share it.
    ///   - staleIfError: The session's setting.
    ///   - storingRules: The session's `willCacheResponse`.
    ///   - partition: Identifies sessions with the same trust and the same logins; empty when no
    ///     session needs to be kept apart.
    ///   - fingerprint: Makes names and hides values; the same for all sessions and processes.
    ///   - findSecret: Finds the job's secrets in a text; such a text is not stored.
    package init(
        store: any CacheStore,
        staleIfError: Duration = .zero,
        storingRules: [StoringRule] = [],
        partition: String = "",
        fingerprint: @escaping Fingerprint,
        findSecret: SecretFinder? = nil
    ) {
        self.store = store
        self.staleIfError = staleIfError.components.seconds
        self.storingRules = storingRules
        self.partition = partition
        self.fingerprint = fingerprint
        self.findSecret = findSecret
    }

    /// Why the store is no longer used; nil while it works.
    package var fault: String? { store.fault }

    /// Ends the store's background work.
    package func close() { store.close() }

    /// Decides how to obtain the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - isRepeated: Whether an earlier attempt failed because of the response it received.
    ///   - now: The current time.
    /// - Returns: Whether to use a stored response or to ask the origin.
    package func plan(
        for request: CacheRequest,
        isRepeated: Bool = false,
        now: Timestamp
    ) -> CachePlan {
        if let plan = CachePlan.beforeLookup(request, isRepeated: isRepeated) { return plan }
        if store.isEmpty {
            return CachePlan.make(for: request, stored: [], now: now, fingerprint)
        }
        guard !hasSecret(request.url.text), let key = key(of: request.url),
            let request = identified(request)
        else {
            if request.wantsStoredOnly { return .unavailable }
            return .ask(.init(reason: .secret, isBypass: true, mayStore: false))
        }
        // Sessions of other partitions stored the other responses.
        let stored = store.find(key).filter { $0.selection.isOfPartition(of: request) }
        return CachePlan.make(for: request, stored: stored, now: now, fingerprint)
    }

    /// Adds the partition and the identifying fields to a request; nil without a fingerprint.
    private func identified(_ request: CacheRequest) -> CacheRequest? {
        if partition.isEmpty { return request.identified(by: nil, findSecret) }
        return fingerprint(Array(partition.utf8)).map { request.identified(by: $0, findSecret) }
    }

    /// Begins to store a response to a request.
    ///
    /// - Parameters:
    ///   - head: The response's head as received.
    ///   - request: The request that the response answers.
    ///   - requestTime: When the request was made.
    ///   - responseTime: When the head was complete.
    ///   - length: The announced length of the body; nil when there is none.
    /// - Returns: The draft that takes the body, or why the response is not stored.
    package func draft(
        of head: ResponseHead,
        to request: CacheRequest,
        requestTime: Timestamp,
        responseTime: Timestamp,
        length: Int64?
    ) -> Result<CacheDraft, NotStored> {
        var response = StoredResponse(
            statusCode: head.statusCode,
            fields: head.fields,
            requestTime: requestTime,
            responseTime: responseTime
        )
        if let refusal = Storability.refusal(of: response, to: request) {
            return .failure(NotStored(refusal))
        }
        let rule = storingRules.first { $0.matches(request.url, head.mimeType) }
        if rule?.stores == false { return .failure(NotStored(.declined)) }
        let isTooLarge = length.map { $0 > store.largestBody } ?? false
        let mayOmitBody = request.mayHaveCopy && Validators.hasAny(head.fields)
        if isTooLarge, !mayOmitBody { return .failure(NotStored(.tooLarge)) }
        response.fields = StoredFields.storable(head.fields)
        if hasSecret(request.url.text) || hasSecret(HeaderFields.text(response.fields.lines[...])) {
            return .failure(NotStored(.secret))
        }
        guard store.fault == nil, let key = key(of: request.url),
            let request = identified(request),
            let selection = Selection(of: response.fields, to: request, fingerprint)
        else { return .failure(NotStored(.failed)) }
        response.selection = selection
        return .success(
            CacheDraft(
                response,
                key: key,
                store: store,
                // A POST's response reflects the state after it, so date it by arrival.
                originTime: request.isAnswerable ? requestTime : responseTime,
                keepsBody: !isTooLarge,
                mayOmitBody: mayOmitBody
            )
        )
    }

    /// Why a response is not stored.
    package struct NotStored: Error {
        /// The verdict on the storing, for the report.
        package let reason: CacheVerdict.Storing

        init(_ reason: CacheVerdict.Storing) { self.reason = reason }
    }

    /// The stored response that a 304 confirms, with its new fields (RFC 9111 §4.3.4).
    ///
    /// - Parameters:
    ///   - fields: The fields of the 304.
    ///   - stored: The responses that the request's conditions named.
    ///   - request: The conditional request.
    ///   - requestTime: When the request was made.
    ///   - responseTime: When the 304 arrived.
    /// - Returns: The response, and whether the store has its new fields; nil when the 304 matches
    ///   no stored response.
    package func confirm(
        _ fields: HeaderFields,
        of stored: [StoredResponse],
        for request: CacheRequest,
        requestTime: Timestamp,
        responseTime: Timestamp
    ) -> (response: StoredResponse, isUpdated: Bool)? {
        guard let index = Validators.confirmed(by: fields, among: stored) else { return nil }
        let control = CacheControl(fields)
        let earlier = stored[index]
        let (response, isRepetition) =
            updated(earlier, by: fields, control, requestTime, responseTime)
        guard mayStore(response, by: control, of: request) else { return (response, false) }
        if stored.count == 1, isRepetition, gainsNothing(response, over: earlier) {
            return (response, true)
        }
        guard let key = key(of: request.url) else { return (response, false) }
        if Self.variesOtherwise(response, than: earlier) {
            // The request fields that select this response are no longer known.
            store.remove(key)
            return (response, false)
        }
        return (response, store.update(response, for: key))
    }

    /// Updates or invalidates stored responses by the response to a HEAD (RFC 9111 §4.3.5).
    package func note(
        head: ResponseHead,
        of request: CacheRequest,
        about stored: [StoredResponse],
        requestTime: Timestamp,
        responseTime: Timestamp
    ) {
        guard head.statusCode == 200, let key = key(of: request.url) else { return }
        let control = CacheControl(head.fields)
        for response in stored where response.statusCode == 200 {
            var response = response
            let (newer, _) = updated(response, by: head.fields, control, requestTime, responseTime)
            if !Validators.isSame(head.fields, as: response)
                || Self.variesOtherwise(newer, than: response)
            {
                response.isInvalidated = true
            } else if mayStore(newer, by: control, of: request) {
                response = newer
            } else {
                continue
            }
            _ = store.update(response, for: key)
        }
    }

    /// Whether a stored response may be updated with newer fields.
    private func mayStore(
        _ updated: StoredResponse,
        by control: CacheControl,
        of request: CacheRequest
    ) -> Bool {
        !control.flags.contains(.noStore)
            && !request.control.flags.contains(.noStore)
            && !hasSecret(HeaderFields.text(updated.fields.lines[...]))
    }

    /// Whether it is useless to write down a confirmation that changes nothing: the response needs
    /// validation at its next use anyway, and may not replace a failed response either.
    private func gainsNothing(_ response: StoredResponse, over earlier: StoredResponse) -> Bool {
        guard staleIfError == 0, !earlier.isInvalidated else { return false }
        let control = CacheControl(response.fields)
        return control.staleIfError == nil && control.staleWhileRevalidate == nil
            && Freshness.lifetime(of: response, control) == 0
    }

    private static func variesOtherwise(
        _ response: StoredResponse,
        than earlier: StoredResponse
    ) -> Bool {
        Set(Selection.names(in: response.fields)) != Set(Selection.names(in: earlier.fields))
    }

    private func updated(
        _ stored: StoredResponse,
        by fields: HeaderFields,
        _ control: CacheControl,
        _ requestTime: Timestamp,
        _ responseTime: Timestamp
    ) -> (response: StoredResponse, isRepetition: Bool) {
        var response = stored
        let isRepetition: Bool
        (response.fields, isRepetition) =
            StoredFields.updated(stored.fields, by: fields, control)
        if fields.firstValue(of: "date") == nil {
            // The old date would make the confirmed response old at once.
            response.fields = StoredFields.without(["date"], response.fields)
        }
        response.requestTime = requestTime
        response.responseTime = responseTime
        response.isInvalidated = false
        return (response, isRepetition)
    }

    /// Removes all stored responses of a URL.
    package func forget(_ url: TransferURL) {
        if let key = key(of: url) { store.remove(key) }
    }

    /// Whether a stored response may replace the response of a failing origin.
    package func mayStandIn(
        _ stored: StoredResponse,
        for request: CacheRequest,
        now: Timestamp
    ) -> Bool {
        Judgement.mayStandIn(stored, for: request, allowance: staleIfError, now: now)
    }

    /// The body of a stored response; nil when the store no longer has it.
    package func body(of stored: StoredResponse) -> StoredBody? { store.open(stored.body) }

    private func hasSecret(_ text: @autoclosure () -> String) -> Bool {
        findSecret.map { $0(text()) != nil } ?? false
    }

    private func key(of url: TransferURL) -> CacheKey? {
        CacheKey(url, fingerprint)
    }
}
