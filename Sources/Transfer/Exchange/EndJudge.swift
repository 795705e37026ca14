internal import CurlKit
internal import NetworkPath
internal import SystemKit
internal import TransferModel

/// Judges the code with which libcurl has ended an exchange: whether the response counts as whole,
/// whether the request leaves once more, and the failure otherwise.
///
/// The exchange has the state; only the questions about another try change a policy.
struct EndJudge {
    let exchange: Exchange
    let code: CurlCode

    init(_ code: CurlCode, of exchange: Exchange) {
        self.exchange = exchange
        self.code = code
    }

    // MARK: - The connection

    /// The ALPN name of the connection's version of HTTP.
    var protocolName: String? {
        // libcurl does not see the exchange over a raw connection.
        exchange.request.webSocket == nil ? exchange.handle.networkProtocolName : "http/1.1"
    }

    private var isHTTP1: Bool { protocolName?.hasBytePrefix("http/1") == true }

    /// Whether the TLS connection of a body without length or chunks ended unannounced: since
    /// version 8, libcurl calls that an error.
    var isUnannounced: Bool {
        // A stream of HTTP/2 has an end of its own: without it the body is cut.
        guard exchange.head != nil, !exchange.response.isFramed, isHTTP1 else { return false }
        return ExchangeEnd(code: code, phase: .receive, detail: exchange.handle.errorDetail)
            .lacksCloseNotify
    }

    /// Whether the server has not closed the TLS connection of the accepted body in order, and
    /// nothing else says that the body is whole (RFC 9112 §9.8).
    private var isPerhapsCut: Bool {
        let isRest = exchange.policies.part.isRest
        return exchange.handle.lacksCloseNotify
            && exchange.response.lacksProof(to: exchange.hop.method, isRest: isRest)
            && exchange.session.configuration.tls.closeNotify == .required
            && (exchange.file != nil || exchange.hop.url.origin.scheme == .https && isHTTP1)
    }

    /// Whether an origin that chose no version of HTTP has answered by HTTP/1.
    var showsHTTP1: Bool { exchange.policies.connection.hasUnchosenVersion && isHTTP1 }

    /// The `errno` that made libcurl end the exchange; nil when it was none.
    var osErrno: Int? {
        exchange.policies.connection.osErrno(
            behind: code,
            last: exchange.handle.lastOSErrno,
            hasBegunRequest: exchange.recorder.hasBegunRequest
        )
    }

    // MARK: - Another try

    /// Whether to send the request again because libcurl gave it up, although nothing is wrong with
    /// it.
    func mayResend() -> Bool {
        guard !exchange.hasFailed, exchange.head == nil else { return false }
        let demand = ConnectionPolicy.Demand(of: exchange)
        let detail = code.isOK ? nil : exchange.handle.errorDetail
        if exchange.policies.connection.lacksVersion(demand, after: code, detail: detail) {
            return true
        }
        // The server may have seen the request, so it must be a request that may arrive twice.
        return !exchange.body.isStream && exchange.request.resending.allows(exchange.hop)
            && exchange.policies.connection.mayResend(
                after: code,
                detail: detail,
                detectsCuts: exchange.session.streamTrust.detectsCuts
            )
    }

    /// Whether to try the next way that the session's script names, because this one leads nowhere.
    ///
    /// A proxy that answers, even with a refusal, has been reached.
    func mayGoAnotherWay() -> Bool {
        guard let scripted = exchange.session.scripted, !exchange.hasFailed,
            exchange.head == nil, !exchange.recorder.didSend, exchange.policies.proxy.tunnel == nil,
            // Not resolved, not connected, too late, no TLS, no SOCKS.
            [5, 6, 7, 28, 35, 97].contains(code.rawValue)
        else { return false }
        let route = exchange.policies.proxy.route
        return scripted.avoid(route, to: exchange.hop.url.origin, at: .now)
    }

    // MARK: - Failures

    /// The failure of an exchange after which the machine takes its next step; nil for none.
    func fault(before machine: AttemptMachine) -> TransferFailure? {
        let isExpected = machine.repetition == nil && !machine.isAsked
        if machine.isComplete { return faultOfResponse(isExpected: isExpected) }
        let isFault =
            !exchange.response.isUnchanged && !machine.isGivenUp && !machine.isAsked
            && !machine.isGivingUp
        return isFault ? failure : nil
    }

    /// The failure of an exchange with a whole response, or one whose end counts as such; nil for
    /// none.
    private func faultOfResponse(isExpected: Bool) -> TransferFailure? {
        if exchange.head != nil, exchange.verdict == nil, isExpected {
            return exchange.policies.proxy.refusal(at: exchange.recorder.stage)
        }
        return code.isOK ? faultOfBody : missingCloseNotify
    }

    /// The failure of a body that arrived to an end: its length is not the announced one, or
    /// nothing vouches for its end; nil for none.
    var faultOfBody: TransferFailure? {
        let miscount = exchange.response.miscount(
            of: exchange.hop.method,
            received: exchange.response.decoding?.codedBytes ?? exchange.recorder.deliveredBytes
        )
        return miscount ?? missingCloseNotify
    }

    /// The failure of a body whose end nothing vouches for; nil for another body.
    private var missingCloseNotify: TransferFailure? {
        !exchange.response.isCutOff && isPerhapsCut ? ExchangeStage.missingCloseNotify : nil
    }

    /// The failure of an exchange without a whole response.
    var failure: TransferFailure { faultOfPath ?? faultOfTransfer }

    /// The kind of the failure that cut the body of a refused response; nil for a whole body, and
    /// when a callback has ended it.
    var cutOfRefusal: TransferFailure.Kind? {
        guard case .refuse? = exchange.verdict, ![23, 42].contains(code.rawValue) else {
            return nil
        }
        return faultOfTransfer.kind
    }

    private var faultOfTransfer: TransferFailure {
        let phase = exchange.recorder.phase
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: phase,
                detail: "the connection ended without a response"
            )
        }
        let (handle, session) = (exchange.handle, exchange.session)
        let origin = exchange.hop.url.origin
        let isConnecting = [.resolve, .connect].contains(phase)
        let target = isConnecting ? session.configuration.connectTo.target(for: origin) : nil
        let server = target ?? origin
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: phase,
                osErrno: osErrno,
                host: server.host,
                port: server.port,
                connectTimeout: session.configuration.connectTimeout,
                hasClientCertificate: session.clientCertificate(for: origin) != nil,
                isCertificateAsked: handle.wasAskedForCertificate,
                isShutOut: handle.wasShutOut && exchange.head == nil,
                certificateNames: code.rawValue == 60 ? handle.certificateNames : [],
                caFile: session.caFile,
                certificateFault: handle.certificateFault
                    ?? CertificateFault(code: handle.certificateVerifyResult),
                detail: handle.errorDetail,
                didSend: exchange.recorder.hasSentAnything,
                proxy: exchange.policies.proxy.end(
                    in: phase,
                    isToOrigin: exchange.recorder.hasBegunRequest,
                    errorCode: handle.proxyErrorCode
                ),
                route: exchange.policies.proxy.route?.url,
                readsHTTP: !exchange.hop.url.isOfFileServer,
                isEncrypted: origin.scheme == .https,
                offersHTTP1Only: exchange.policies.connection.version(
                    for: ConnectionPolicy.Demand(of: exchange)
                ) == .http1,
                lacksChosenVersion: exchange.policies.connection.hasUnchosenVersion
                    && exchange.head == nil && !session.originsWithoutALPN.contains(origin)
            )
        )
    }

    /// The failure of an exchange without a path; nil when it failed for another reason.
    private var faultOfPath: TransferFailure? {
        guard !exchange.recorder.didSend else { return nil }
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH.
        let isUnreachable = osErrno.map { [100, 101, 113].contains($0) } ?? false
        guard let path = exchange.policies.path else {
            return isWithoutNetwork(isUnreachable: isUnreachable) ? faultOfNetwork : nil
        }
        let tried = exchange.handle.triedPeer.map { (address: $0.ip, scope: $0.scope) }
        return path.faultAtEnd(code, isUnreachable: isUnreachable, tried: tried)
            .map(exchange.failure(of:))
    }

    /// Whether an exchange of a session without a policy failed because this machine has no network
    /// at all.
    ///
    /// Checked only after failures before a connection, so that it costs nothing while there is a
    /// network.
    private func isWithoutNetwork(isUnreachable: Bool) -> Bool {
        guard !exchange.peer.isLoopback else { return false }
        switch code.rawValue {
        // No name was resolved, the proxy's or the peer's, or the time to connect is over.
        case 5, 6, 28: break
        case 7 where isUnreachable: break
        default: return false
        }
        return PathFinder.isMachineCutOff
    }

    /// The failure of an exchange when this machine has no network.
    private var faultOfNetwork: TransferFailure {
        var failure = exchange.failure(of: nil)
        failure.symptom =
            switch code.rawValue {
            case 5, 6: .resolve
            case 28: .timeout
            default: .connect
            }
        return failure
    }
}
