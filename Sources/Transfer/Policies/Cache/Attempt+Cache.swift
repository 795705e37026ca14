internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

// The points at which an attempt asks its session's cache: before a request, at a response's head,
// and at the end of an exchange.
extension Attempt {
    /// The hop's next step: a stored response, or a request.
    func ask() -> Next {
        // A response from an upload's own URL may answer nothing else.
        if upload?.isAtOwnURL == true { return send() }
        guard let caching else {
            // A session without a cache has no stored response.
            if request.cachePolicy == .returnCacheDataDontLoad { return failUnavailable() }
            return send()
        }
        let now = now
        if caching.question != nil {
            // The cookies, and with them the user, may have changed since the lookup.
            if session.cookies != nil { caching.renew(varyingFields) }
        } else {
            // A response to a POST may be stored, too.
            let mayMatter = ["GET", "HEAD", "POST"].contains(hop.method)
            let fields = mayMatter ? varyingFields : hop.headers
            switch caching.plan(hop.method, hop.url, fields, at: now) {
            case .serve(let stored, let verdict, let refreshes):
                return serve(
                    Serving(
                        response: stored,
                        verdict: verdict,
                        occasion: .lookup(refreshes: refreshes),
                        now: now
                    )
                )
            case .ask where request.cachePolicy == .returnCacheDataDontLoad:
                return failUnavailable()
            case .ask(var question):
                if caching.takesPart(), beginResuming() {
                    // No stored response answers: resume the part of an earlier attempt.
                    question = .init(reason: question.reason, mayStore: false)
                    sign()
                }
                // Without the stored body or a copy at the destination, a 304 would be useless.
                if question.stored.contains(where: {
                    !$0.hasBody && caching.copy?.file(like: $0.body) == nil
                }) {
                    question.conditions = []
                }
                caching.question = question
                caching.verdict = .init(question.isBypass ? .bypassed : .miss, question.reason)
            case .unavailable: return failUnavailable()
            }
        }
        caching.requestTime = now
        if caching.question?.conditions.isEmpty == false { recorder.willRevalidate() }
        return send()
    }

    /// A request that refreshes a response used while stale; nil without such a response.
    var refresh: AttemptRequest? { caching?.refresh.map { request.refresh(of: $0) } }

    /// Removes all stored responses that a response from the network makes invalid (RFC 9111 §4.4).
    func invalidate(after head: ResponseHead, of request: RequestSpec) {
        guard let invalidation = session.invalidation, !RequestSpec.isSafe(request.method) else {
            return
        }
        invalidation.apply(head, to: request.method, request.url, at: now)
    }

    /// Removes stored responses that proved wrong, led to a failure, or are outdated.
    ///
    /// A stored response is outdated when the attempt has a newer file that it does not store: a
    /// resumed file, or one that was fetched anew after resuming failed.
    func forgetStored() {
        if let failure {
            caching?.forget(after: failure)
        } else if resumption != nil, caching?.isOfCache != true {
            session.cache?.forget(hop.url)
        }
    }

    /// The current wall-clock time: stored responses also age while the machine sleeps, unlike the
    /// run's clock.
    private var now: Timestamp {
        let wall = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        return max(context.clock.timestamp(of: .now), wall)
    }

    /// All fields of the request by which a response may vary.
    private var varyingFields: [HeaderField] {
        var fields = hop.headers
        func add(_ name: String, _ value: String?) {
            if let value, !fields.contains(name) {
                fields.append(HeaderField(name: name, value: value))
            }
        }
        add("User-Agent", RunnerVersion.userAgent)
        add("Accept-Encoding", request.decodesBody ? BodyDecoding.acceptEncoding : "identity")
        add("Cookie", cookieField(for: hop.url))
        return fields
    }

    /// Fails because no stored response may answer.
    func failUnavailable() -> Next {
        failure = TransferFailure(
            kind: .cache,
            phase: .prepare,
            detail: "no stored response may answer, and the network is not to be asked"
        )
        failure?.urlError = .resourceUnavailable
        failure?.isPermanent = true
        failure?.isKnownUnprocessed = true
        failure?.help = "choose another `cachePolicy`, or `requestCachePolicy` of the session"
        return .finished(result())
    }

    /// Whether a stored response replaces the response with this head.
    func isAnsweredByStored(_ head: ResponseHead) -> Bool {
        guard let caching,
            caching.isAnsweredByStored(
                head,
                contentLength: response.contentLength,
                isFramed: response.isFramed,
                isWhole: resumption == nil,
                at: now
            )
        else { return false }
        response.verdict = .stored
        passOver()
        return true
    }

    /// The cache's next step after an exchange with the network; nil for the usual one.
    func endCaching(isComplete: Bool) -> Next? {
        switch caching?.next(after: head, verdict, failure, isComplete: isComplete, at: { now }) {
        case .usual, nil: return nil
        case .restart: return exchange(.restart)
        case .serve(let serving):
            if case .failure = serving.occasion {
                failure = nil
                checks = []
            }
            // The record of the stored response follows that of the exchange.
            forgetResponse()
            recorder.begin(reason: .cacheHit, method: hop.method, url: hop.url.text, at: move())
            return serve(serving)
        }
    }
}
