internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

// Where an attempt asks its session's cache: before a request, when a head is there, and when an
// exchange has ended.
extension Attempt {
    /// The hop's next step: a stored response, or a request.
    func ask() -> Next {
        // What an upload's own URL says is nobody else's.
        if upload?.isAtOwnURL == true { return send() }
        guard let caching else {
            // A session without a cache has nothing to answer with.
            if request.cachePolicy == .returnCacheDataDontLoad { return failUnavailable() }
            return send()
        }
        let now = now
        if caching.question != nil {
            // Who asks may be known by other cookies by now.
            if session.cookies != nil { caching.renew(varyingFields) }
        } else {
            // What a POST brings may be stored, too.
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
                    // Nothing that is stored answers: what an earlier attempt has left is gone on
                    // with.
                    question = .init(reason: question.reason, mayStore: false)
                    sign()
                }
                // What is neither stored nor here cannot be confirmed.
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

    /// A request for what was used although it was stale; nil when there was no such response.
    var refresh: AttemptRequest? { caching?.refresh.map { request.refresh(of: $0) } }

    /// Forgets what is stored of everything that a response of the network makes untrue (RFC 9111
    /// §4.4).
    func invalidate(after head: ResponseHead, of request: RequestSpec) {
        guard let invalidation = session.invalidation, !RequestSpec.isSafe(request.method) else {
            return
        }
        invalidation.apply(head, to: request.method, request.url, at: now)
    }

    /// Forgets what is stored when it has turned out wrong or has led nowhere, or when the attempt
    /// has a newer file that is not stored: one that was put together out of parts, or begun anew
    /// because that could not be done.
    func forgetStored() {
        if let failure {
            caching?.forget(after: failure)
        } else if resumption != nil, caching?.isOfCache != true {
            session.cache?.forget(hop.url)
        }
    }

    /// The present by the clock on the wall: while the machine sleeps stored responses get old, and
    /// the run does not.
    private var now: Timestamp {
        let wall = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        return max(context.clock.timestamp(of: .now), wall)
    }

    /// All that the hop sends and a response may vary by.
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

    /// Fails, because nothing that is stored may answer.
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

    /// Whether a stored response takes the place of the one whose head is whole.
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

    /// What follows an exchange with the network for the cache's sake; nil when what follows any
    /// does.
    func endCaching(isComplete: Bool) -> Next? {
        switch caching?.next(after: head, verdict, failure, isComplete: isComplete, at: { now }) {
        case .usual, nil: return nil
        case .restart: return exchange(.restart)
        case .serve(let serving):
            if case .failure = serving.occasion {
                failure = nil
                checks = []
            }
            // The record of the stored response stands behind that of the exchange.
            forgetResponse()
            recorder.begin(reason: .cacheHit, method: hop.method, url: hop.url.text, at: move())
            return serve(serving)
        }
    }
}
