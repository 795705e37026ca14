internal import CurlKit
internal import SystemKit
internal import TransferModel

// Carries out the decisions of `Authentication`: the credentials of each request, and the step
// after a 401.
extension Attempt {
    /// Decides which credential the first request of a hop carries.
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

    /// Signs the next exchange's request, if its credential signs requests.
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

    /// Judges a response with regard to the session's credentials.
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
            // libcurl would repeat the cookies of the challenged request.
            answer = .credential(carried)
        }
        if let answer, answer != .none { response.verdict = .challenge(answer) }
        return answer ?? .none
    }

    /// Continues after a response whose challenge can be answered.
    func answer(_ answer: Authentication.Answer) -> Next {
        guard let head else { return finish() }
        var answer = answer
        if answer == .byLibrary {
            // libcurl did not continue.
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

    /// Makes a 401 without its body the result, which can only be a failure.
    func refuse(_ head: ResponseHead) {
        _ = judge(head)
        if failure == nil { failure = ResponseVerdict.statusFailure(head) }
    }

    /// Decides whether libcurl may send a request, which repeats the running one when its
    /// connection ended without a response.
    ///
    /// A new connection prevents that only for the first request of an exchange: the request with
    /// the body may follow a challenge, over a kept connection.
    ///
    /// - Returns: Whether libcurl may: a request that must not arrive twice stays unanswered.
    func mayRepeat() -> Bool {
        guard !response.isCutOff else { return false }
        guard recorder.didSend, !request.resending.allows(hop) else { return true }
        failure = recorder.stage.unansweredRequest
        response.isCutOff = true
        return false
    }

    /// Decides whether libcurl may send another request within the same transfer, which answers a
    /// challenge of the server or the proxy.
    ///
    /// Without a limit it would continue for as long as the server challenges: its state is lost
    /// with each closed connection.
    ///
    /// - Returns: Whether libcurl may; otherwise the received response stays the exchange's,
    ///   without its body.
    func beginLeg(at now: MonotonicTime) -> Bool {
        guard !response.isCutOff else { return false }
        recorder.didPassOver(body: response.discarded.count)
        switch verdict {
        // Without a verdict the challenge is a proxy's.
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

    /// Whether the running exchange's body waits until the server or its proxy has answered the
    /// head.
    var holdsBodyBack: Bool { bodyHold.holdsBodyBack(forProxy: proxy.asksFirst) }

    /// Whether to send the request again without `Expect`, because the server refused the
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

    /// Notes that a request that only asks for a challenge was sent without its body.
    func noteEmptyRequest() {
        guard recorder.sentContentLength == "0", !recorder.isRequestSent else { return }
        recorder.willSendBody(.none)
        bodyHold.didSendWithoutBody()
    }

    /// Judges the response to a request without its body: it is never the result, whatever the task
    /// expects.
    func judgeEmptyRequest(_ head: ResponseHead) -> Bool {
        let isWanted = judge(head)
        guard !hasFailed else { return isWanted }
        failure = ResponseVerdict.statusFailure(head)
        failure?.help = "it took a request that only asked for a challenge, without the body"
        return false
    }
}
