internal import CurlKit
internal import SystemKit
internal import TransferModel

// Carries what `Authentication` decides: what goes with each request, and what follows a 401.
extension Attempt {
    /// Decides what the first request of a hop carries.
    func beginAuthentication() {
        guard authentication != nil else { return }
        let start = authentication?.begin(
            hop.url,
            hasBody: carriesBody,
            hasAuthorization: hop.headers.contains { $0.name.lowercased() == "authorization" },
            known: session.knownSpaces
        )
        bodyHold.beginHop(awaitsChallenge: start == .asking)
    }

    /// Signs the next exchange's request, when its credential is one that signs.
    func sign() {
        guard let authentication else { return }
        do throws(TransferFailure) {
            sent.signature = try authentication.signature(
                for: hop,
                carriesBody ? request.body : nil
            ) {
                // Not the run's clock: a server compares the date with its own clock, and machines
                // sleep or are set right.
                Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
            }
        } catch {
            sent.signature = []
            failure = error
        }
    }

    /// Looks at a response with the session's credentials in mind.
    func readChallenge(_ head: ResponseHead) -> Authentication.Answer {
        guard authentication != nil else { return .none }
        guard head.statusCode == 401 else {
            if !bodyHold.lacksBody {
                authentication?.didAccept(at: hop.url, in: &session.knownSpaces)
            }
            return .none
        }
        var answer = authentication?.answer(
            Challenge.all(of: head),
            from: hop.url,
            didSend: recorder.hasSentAuthorization
        )
        if answer == .byLibrary, let authentication, let carried = authentication.carried,
            authentication.carriesDigest, cookieField(for: hop.url) != sent.cookies
        {
            // libcurl would go on with the fields of the request that was challenged.
            answer = .credential(carried)
        }
        if let answer, answer != .none { response.verdict = .challenge(answer) }
        return answer ?? .none
    }

    /// Goes on after a response whose challenge can be answered.
    func answer(_ answer: Authentication.Answer) -> Next {
        guard let head else { return finish() }
        var answer = answer
        if answer == .byLibrary {
            // It did not go on.
            answer =
                authentication?.giveUp(
                    Challenge.all(of: head),
                    from: hop.url,
                    didSend: recorder.hasSentAuthorization
                ) ?? .none
        }
        guard case .credential = answer else {
            refuse(head)
            return finish()
        }
        bodyHold.didAnswerChallenge()
        sent.answersChallenge = true
        recorder.didGetRefusal()
        return exchange(.authentication)
    }

    /// Makes a 401 the result whose body is gone, so that it can be nothing but a failure.
    func refuse(_ head: ResponseHead) {
        _ = judge(head)
        if failure == nil { failure = ResponseVerdict.statusFailure(head) }
    }

    /// libcurl is about to send a request, and sends the running one again when its connection has
    /// ended without an answer, of its own accord.
    ///
    /// A new connection of its own keeps that away from the first request of an exchange only: the
    /// one with the body may follow a challenge, over a connection that is kept.
    /// - Returns: Whether it may: a request that must not arrive twice stays without an answer.
    func mayRepeat() -> Bool {
        guard !response.isCutOff else { return false }
        guard recorder.didSend, !request.resending.allows(hop) else { return true }
        failure = recorder.stage.unansweredRequest
        response.isCutOff = true
        return false
    }

    /// libcurl is about to send another request within the same transfer, because it answers a
    /// challenge of the server or the proxy.
    ///
    /// It would do so for as long as the server asks: its state goes with a connection that is
    /// closed.
    /// - Returns: Whether it may; otherwise the response that is there stays the exchange's,
    ///   without its body.
    func beginLeg(at now: MonotonicTime) -> Bool {
        guard !response.isCutOff else { return false }
        recorder.didPassOver(body: response.discarded.count)
        switch verdict {
        // Without a verdict it is a proxy's question.
        case nil, .challenge(.byLibrary): break
        case .accept:
            failure = head.map(ResponseVerdict.statusFailure)
            fallthrough
        case .redirect, .challenge, .sendUnasked, .stored, .proceed, .refuse:
            response.isCutOff = true
            return false
        }
        recorder.end(
            isComplete: response.hasPassedOverAll(
                of: hop.method,
                received: recorder.receivedBodyBytes,
                over: handle.networkProtocolName
            ),
            protocolName: handle.networkProtocolName
        )
        recorder.didGetRefusal()
        forgetResponse()
        checks = []
        upload?.machine.willRepeat()
        recorder.begin(
            reason: .authentication,
            method: hop.method,
            url: reportedURL,
            at: now
        )
        noteRoute()
        _ = easyBody()
        return true
    }

    /// Whether the running exchange's body waits for what the server, or its proxy, says to the
    /// head.
    var holdsBodyBack: Bool { bodyHold.holdsBodyBack(forProxy: proxy.asksFirst) }

    /// Whether the request leaves once more, without asking, because the server has refused the
    /// expectation.
    func refusesExpectation(_ head: ResponseHead) -> Bool {
        guard head.statusCode == 417 else { return false }
        return bodyHold.sendsUnasked(
            after: BodyHold.Refusal(
                hasSentBody: recorder.sentBodyBytes > 0,
                mayRepeat: request.resending.allows(hop),
                fields: hop.headers,
                expectation: request.expectation,
                wasProxyAsked: proxy.asksFirst
            )
        )
    }

    /// A request that only asks for a challenge goes without its body.
    func noteEmptyRequest() {
        guard recorder.sentContentLength == "0", !recorder.isRequestSent else { return }
        recorder.willSendBody(.none)
        bodyHold.didSendWithoutBody()
    }

    /// Judges the answer to a request that went without its body: whatever the task expects, it is
    /// not the result.
    func judgeEmptyRequest(_ head: ResponseHead) -> Bool {
        let isWanted = judge(head)
        guard !hasFailed else { return isWanted }
        failure = ResponseVerdict.statusFailure(head)
        failure?.help = "it took a request that only asked for a challenge, without the body"
        return false
    }
}
