internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

// Asks the session's cache before a request and at the end of an exchange.
extension Attempt {
    /// The hop's next step: a stored response, or a request.
    func ask() throws(TransferFailure) -> Next {
        // A response from an upload's own URL may answer nothing else.
        if exchange.policies.upload?.isAtOwnURL == true { return send() }
        guard let caching = exchange.policies.caching else {
            // A session without a cache has no stored response.
            if exchange.request.cachePolicy == .returnCacheDataDontLoad {
                return failUnavailable()
            }
            return send()
        }
        let hop = exchange.hop
        let now = exchange.context.wallTime
        if caching.question != nil {
            // The cookies, and with them the user, may have changed since the lookup.
            if exchange.session.cookies != nil { caching.renew(varyingFields) }
        } else {
            // A response to a POST may be stored, too.
            let mayMatter = ["GET", "HEAD", "POST"].contains(hop.method)
            let fields = mayMatter ? varyingFields : hop.headers
            switch caching.plan(hop.method, hop.url, fields, at: now) {
            case .serve(let stored, let verdict, let refreshes):
                return try serve(
                    Serving(
                        response: stored,
                        verdict: verdict,
                        occasion: .lookup(refreshes: refreshes),
                        now: now
                    )
                )
            case .ask where exchange.request.cachePolicy == .returnCacheDataDontLoad:
                return failUnavailable()
            case .ask(var question):
                if caching.takesPart(), exchange.beginResuming() {
                    // No stored response answers: resume the part of an earlier attempt.
                    question = .init(reason: question.reason, mayStore: false)
                    try exchange.sign()
                }
                caching.ask(question)
            case .unavailable: return failUnavailable()
            }
        }
        if caching.willAsk(at: now) { exchange.recorder.willRevalidate() }
        return send()
    }

    /// All fields of the request by which a response may vary.
    private var varyingFields: [HeaderField] {
        var fields = exchange.hop.headers
        func add(_ name: String, _ value: String?) {
            if let value, !fields.contains(name) {
                fields.append(HeaderField(name: name, value: value))
            }
        }
        let accepted = exchange.request.decodesBody ? BodyDecoding.acceptEncoding : "identity"
        add("User-Agent", RunnerVersion.userAgent)
        add("Accept-Encoding", accepted)
        add("Cookie", exchange.cookieField(for: exchange.hop.url))
        return fields
    }

    /// A request that refreshes a response used while stale; nil without such a response.
    var refresh: AttemptRequest? {
        guard !exchange.request.isAsked else { return nil }
        return exchange.policies.caching?.refresh.map { exchange.request.refresh(of: $0) }
    }

    /// Fails because no stored response may answer.
    private func failUnavailable() -> Next {
        let help = "choose another `cachePolicy`, or another `requestCachePolicy` of the session"
        let detail = "no cache entry is usable, and the cache policy forbids a request"
        let code = TransferFailure.URLErrorCode.resourceUnavailable
        return end(unsent: ExchangeStage.unsent(.cache, code, detail, help: help))
    }

    /// The cache's next step after an exchange with the network; nil for the usual one.
    func endCaching(isComplete: Bool) throws(TransferFailure) -> Next? {
        let next = exchange.policies.caching?.next(
            after: exchange.head,
            exchange.verdict,
            exchange.failure,
            isComplete: isComplete,
            at: { exchange.context.wallTime }
        )
        switch next {
        case .usual, nil: return nil
        case .restart: return try repeatRequest(.restart)
        case .serve(let serving):
            if case .failure = serving.occasion { exchange.outcome.forgetFailure() }
            // The record of the stored response follows the exchange's record.
            exchange.forgetResponse()
            exchange.recorder.begin(
                reason: .cacheHit,
                method: exchange.hop.method,
                url: exchange.hop.url.text,
                at: exchange.move()
            )
            return try serve(serving)
        }
    }

    // MARK: - Stored bodies

    /// Whether a stored body is being read.
    var isReading: Bool { exchange.policies.caching?.isReading == true }

    /// Answers the running exchange with a stored response: its body is checked and delivered, a
    /// long one in steps.
    private func serve(_ serving: Serving) throws(TransferFailure) -> Next {
        guard let step = exchange.policies.caching?.begin(serving, method: exchange.hop.method)
        else { return try readStep() }
        return try take(step)
    }

    /// Reads the next step of a stored body.
    func readStep() throws(TransferFailure) -> Next {
        // The attempt waits for the disk only, so no idle time counts.
        exchange.watch.willBegin(at: .now)
        return try exchange.policies.caching?.readStep().map(take) ?? finish()
    }

    private func take(_ step: Serving.Step) throws(TransferFailure) -> Next {
        switch step {
        case .more: .read
        case .deliver(let serving, let body): try deliver(serving, body)
        case .handOn(let body, let start, let end, let isLast):
            try handOn(body, from: start, to: end) && !isLast ? .read : endServing()
        case .giveUp(let serving): try giveUp(serving)
        }
    }

    /// Continues after a stored body proved missing or damaged.
    private func giveUp(_ serving: Serving) throws(TransferFailure) -> Next {
        exchange.policies.caching?.drop(exchange.hop.url)
        let mayAsk = exchange.request.cachePolicy != .returnCacheDataDontLoad
        if case .failure(let failure?) = serving.occasion { throw failure }
        if case .lookup = serving.occasion { return mayAsk ? try ask() : failUnavailable() }
        return try repeatRequest(.restart)
    }

    /// Judges a stored response like one from the network, and hands its body on.
    private func deliver(
        _ serving: Serving,
        _ content: StoredBody?
    ) throws(TransferFailure) -> Next {
        guard let caching = exchange.policies.caching else { return finish() }
        let stored = serving.response
        let answer = caching.answer(with: stored)
        let head = answer.head(of: stored.head(at: serving.now), length: stored.body.length)
        var part: (start: Int64, count: Int64) = (0, content == nil ? 0 : stored.body.length)
        if case .part(let range) = answer { part = (range.start, range.count) }
        caching.serve(serving, length: part.count, to: exchange.hop)
        exchange.response.head = head
        exchange.response.servedLength = part.count
        exchange.recorder.didFind(head, at: exchange.move())
        guard exchange.receive(head), exchange.verdict?.isPassedOver != true, let content else {
            return try endServing()
        }
        return try take(caching.handOn(content, from: part.start, to: part.start + part.count))
    }

    /// Hands on a part of the body; false when no more of it is wanted.
    private func handOn(_ body: StoredBody, from start: Int64, to end: Int64) -> Bool {
        do throws(SystemError) {
            return try body.forEachPiece(from: start, count: end - start) { piece in
                exchange.receive(piece)
            }
        } catch {
            exchange.fail(TransferFailure(error, phase: .receive))
            return false
        }
    }

    private func endServing() throws(TransferFailure) -> Next {
        exchange.policies.caching?.endReading()
        return try endWithoutServer()
    }

    /// Ends an exchange that was answered without a server.
    func endWithoutServer() throws(TransferFailure) -> Next {
        exchange.recorder.end(isComplete: !exchange.hasFailed, protocolName: nil)
        return try take(exchange.machine.step)
    }
}
