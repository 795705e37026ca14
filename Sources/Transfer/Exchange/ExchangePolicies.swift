internal import CurlKit
internal import TransferModel

/// The policies of an attempt; those that it does not use are nil.
///
/// An exchange asks them before the request (`Exchange+Request`), while libcurl connects
/// (`OfferedConnection`) and asks once more by itself (`NextLeg`), at the head of the
/// response (`ResponseJudge`), for its body (`Exchange+Body`) and at the end (`EndJudge`, then
/// `AttemptMachine`). Only a policy writes its own state; a policy reads no other one. A call that
/// changes a policy has access to the whole list, so its arguments and closures must not read the
/// list.
struct ExchangePolicies {
    /// The reason for a hop.
    enum HopCause {
        case start
        case redirect
        /// Another leg of an upload.
        case leg
    }

    /// Over which connection, and in which version of HTTP, the hop's request leaves.
    var connection: ConnectionPolicy
    /// Decides on the way by a proxy.
    var proxy = ProxyPolicy()
    /// Decides on the exchange's way; nil where every interface will do.
    var path: PathPolicy?
    /// Whether the body waits for an answer to the head.
    var bodyHold = BodyHold()
    /// nil when the session has no credentials.
    var authentication: Authentication?
    /// Resumes and keeps parts of the file.
    var part: PartPolicy
    /// nil when the body would be sent anew after a cut.
    private(set) var upload: ActiveUpload?
    /// nil when the session or the task has no cache.
    let caching: CachedExchange?
    /// The redirects that led to the hop.
    var redirects = RedirectTrail()
    /// The part in the session's bandwidth; nil without a limit.
    let pace: ExchangePace?
}

extension ExchangePolicies {
    init(
        for request: borrowing AttemptRequest,
        of session: SessionTransport,
        keeper: PartialKeeper,
        pace: ExchangePace?,
        at now: MonotonicTime
    ) {
        var connection = ConnectionPolicy(resolvesAnew: request.resolvesAnew)
        // A stream has no version of HTTP that the server could choose.
        if request.webSocket != nil || request.stream != nil { connection.keepToHTTP1() }
        let credentials = session.configuration.credentials
        // Only the memberwise initializer makes so large a value without a copy.
        self.init(
            connection: connection,
            authentication: credentials.isEmpty || request.stream != nil
                || request.request.url.isOfFileServer
                ? nil : Authentication(credentials, sendsItself: request.webSocket != nil),
            part: PartPolicy(keeper, session, startTime: now),
            caching: CachedExchange.make(for: request, of: session),
            pace: pace
        )
    }

    /// Sends the body by a resumable upload from now on; nil sends it like any other.
    mutating func use(_ upload: ActiveUpload?) { self.upload = upload }

    // MARK: - Before the request

    /// Before the first request of a hop: which credential it carries, and whether its body waits.
    mutating func beginHop(
        _ hop: RequestSpec,
        by cause: HopCause,
        carriesBody: Bool,
        known: AcceptedCredentials
    ) {
        switch cause {
        case .start: break
        case .redirect:
            connection.beginHop()
            caching?.beginHop()
        case .leg:
            redirects.beginLeg()
            connection.beginLeg()
            bodyHold.beginBody()
        }
        guard authentication != nil, !hop.url.isCustom else { return }
        let start = authentication?.begin(
            hop.url,
            hasBody: carriesBody,
            hasAuthorization: hop.headers.contains { $0.isNamed("authorization") },
            known: known
        )
        bodyHold.beginHop(awaitsChallenge: start == .asking)
    }

    /// Before the request is handed to libcurl: which interfaces it may leave by.
    ///
    /// - Returns: Why it may leave by none; nil when it may.
    mutating func beginPath(to peer: Origin, of session: SessionTransport) -> PathFault? {
        path = session.paths.map {
            PathPolicy(
                to: peer,
                under: session.access,
                waitsForConnectivity: session.configuration.waitsForConnectivity,
                $0
            )
        }
        // libcurl may ask a Kerberos service for a ticket.
        let asksForTicket = authentication?.easy == .negotiate || proxy.asksForTicket
        return path?.faultAtBeginning(asksForTicket: asksForTicket)
    }

    /// Before each further request of the attempt.
    mutating func willRepeat() {
        connection.beginExchange()
        upload?.willRepeat()
    }

    // MARK: - At the end

    /// Prepares for the same request once more; returns the reason for the report.
    mutating func prepare(
        _ repetition: AttemptMachine.Repetition,
        _ hop: inout RequestSpec
    ) -> TransactionMetrics.Reason {
        switch repetition {
        case .givenUp:
            // Before other requests that will share the connection.
            connection.resend()
            return .transparentRetry
        case .unvouched:
            connection.keepToHTTP1()
            return .unvouchedBody
        case .wholeFile:
            part.giveUp(&hop)
            return .restart
        case .rest:
            part.askAgain(&hop)
            return .resume
        case .unasked:
            bodyHold.didRefuse()
            hop.headers.removeAll { $0.isNamed("expect") }
            return .transparentRetry
        }
    }
}
