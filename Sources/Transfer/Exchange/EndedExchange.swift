internal import CurlKit
internal import SystemKit
internal import TransferModel

/// An exchange that libcurl has ended, with libcurl's code; finds the failure of the exchange.
struct EndedExchange {
    let exchange: Exchange
    let code: CurlCode

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
        exchange.response.lacksProof(to: exchange.hop.method, isRest: exchange.part.isRest)
            && exchange.handle.lacksCloseNotify
            && exchange.session.configuration.tls.closeNotify == .required
            && (exchange.sent.file != nil || exchange.hop.url.origin.scheme == .https && isHTTP1)
    }

    /// Whether an origin that chose no version of HTTP has answered by HTTP/1.
    var showsHTTP1: Bool { exchange.connection.hasUnchosenVersion && isHTTP1 }

    /// The `errno` that made libcurl end the exchange with its code; nil when it was none.
    var osErrno: Int? {
        exchange.connection.osErrno(
            behind: code,
            last: exchange.handle.lastOSErrno,
            hasBegunRequest: exchange.recorder.hasBegunRequest
        )
    }

    /// Whether to send the request again because libcurl gave it up, although nothing is wrong with
    /// it.
    func mayResend() -> Bool {
        guard !exchange.hasFailed, exchange.head == nil else { return false }
        let demand = exchange.connectionDemand
        let detail = code.isOK ? nil : exchange.handle.errorDetail
        if exchange.connection.lacksVersion(demand, after: code, detail: detail) { return true }
        // The server may have seen the request, so it must be a request that may arrive twice.
        return !exchange.isStream && exchange.request.resending.allows(exchange.hop)
            && exchange.connection.mayResend(
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
            exchange.head == nil, !exchange.recorder.didSend, exchange.proxy.tunnel == nil,
            // Not resolved, not connected, too late, no TLS, no SOCKS.
            [5, 6, 7, 28, 35, 97].contains(code.rawValue)
        else { return false }
        let origin = exchange.hop.url.origin
        return scripted.avoid(exchange.proxy.route, to: origin, at: .now)
    }

    // MARK: - Failures

    /// The failure of an exchange with a whole response, or one whose end counts as such; nil for
    /// none.
    func faultOfResponse(isExpected: Bool) -> TransferFailure? {
        if exchange.head != nil, exchange.verdict == nil, isExpected {
            return exchange.proxy.refusal(at: exchange.recorder.stage)
        }
        if code.isOK, let miscount { return miscount }
        return missingCloseNotify
    }

    /// The failure of a body whose end nothing vouches for; nil for another body.
    var missingCloseNotify: TransferFailure? {
        !exchange.response.isCutOff && isPerhapsCut
            ? ExchangeStage.missingCloseNotify : nil
    }

    /// The failure of a body whose length is not the announced one; nil for none.
    var miscount: TransferFailure? {
        exchange.response.miscount(
            of: exchange.hop.method,
            received: exchange.response.decoding?.codedBytes ?? exchange.recorder.deliveredBytes
        )
    }

    /// The failure of an exchange without a whole response.
    var failure: TransferFailure { pathFailure ?? failureOfTransfer }

    /// Records a refused response that was cut, unless a callback has ended it.
    func noteCutRefusal() {
        guard case .refuse? = exchange.verdict, ![23, 42].contains(code.rawValue) else { return }
        exchange.noteCutRefusal(failureOfTransfer.kind)
    }

    private var failureOfTransfer: TransferFailure {
        let (phase, handle) = (exchange.recorder.phase, exchange.handle)
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: phase,
                detail: "the connection ended without a response"
            )
        }
        let origin = exchange.hop.url.origin
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: phase,
                osErrno: osErrno,
                host: origin.host,
                connectTimeout: exchange.session.configuration.connectTimeout,
                hasClientCertificate: exchange.session.clientCertificate(for: origin) != nil,
                isCertificateAsked: handle.wasAskedForCertificate,
                isShutOut: handle.wasShutOut && exchange.head == nil,
                certificateNames: code.rawValue == 60 ? handle.certificateNames : [],
                caFile: exchange.session.caFile,
                certificateFault: handle.certificateFault
                    ?? CertificateFault(code: handle.certificateVerifyResult),
                detail: handle.errorDetail,
                didSend: exchange.recorder.hasSentAnything,
                proxy: exchange.proxy.end(
                    in: phase,
                    isToOrigin: exchange.recorder.hasBegunRequest,
                    errorCode: handle.proxyErrorCode
                ),
                route: exchange.proxy.route?.url,
                readsHTTP: !exchange.hop.url.isOfFileServer,
                isEncrypted: origin.scheme == .https,
                offersHTTP1Only: exchange.connection.version(for: exchange.connectionDemand)
                    == .http1,
                lacksChosenVersion: exchange.connection.hasUnchosenVersion && exchange.head == nil
                    && !exchange.session.originsWithoutALPN.contains(origin)
            )
        )
    }

    /// The failure of an exchange without a path; nil when it failed for another reason.
    private var pathFailure: TransferFailure? {
        guard !exchange.recorder.didSend else { return nil }
        guard let path = exchange.path else { return isWithoutNetwork ? noNetwork : nil }
        let tried = exchange.handle.triedPeer.map { (address: $0.ip, scope: $0.scope) }
        return path.faultAtEnd(code, isUnreachable: isUnreachable, tried: tried)
            .map(exchange.failure(of:))
    }

    /// Whether the kernel reported ENETDOWN, ENETUNREACH or EHOSTUNREACH.
    private var isUnreachable: Bool { osErrno.map { [100, 101, 113].contains($0) } ?? false }

    /// Whether an exchange of a session without a policy failed because this machine has no network
    /// at all.
    ///
    /// Checked only after failures before a connection, so that it costs nothing while there is a
    /// network.
    private var isWithoutNetwork: Bool {
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
    private var noNetwork: TransferFailure {
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
