internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

/// Judges the final head of a response: proxy, cookies, expectation, challenge, resumption, upload
/// and cache, then the task's expectations.
///
/// The exchange has the state: each question may change its policies and its response.
struct ResponseJudge {
    let exchange: Exchange
    let head: ResponseHead

    init(_ head: ResponseHead, of exchange: Exchange) {
        self.exchange = exchange
        self.head = head
    }

    /// Judges a response from the network; false ends the transfer.
    func judgeArrived() throws(TransferFailure) -> Bool {
        exchange.response.head = head
        exchange.recorder.didReceive(exchange.reported(head))
        if exchange.policies.proxy.isQuestion(head) {
            try judgeQuestion()
            return true
        }
        let session = exchange.session
        if exchange.response.parser.maySetCookies {
            session.cookies?.keep(head, from: exchange.hop.url, first: exchange.request.request.url)
        }
        if exchange.context.invalidation != nil {
            session.invalidate(after: head, of: exchange.hop, at: exchange.context.wallTime)
        }
        if head.statusCode == 401 { exchange.handle.noteChallenge() }
        if head.statusCode == 417,
            exchange.policies.bodyHold.sendsUnasked(after: refusedExpectation)
        {
            exchange.response.verdict = .sendUnasked
            passOver()
            return true
        }
        let lacksBody = exchange.policies.bodyHold.lacksBody
        let answer = exchange.policies.authentication?.judge(
            head,
            from: exchange.hop.url,
            lacksBody: lacksBody,
            didSend: exchange.recorder.hasSentAuthorization,
            hasNewCookies: exchange.cookieField(for: exchange.hop.url) != exchange.sent.cookies,
            in: &session.acceptedCredentials
        )
        if let answer, answer != .none { exchange.response.verdict = .challenge(answer) }
        switch answer {
        case .none?, nil: return lacksBody ? try judgeEmptyRequest() : try judge()
        case .stop: throw try refusal()
        case .byLibrary, .credential:
            passOver()
            return true
        }
    }

    /// The facts about the running request, whose expectation the server has refused.
    private var refusedExpectation: BodyHold.Refusal {
        BodyHold.Refusal(
            hasSentBody: exchange.recorder.sentBodyBytes > 0,
            mayRepeat: exchange.request.resending.allows(exchange.hop),
            fields: exchange.hop.headers,
            expectation: exchange.request.expectation,
            wasProxyAsked: exchange.policies.proxy.asksFirst
        )
    }

    /// Passes over the rest of a response that the same request follows.
    private func passOver() {
        exchange.response.sink.discard()
        exchange.handle.hearDiscardedBody()
        if exchange.body.isWaiting { try? exchange.handle.resume() }
    }

    // MARK: - Proxies

    /// Takes a proxy's challenge instead of the origin's response.
    private func judgeQuestion() throws(TransferFailure) {
        defer {
            if exchange.policies.proxy.hasSequel {
                exchange.response.sink.discard()
            } else {
                exchange.response.sink.keepExcerpt()
            }
        }
        try judgeChallengeOfProxy()
    }

    /// Takes a proxy's challenge, which may be its answer to a request for a tunnel.
    func judgeChallengeOfProxy() throws(TransferFailure) {
        exchange.handle.hearDiscardedBody()
        let step = exchange.policies.proxy.didAsk(head)
        if step.forgetsChallenge { exchange.handle.noteChallenge() }
        if step.isLast {
            throw exchange.policies.proxy.refusal(at: exchange.recorder.stage)
        }
    }

    // MARK: - The task's response

    /// Judges the response; false when its body is not wanted.
    func judge() throws(TransferFailure) -> Bool {
        if let segment = exchange.policies.part.segment, segment.isForPart {
            return segment.judge(head)
        }
        guard exchange.policies.part.resumption == nil || judgeRest() else { return false }
        if exchange.policies.upload != nil, judgeUpload() { return true }
        if exchange.policies.caching != nil, isAnsweredByStored { return true }
        var checks: [TaskRecord.Check] = []
        let verdict = ResponseVerdict.judge(
            head,
            of: exchange.hop,
            expectation: exchange.request.expectation,
            redirects: exchange.request.redirects,
            isRest: exchange.policies.part.isRest,
            hasParts: exchange.request.mixedReplace != nil && PartSplitter.applies(to: head),
            checks: &checks
        )
        exchange.outcome.add(checks)
        exchange.response.verdict = verdict
        // libcurl stops sending now, but does not see that a paused request has nothing left to do.
        // When libcurl cannot be resumed, the idle time ends the attempt.
        if head.statusCode >= 300, exchange.body.isWaiting { try? exchange.handle.resume() }
        switch verdict {
        case .redirect, .challenge, .sendUnasked, .stored, .proceed:
            exchange.response.sink.discard()
            return true
        case .refuse(let failure):
            exchange.fail(failure)
            exchange.response.sink.keepExcerpt()
            return true
        case .accept: return try accept()
        }
    }

    /// Makes a response whose body is gone the result, which can only be a failure.
    ///
    /// - Returns: The failure.
    func refusal() throws(TransferFailure) -> TransferFailure {
        _ = try judge()
        return exchange.failure ?? ResponseVerdict.statusFailure(head)
    }

    /// Judges the response to a request without its body: it is never the result, whatever the task
    /// expects.
    private func judgeEmptyRequest() throws(TransferFailure) -> Bool {
        let isWanted = try judge()
        guard !exchange.hasFailed else { return isWanted }
        throw ResponseVerdict.emptyRequestFailure(head)
    }

    /// Judges the response to a request for the rest; false ends the exchange, and a request for
    /// the whole file follows.
    private func judgeRest() -> Bool {
        let isUsable = exchange.policies.part.resumption?.judge(
            head,
            contentLength: exchange.response.contentLength,
            from: exchange.hop.url,
            needsMIMEType: !exchange.request.expectation.mimeTypes.isEmpty
        )
        exchange.response.isCutOff = isUsable == false
        return !exchange.response.isCutOff
    }

    /// Judges a response for the upload; false when the response is judged like any other.
    private func judgeUpload() -> Bool {
        guard let upload = exchange.policies.upload else { return false }
        exchange.noteSent()
        let judgement = upload.judge(
            head,
            from: exchange.hop.url,
            isSent: exchange.recorder.isRequestSent,
            mayFollow: exchange.request.redirects.leadsOn(head, from: exchange.hop.url)
        )
        if judgement == .usual(answersOrder: true) || upload.step == .answerLost {
            exchange.session.invalidate(
                after: head,
                of: upload.start.request,
                at: exchange.context.wallTime
            )
        }
        guard let verdict = judgement.verdict else { return false }
        exchange.response.verdict = verdict
        exchange.response.sink.discard()
        return true
    }

    /// Whether a stored response replaces the response with this head.
    private var isAnsweredByStored: Bool {
        guard let caching = exchange.policies.caching,
            caching.isAnsweredByStored(
                head,
                contentLength: exchange.response.contentLength,
                isFramed: exchange.response.isFramed,
                isWhole: exchange.policies.part.resumption == nil,
                at: exchange.context.wallTime
            )
        else { return false }
        exchange.response.verdict = .stored
        passOver()
        return true
    }

    // MARK: - The accepted response

    /// Prepares for the body of an accepted response; false when the body is not wanted.
    private func accept() throws(TransferFailure) -> Bool {
        // No body follows, but messages, which become lines of the file.
        if exchange.request.webSocket != nil { return try openSink() }
        let method = exchange.hop.method
        if let findings = exchange.response.decode(head, for: exchange.request, method) {
            exchange.note(findings)
            return false
        }
        if let findings = differenceFromLock {
            exchange.note(findings)
            return false
        }
        guard isVouchedFor else { return false }
        // An object that is not made costs its memory, too.
        if exchange.request.mixedReplace != nil {
            exchange.response.parts = try PartIntake(head, for: exchange.request, method)
        }
        // Each part is checked when it begins.
        if exchange.response.parts?.rule.keep == .last { return try openSink() }
        let start = exchange.policies.part.start
        if let findings = exchange.response.check(
            head,
            for: exchange.request,
            method,
            start: start
        ) {
            exchange.note(findings)
            return false
        }
        return try openSink()
    }

    /// The difference between the response and the lock file; nil for none, and without one.
    private var differenceFromLock: Findings? {
        guard case .file(let file) = exchange.request.sink, case .obeying(let locked) = file.lock
        else { return nil }
        return locked.findings(
            of: head,
            from: exchange.hop.url,
            length: exchange.policies.part.isRest ? nil : exchange.response.expectedCount
        )
    }

    /// Whether the accepted body may be read; otherwise the exchange ends with its head, and the
    /// request is sent again over HTTP/1.1.
    private var isVouchedFor: Bool {
        let trust = exchange.session.streamTrust
        // Programs and file servers say themselves that the response is whole.
        if trust.detectsCuts || exchange.hop.url.isCustom || exchange.file != nil { return true }
        let protocolName = exchange.handle.networkProtocolName
        if StreamTrust.isFramed(protocolName) { return true }
        let evidence = StreamTrust.Evidence(
            of: head,
            in: exchange.response,
            to: exchange.request,
            method: exchange.hop.method,
            isRest: exchange.policies.part.isRest
        )
        if trust.accepts(evidence, over: protocolName) { return true }
        exchange.response.isUnvouched = true
        exchange.response.isCutOff = true
        return false
    }

    /// Prepares the sink; false ends the transfer, because of a kept file whose body needs no
    /// check, a part that has another path or a task that only asks.
    private func openSink() throws(TransferFailure) -> Bool {
        guard case .file(let wanted) = exchange.request.sink else {
            // The engine's threads do not handle examinations.
            if case .checksums = exchange.request.sink { exchange.response.sink.keep() }
            return true
        }
        let choice = try DestinationChoice.file(
            wanted,
            for: head,
            from: exchange.hop.url,
            exchange.request,
            exchange.context.files.claims,
            exchange.context.files.written,
            mayName: exchange.context.files.mayName
        )
        guard let file = choice else {
            exchange.response.isUnchanged = true
            return false
        }
        // The program must see the bytes of a file with a signature, so it is published again.
        if file.ifExists == .revalidate, file.signature == nil, !exchange.request.decodesBody,
            exchange.policies.caching?.isKept(file) == true
        {
            exchange.response.keepsFile = true
            // The body is read only for its checks.
            return exchange.response.bodyCheck?.looksAtBytes == true
        }
        if file.isAsked {
            exchange.response.isUnchanged = true
            exchange.response.isAsked = true
            return false
        }
        exchange.response.destination = file
        do throws(SystemError) {
            if !exchange.policies.part.isRest { exchange.policies.part.giveUp(&exchange.hop) }
            guard
                try exchange.policies.part.open(
                    file,
                    from: exchange.hop.url,
                    for: exchange.request,
                    &exchange.response
                )
            else { return false }
            if file.segments != nil {
                exchange.policies.part.join(try SegmentRole.begin(for: exchange, file))
            }
            return true
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
    }
}
