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
                if question.stored.contains(where: { !$0.hasBody && caching.copy(of: $0) == nil }) {
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

    /// A request for what was used although it was stale, whose answer only the cache gets, and
    /// which has no key yet; nil when there was no such response.
    var refresh: AttemptRequest? {
        guard let hop = caching?.refresh else { return nil }
        var refresh = AttemptRequest(
            key: 0,
            session: request.session,
            number: request.number,
            request: hop,
            redirects: request.redirects,
            timeoutInterval: request.timeoutInterval,
            deadline: request.deadline,
            resending: request.resending,
            decodesBody: request.decodesBody,
            access: request.access
        )
        // What is stored is the whole.
        refresh.request.headers.removeAll { $0.name.lowercased() == "range" }
        refresh.redirects.follow = .never
        refresh.cachePolicy = .reloadRevalidatingCacheData
        return refresh
    }

    /// Forgets what is stored of everything that a response of the network makes untrue (RFC 9111
    /// §4.4).
    func invalidate(after head: ResponseHead, of request: RequestSpec) {
        guard let invalidation = session.invalidation, !Invalidation.isSafe(request.method) else {
            return
        }
        invalidation.apply(head, to: request.method, request.url, at: now)
    }

    /// Forgets what is stored when it has turned out wrong or has led nowhere, or when the attempt
    /// has a newer file that is not stored: one that was put together out of parts, or begun anew
    /// because that could not be done.
    func forgetStored() {
        if let failure {
            if failure.isAboutContent { caching?.forgetServed() }
            if failure.mayBeOfTarget { caching?.forgetFollowed() }
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

    /// Whether a stored response takes the place of the one whose head is whole: the origin
    /// confirms it, or fails.
    func isAnsweredByStored(_ head: ResponseHead) -> Bool {
        guard let caching, caching.served == nil, let question = caching.question else {
            return false
        }
        let isConfirmed = head.statusCode == 304 && !question.conditions.isEmpty
        if isConfirmed || Judgement.isFailure(head.statusCode) && standIn != nil {
            response.verdict = .stored
            passOver()
            return true
        }
        if resumption == nil {
            let hasNoBody = head.hasNoContent || hop.method == "HEAD"
            caching.didReceive(
                head,
                length: response.contentLength,
                isFramed: response.isFramed || hasNoBody,
                at: now
            )
        }
        return false
    }

    /// The stored response that may be used although the origin fails; nil without one.
    private var standIn: StoredResponse? {
        guard let caching, caching.served == nil, let request = caching.request,
            let stored = caching.question?.stored.first,
            caching.cache.mayStandIn(stored, for: request, now: now)
        else { return nil }
        return stored
    }

    /// What follows an exchange with the network for the cache's sake; nil when what follows any
    /// does.
    func endCaching(isComplete: Bool) -> Next? {
        guard let caching, caching.served == nil, !isReading else { return nil }
        if hasFailed, head == nil, failure?.isOfOrigin == true, let standIn {
            return serve(standIn)
        }
        if case .stored = verdict, let head {
            if head.statusCode != 304, failure?.kind != .cancelled {
                return standIn.map(serve) ?? exchange(.restart)
            }
            return hasFailed ? nil : confirm(head)
        }
        guard isComplete else {
            caching.reject(.incomplete)
            return nil
        }
        switch verdict {
        case .redirect, .refuse: caching.commit()
        case .accept where !hasFailed: break
        default: caching.reject(.rejected)
        }
        return nil
    }

    /// Uses a stale response, because the origin has failed.
    private func serve(_ standIn: StoredResponse) -> Next {
        let failure = failure
        self.failure = nil
        checks = []
        beginServing()
        return serve(
            Serving(
                response: standIn,
                verdict: CacheVerdict(.stale, .staleIfError),
                occasion: .failure(failure),
                now: now
            )
        )
    }

    /// Uses the response that the origin has confirmed; when it is not known which one, asks for
    /// everything.
    private func confirm(_ head: ResponseHead) -> Next {
        guard let caching, let request = caching.request, let question = caching.question else {
            return finish()
        }
        let confirmed = caching.cache.confirm(
            head.fields,
            of: question.stored,
            for: request,
            requestTime: caching.requestTime,
            responseTime: now
        )
        if let confirmed {
            let storing: CacheVerdict.Storing? = confirmed.isUpdated ? .updated : nil
            let verdict = CacheVerdict(.revalidated, question.reason, storing: storing)
            beginServing()
            return serve(
                Serving(
                    response: confirmed.response,
                    verdict: verdict,
                    occasion: .confirmation
                )
            )
        }
        caching.question = .init(reason: .changed)
        return exchange(.restart)
    }

    /// Begins the record of a stored response behind that of an exchange with the network.
    private func beginServing() {
        forgetResponse()
        recorder.begin(reason: .cacheHit, method: hop.method, url: hop.url.text, at: move())
    }

    /// Whether a file that is there has the body that is served already, and may stay.
    func isKept(_ file: TaskSpec.Destination) -> Bool {
        guard file.ifExists == .revalidate, !request.decodesBody, let caching,
            let stored = caching.served?.response, caching.servedLength == stored.body.length,
            let (present, known) = caching.present(file, with: stored.body),
            file.mode == nil || file.mode == present.permissions
        else { return false }
        guard case .digest(let expected)? = file.checksum else { return true }
        if let known { return known == expected.digest }
        guard let digest = MessageDigest(expected.algorithm.family) else { return false }
        let isRead = try? StoredBody.file(present).forEachPiece(count: stored.body.length) {
            digest.update($0)
            return true
        }
        return isRead == true && digest.finish() == expected.digest
    }
}
