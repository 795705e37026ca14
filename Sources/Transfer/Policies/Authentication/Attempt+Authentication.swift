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

    /// The request of the current hop as it is sent, with the fields of an upload or those that
    /// sign it: never both.
    var sentHop: RequestSpec {
        if let upload {
            return RequestSpec(
                method: hop.method,
                url: hop.url,
                headers: hop.headers + upload.machine.fields
            )
        }
        if sent.signature.isEmpty, caching?.addedFields.isEmpty ?? true { return hop }
        return RequestSpec(
            method: hop.method,
            url: sent.signature.isEmpty ? hop.url : hop.url.normalized,
            headers: hop.headers + sent.signature + (caching?.addedFields ?? [])
        )
    }

    /// Makes the signature of the next exchange's request, when its credential is one that signs.
    func sign() {
        guard let authentication else { return }
        sent.signature = []
        guard let carried = authentication.carried,
            case .awsSigV4(let keys) = session.configuration.credentials[carried].proof
        else { return }
        let payload: AWSSignature.Payload
        switch carriesBody ? request.body : nil {
        case nil: payload = .bytes([])
        case .bytes(let bytes), .compressed(let bytes, _): payload = .bytes(bytes)
        case .file, .multipart, .command, .pipe:
            guard keys.service == "s3" else {
                return failToSign("`awsSigV4` signs a body that is not in memory for s3 only")
            }
            payload = .unsigned
        }
        // Not the run's clock: a server compares it with its own, and machines sleep or are set
        // right.
        let date = Timestamp(microseconds: Clock.wallNanoseconds() / 1000)
        let signer = AWSSignature(credential: keys)
        let request = RequestSpec(
            method: hop.method,
            url: hop.url.normalized,
            headers: hop.headers
        )
        guard let fields = signer.fields(for: request, payload, at: date) else {
            return failToSign("libcrypto is not there, which signs requests")
        }
        sent.signature = fields
    }

    private func failToSign(_ detail: String) {
        failure = TransferFailure(kind: .localIO, phase: .prepare, detail: detail)
        failure?.isPermanent = true
    }

    /// What the credential that is carried is to libcurl; nil without credentials.
    func easyAuthentication() -> EasyAuthentication? {
        guard let authentication else { return nil }
        guard let carried = authentication.carried else { return .awaited }
        return switch session.configuration.credentials[carried].proof {
        case .basic(let login):
            login.password.withText { .basic(user: login.user, password: $0) }
        case .digest(let login):
            login.password.withText { .digest(user: login.user, password: $0) }
        case .ntlm(let login):
            login.password.withText { .ntlm(user: login.user, password: $0) }
        case .negotiate: .negotiate
        case .bearer(let token): token.withText { .bearer(token: $0) }
        case .awsSigV4, .clientCertificate, .netrc: nil
        }
    }

    /// Looks at a response with the session's credentials in mind.
    func readChallenge(_ head: ResponseHead) -> Authentication.Answer {
        guard authentication != nil else { return .none }
        guard head.statusCode == 401 else {
            if !bodyHold.lacksBody { noteAccepted() }
            return .none
        }
        var answer = authentication?.answer(
            Self.challenges(of: head),
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
                    Self.challenges(of: head),
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

    /// Says of a 401 that stays what the session could not do about it; trying again would do no
    /// more.
    func explainRefusal() {
        guard let authentication, failure?.httpStatus == 401 else { return }
        let refused = authentication.refused.map {
            session.configuration.credentials[$0].methodName
        }
        if !refused.isEmpty {
            failure?.isPermanent = true
            failure?.help =
                "the server has refused the session's credential "
                + "(\(refused.joined(separator: ", ")))"
        } else if authentication.isUnable {
            failure?.help =
                "the session's credential could not be used: is there a ticket for negotiate (`klist`)?"
        } else if let head {
            let schemes = Set(Self.challenges(of: head).map(\.scheme))
                .intersection(Credential.methodNames)
            guard !schemes.isEmpty else { return }
            failure?.help =
                "the server asks for \(schemes.sorted().joined(separator: " or ")), "
                + "and no credential of the session fits"
        }
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
            isComplete: hasPassedOverAll,
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

    /// Whether the body of the response that libcurl goes on behind has come as a whole; it does
    /// not wait for that of a connection that ends with it.
    private var hasPassedOverAll: Bool {
        guard hop.method != "HEAD" else { return true }
        if let length = response.parser.framing.contentLength {
            return recorder.receivedBodyBytes >= length
        }
        return handle.networkProtocolName == "h2"
            || response.parser.framing.isChunked && !endsConnection
    }

    /// Whether the response says that its connection ends with it (RFC 9112 §9.6).
    private var endsConnection: Bool {
        head?.fields.values(of: "connection").contains { $0.lowercased().contains("close") }
            == true
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

    /// The server did not refuse what was carried: other requests can carry it at once.
    private func noteAccepted() {
        guard let authentication, let carried = authentication.carried else { return }
        let credential = session.configuration.credentials[carried]
        switch credential.proof {
        case .basic, .digest, .ntlm, .negotiate:
            session.knownSpaces.note(
                carried,
                at: hop.url,
                hasRealm: credential.space.realm != nil
            )
        case .bearer, .awsSigV4, .clientCertificate, .netrc: break
        }
    }

    private static func challenges(of head: ResponseHead) -> [Challenge] {
        Challenge.all(in: head.fields, named: "www-authenticate")
    }
}

extension Credential {
    fileprivate static let methodNames: Set<String> = [
        "basic", "digest", "negotiate", "ntlm", "bearer",
    ]

    /// As the job file has it.
    fileprivate var methodName: String {
        switch proof {
        case .basic: "basic"
        case .digest: "digest"
        case .ntlm: "ntlm"
        case .negotiate: "negotiate"
        case .bearer: "bearer"
        case .awsSigV4: "awsSigV4"
        case .clientCertificate: "clientCertificate"
        case .netrc: "netrc"
        }
    }
}
