internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

// Judges the end of an exchange, and of the attempt.
extension Attempt {
    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Next {
        if !code.isOK, !exchange.hasFailed, exchange.isCut {
            exchange.fail(exchange.recorder.stage.flood)
        }
        if !exchange.hasFailed, exchange.policies.connection.takeRefusal() {
            // On a new connection; nothing of the exchange was sent.
            exchange.sent.answersChallenge = exchange.sent.hasAnsweredChallenge
            return send()
        }
        let machine =
            exchange.file?.recordEnd(of: exchange, code) ?? exchange.recordEnd(code)
        return perform { () throws(TransferFailure) in
            let step = machine.step
            guard step == .endCaching else { return try take(step) }
            if let next = try endCaching(isComplete: machine.isComplete) { return next }
            return try take(exchange.machine.step)
        }
    }

    /// Whether more of the last piece of the body must be decoded.
    var isDecoding: Bool { exchange.response.decoding?.isUnfinished == true }

    /// Keeps libcurl's result until the body is decoded; returns whether it must wait.
    func holdsEnd(_ code: CurlCode) -> Bool {
        guard isDecoding else { return false }
        exchange.response.decoding?.heldEnd = code
        return true
    }

    /// Decodes the next step of the body, and lets libcurl continue after the last one.
    func decodeOn() -> Next {
        guard exchange.decode([UInt8]().span, atMost: BodyDecoding.step) else {
            return .breaksOff(.writeError)
        }
        if isDecoding { return .read }
        if let code = exchange.response.decoding?.heldEnd { return end(code) }
        return resume()
    }

    /// Ends the attempt from outside; the handle has been taken out of its multi handle.
    func abort(_ failure: TransferFailure) -> Next {
        exchange.noteSent()
        exchange.noteFailedConnection()
        let download = SegmentRole.of(exchange)?.downloadOfAttempt
        if download?.isMainOver != true {
            exchange.recorder.end(
                isComplete: false,
                protocolName: exchange.file?.scheme.rawValue
                    ?? exchange.handle.networkProtocolName
            )
        }
        download?.end(nil)
        return perform { () throws(TransferFailure) in
            // No task waits for the answer to such a request.
            if exchange.isGivingUp, !exchange.hasFailed, failure.kind != .cancelled {
                return try didCancelUpload()
            }
            if case .refuse? = exchange.verdict { exchange.outcome.noteCutRefusal(failure.kind) }
            if !exchange.hasFailed { exchange.fail(failure) }
            if let next = try endCaching(isComplete: false) { return next }
            return finish()
        }
    }

    /// Ends the attempt before its request has left.
    func end(unsent failure: TransferFailure) -> Next {
        exchange.fail(failure)
        if let segment = endSegment() { return segment }
        return .finished(EndedAttempt(AttemptResult.of(exchange)))
    }

    /// Ends the attempt after its last exchange.
    func finish() -> Next {
        if let segment = endSegment() { return segment }
        exchange.judgeEnd()
        if exchange.hasFailed { exchange.policies.caching?.reject(.rejected) }
        exchange.forgetStored()
        var result = AttemptResult.of(exchange)
        exchange.conversation?.complete(&result)
        guard !exchange.hasFailed, !exchange.response.isUnchanged, hasResult else {
            return .finished(EndedAttempt(result))
        }
        let check = ContentCheck(
            exchange.request.expectation,
            head: exchange.head,
            body: exchange.response.bodyCheck?.kept
        )
        let isList = if case .checksums = exchange.request.sink { true } else { false }
        let cached = exchange.policies.caching?.outcome()
        guard check != nil || exchange.response.destination != nil || isList else {
            cached?.end(&result)
            return .finished(EndedAttempt(result))
        }
        return .publish(
            PublicationJob(
                consume result,
                exchange.response.sink.content,
                check: check,
                destination: exchange.response.destination,
                deadline: TaskDeadline(
                    exchange.request.deadline,
                    exchange.session.configuration.resourceLimit
                ),
                announced: exchange.policies.part.announcedDigest
                    ?? exchange.response.announcedDigest(
                        to: exchange.hop.method,
                        isRest: exchange.policies.part.isRest
                    ),
                isChecksumList: isList,
                cached: cached
            )
        )
    }

    /// Whether the attempt has an accepted response, or the result of a stream, which has none.
    private var hasResult: Bool {
        if case .accept = exchange.verdict { return true }
        return exchange.request.stream != nil
    }
}

// The steps of an attempt whose URL is answered without a server: libcurl has no part in it.
extension Attempt {
    /// Begins the only exchange.
    func beginLocal() -> Next {
        perform { () throws(TransferFailure) in
            let local: LocalBody
            do throws(TransferFailure) {
                local = try LocalBody(
                    exchange.hop.url,
                    below: exchange.session.configuration.readableFolders
                )
            } catch {
                exchange.recorder.end(isComplete: false, protocolName: nil)
                throw error
            }
            exchange.response.head = local.head
            exchange.response.servedLength = local.length
            exchange.recorder.didRead(local.head, from: .local, at: exchange.move())
            guard exchange.receive(local.head) else { return try endLocal() }
            return try read(local)
        }
    }

    /// Reads the next piece of the body, and leaves the rest to later turns.
    func read(_ local: LocalBody) throws(TransferFailure) -> Next {
        var local = local
        // The attempt waits for the disk only, so no idle time counts.
        exchange.watch.willBegin(at: .now)
        do throws(TransferFailure) {
            guard try local.readStep({ exchange.receive($0) }), !local.isAtEnd else {
                return try endLocal()
            }
        } catch {
            exchange.fail(error)
            return try endLocal()
        }
        exchange.kind = .local(local)
        return .read
    }

    private func endLocal() throws(TransferFailure) -> Next {
        exchange.kind = .http
        return try endWithoutServer()
    }
}

extension Attempt {
    /// Follows a redirect, or ends with it.
    func follow() throws(TransferFailure) -> Next {
        guard let head = exchange.head else { return finish() }
        let hop = exchange.hop
        let (carriesBody, caching) = (exchange.body.isCarried, exchange.policies.caching)
        caching?.willFollow()
        exchange.policies.redirects.visit(
            RedirectDecision.visit(hop.method, hop.url, exchange.sent.cookies)
        )
        let isAtOwnURL = exchange.policies.upload?.isAtOwnURL == true
        var rule = exchange.request.redirects
        // The requests to an upload's own URL must stay at its origin, so that no other server is
        // asked.
        if isAtOwnURL { (rule.follow, rule.decisions) = (.sameOrigin, []) }
        let decision = RedirectDecision.decide(
            status: head.statusCode,
            locations: head.fields.values(of: "location"),
            target: exchange.request.webSocket != nil
                ? head.fields["location"].flatMap(hop.url.webSocketTarget)
                : hop.url.isCustom
                    ? head.fields["location"]
                    : head.fields.firstValue(of: "location").map {
                        // libcurl 7.88.1 would resolve it in the fragment.
                        EasyHandle.redirectURL(from: hop.url.site + hop.url.requestTarget, to: $0)
                    },
            request: hop,
            hasBody: carriesBody,
            rule: rule,
            visited: exchange.policies.redirects.visited,
            cookies: exchange.cookieField
        )
        switch decision {
        case .refuse(var refusal):
            refusal.httpStatus = head.statusCode
            if isAtOwnURL {
                refusal.detail =
                    "the server redirected the upload to a URL that the redirect rules forbid"
            }
            throw refusal
        case .follow(let next, let keepsBody):
            // A redirect that keeps the body may answer early; here the server would never get the
            // whole body.
            if carriesBody, !keepsBody, !exchange.recorder.isRequestSent {
                throw ExchangeStage.earlyAnswer
            }
            if next.method != hop.method, !hop.isIdempotent {
                exchange.policies.redirects.leaveOrder()
            }
            if carriesBody, !keepsBody { exchange.policies.upload?.leave() }
            exchange.hop = next
            exchange.body.carry(keepsBody)
            exchange.beginHop(by: .redirect)
            return try repeatRequest(.redirect)
        }
    }
}
