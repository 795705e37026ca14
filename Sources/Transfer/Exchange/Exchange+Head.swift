internal import CurlKit
internal import HTTPCache
internal import SystemKit
internal import TransferModel

// Judges the head of the response: proxy, cookies, expectation, challenge, resumption, upload and
// cache, then the task's expectations.
extension Exchange {
    /// Takes the whole head of a final response; false ends the transfer.
    func didReceive(_ head: ResponseHead) throws(TransferFailure) -> Bool {
        response.head = head
        recorder.didReceive(reported(head))
        if policies.proxy.isQuestion(head) {
            try didReceiveQuestion(head)
            return true
        }
        if response.parser.maySetCookies {
            session.cookies?.keep(head, from: hop.url, first: request.request.url)
        }
        if context.invalidation != nil {
            session.invalidate(after: head, of: hop, at: context.wallTime)
        }
        if head.statusCode == 401 { handle.noteChallenge() }
        if head.statusCode == 417, policies.bodyHold.sendsUnasked(after: refusedExpectation) {
            response.verdict = .sendUnasked
            passOver()
            return true
        }
        let lacksBody = policies.bodyHold.lacksBody
        let answer = policies.authentication?.judge(
            head,
            from: hop.url,
            lacksBody: lacksBody,
            didSend: recorder.hasSentAuthorization,
            hasNewCookies: cookieField(for: hop.url) != sent.cookies,
            in: &session.knownSpaces
        )
        if let answer, answer != .none { response.verdict = .challenge(answer) }
        switch answer {
        case .none?, nil:
            return lacksBody ? try judgeEmptyRequest(head) : try judge(head)
        case .stop: throw try refusal(head)
        case .byLibrary, .credential:
            passOver()
            return true
        }
    }

    /// The facts about the running request, whose expectation the server has refused.
    private var refusedExpectation: BodyHold.Refusal {
        BodyHold.Refusal(
            hasSentBody: recorder.sentBodyBytes > 0,
            mayRepeat: request.resending.allows(hop),
            fields: hop.headers,
            expectation: request.expectation,
            wasProxyAsked: policies.proxy.asksFirst
        )
    }

    /// Passes over the rest of a response that the same request follows.
    private func passOver() {
        response.sink.discard()
        handle.hearDiscardedBody()
        if body.isWaiting { try? handle.resume() }
    }

    /// Takes the head of a stored response; false when its body is not wanted.
    func receive(_ head: ResponseHead) -> Bool {
        do throws(TransferFailure) {
            return try judge(head)
        } catch {
            fail(error)
            return false
        }
    }

    /// Judges the response; false when its body is not wanted.
    private func judge(_ head: ResponseHead) throws(TransferFailure) -> Bool {
        if let segment = policies.part.segment, segment.isForPart { return segment.judge(head) }
        guard policies.part.resumption == nil || judgeRest(head) else { return false }
        if policies.upload != nil, judgeUpload(head) { return true }
        if policies.caching != nil, isAnsweredByStored(head) { return true }
        var checks: [TaskRecord.Check] = []
        let verdict = ResponseVerdict.judge(
            head,
            of: hop,
            expectation: request.expectation,
            redirects: request.redirects,
            isRest: policies.part.isRest,
            hasParts: request.mixedReplace != nil && PartSplitter.applies(to: head),
            checks: &checks
        )
        outcome.add(checks)
        response.verdict = verdict
        // libcurl stops sending now, but does not see that a paused request has nothing left to do.
        // When libcurl cannot be resumed, the idle time ends the attempt.
        if head.statusCode >= 300, body.isWaiting { try? handle.resume() }
        switch verdict {
        case .redirect, .challenge, .sendUnasked, .stored, .proceed:
            response.sink.discard()
            return true
        case .refuse(let failure):
            fail(failure)
            response.sink.keepExcerpt()
            return true
        case .accept: return try accept(head)
        }
    }

    /// Prepares for the body of an accepted response; false when the body is not wanted.
    private func accept(_ head: ResponseHead) throws(TransferFailure) -> Bool {
        // No body follows, but messages, which become lines of the file.
        if request.webSocket != nil { return try openSink(head) }
        if let findings = response.decode(head, for: request, hop.method) {
            note(findings)
            return false
        }
        guard vouches(for: head) else { return false }
        response.parts = try PartIntake(head, request.mixedReplace)
        // Each part is checked when it begins.
        if response.parts?.rule.keep == .last { return try openSink(head) }
        if let findings = response.check(head, for: request, hop.method, start: policies.part.start)
        {
            note(findings)
            return false
        }
        return try openSink(head)
    }

    /// Whether the accepted body may be read; otherwise the exchange ends with its head, and the
    /// request is sent again over HTTP/1.1.
    private func vouches(for head: ResponseHead) -> Bool {
        let trust = session.streamTrust
        // Programs and file servers say themselves that the response is whole.
        if trust.detectsCuts || hop.url.isCustom || file != nil { return true }
        let protocolName = handle.networkProtocolName
        if StreamTrust.isFramed(protocolName) { return true }
        let evidence = StreamTrust.Evidence(
            of: head,
            in: response,
            to: request,
            method: hop.method,
            isRest: policies.part.isRest
        )
        if trust.accepts(evidence, over: protocolName) { return true }
        response.isUnvouched = true
        response.isCutOff = true
        return false
    }

    /// Prepares the sink; false ends the transfer, because of a kept file whose body needs no
    /// check or a part that has another path.
    private func openSink(_ head: ResponseHead) throws(TransferFailure) -> Bool {
        guard case .file(let wanted) = request.sink else {
            // The engine's threads do not handle examinations.
            if case .checksums = request.sink { response.sink.keep() }
            return true
        }
        let choice = try DestinationChoice.file(
            wanted,
            for: head,
            from: hop.url,
            request,
            context.claims,
            mayName: context.mayName
        )
        guard let file = choice else {
            response.isUnchanged = true
            return false
        }
        if file.ifExists == .revalidate, !request.decodesBody,
            policies.caching?.isKept(file) == true
        {
            response.keepsFile = true
            // The body is read only for its checks.
            return response.bodyCheck?.looksAtBytes == true
        }
        response.destination = file
        do throws(SystemError) {
            if !policies.part.isRest { policies.part.giveUp(&hop) }
            guard try policies.part.open(file, from: hop.url, for: request, &response) else {
                return false
            }
            if file.segments != nil {
                policies.part.join(try SegmentRole.begin(for: self, file))
            }
            return true
        } catch {
            throw TransferFailure(error, phase: .receive)
        }
    }

    /// Judges the response to a request for the rest; false ends the exchange, and a request for
    /// the whole file follows.
    private func judgeRest(_ head: ResponseHead) -> Bool {
        let isUsable = policies.part.resumption?.judge(
            head,
            contentLength: response.contentLength,
            from: hop.url,
            needsMIMEType: !request.expectation.mimeTypes.isEmpty
        )
        response.isCutOff = isUsable == false
        return !response.isCutOff
    }

    /// Does the work on the part that is due at a time, even if no bytes arrive.
    func lookAtPart(at now: MonotonicTime) {
        if response.partTime != nil {
            policies.part.look(at: now, after: failure, from: hop.url, for: request, &response)
        }
        keepPart(at: now)
    }

    /// Keeps the received bytes for later runs when that is due.
    func keepPart(at now: MonotonicTime) {
        if let step = policies.part.step(at: now) { policies.part.perform(step, for: request) }
    }

    /// Makes a response whose body is gone the result, which can only be a failure.
    ///
    /// - Returns: The failure.
    func refusal(_ head: ResponseHead) throws(TransferFailure) -> TransferFailure {
        _ = try judge(head)
        return failure ?? ResponseVerdict.statusFailure(head)
    }

    /// Judges the response to a request without its body: it is never the result, whatever the task
    /// expects.
    private func judgeEmptyRequest(_ head: ResponseHead) throws(TransferFailure) -> Bool {
        let isWanted = try judge(head)
        guard !hasFailed else { return isWanted }
        throw ResponseVerdict.emptyRequestFailure(head)
    }

    /// Judges a response for the upload; false when the response is judged like any other.
    private func judgeUpload(_ head: ResponseHead) -> Bool {
        guard let upload = policies.upload else { return false }
        noteSent()
        let judgement = upload.judge(
            head,
            from: hop.url,
            isSent: recorder.isRequestSent,
            mayFollow: request.redirects.leadsOn(head, from: hop.url)
        )
        if judgement == .usual(answersOrder: true) || upload.step == .answerLost {
            session.invalidate(after: head, of: upload.start.request, at: context.wallTime)
        }
        guard let verdict = judgement.verdict else { return false }
        response.verdict = verdict
        response.sink.discard()
        return true
    }

    /// Whether a stored response replaces the response with this head.
    private func isAnsweredByStored(_ head: ResponseHead) -> Bool {
        guard let caching = policies.caching,
            caching.isAnsweredByStored(
                head,
                contentLength: response.contentLength,
                isFramed: response.isFramed,
                isWhole: policies.part.resumption == nil,
                at: context.wallTime
            )
        else { return false }
        response.verdict = .stored
        passOver()
        return true
    }
}
