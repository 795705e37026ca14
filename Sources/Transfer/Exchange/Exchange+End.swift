internal import CurlKit
internal import HTTPCache
internal import NetworkPath
internal import SystemKit
internal import TransferModel

// At the end of an exchange: records it, judges it, and finds its failure.
extension Exchange {
    /// The facts about the exchange, whose end is recorded, for the step after it.
    var machine: AttemptMachine {
        AttemptMachine(
            hasFailed: hasFailed,
            repetition: policies.part.repetition,
            isGivingUp: isGivingUp,
            verdict: verdict
        )
    }

    /// Whether the running request cancels an upload.
    var isGivingUp: Bool { policies.upload?.isGivingUp == true }

    /// Records that libcurl has ended the exchange with a code; returns the facts for the step
    /// after it.
    func recordEnd(_ code: CurlCode) -> AttemptMachine {
        noteSent()
        let protocolName = versionName
        response.hasUnannouncedEnd = isUnannounced(code)
        let isEnd = code.isOK || response.isCutOff || response.hasUnannouncedEnd
        response.isWhole = code.isOK && response.isDelimited(to: hop.method, over: protocolName)
        var machine = machine
        machine.isComplete = isEnd && head != nil
        if machine.isComplete, showsHTTP1 { session.noteOriginWithoutALPN(hop.url.origin) }
        machine.isAsked = !hasFailed && policies.proxy.isAsked(isComplete: machine.isComplete)
        machine.isGivenUp =
            !machine.isComplete && (mayResend(after: code) || mayGoAnotherWay(after: code))
        machine.isUnvouched = response.isUnvouched
        machine.isCaching = policies.caching != nil && policies.part.segment == nil
        if !hasFailed, let fault = fault(behind: code, machine) { fail(fault) }
        machine.hasFailed = hasFailed
        if !isEnd { noteCutRefusal(after: code) }
        let isFault = !isEnd && !response.isUnchanged && !machine.isAsked
        noteFailedConnection()
        recorder.end(
            isComplete: machine.isComplete && machine.repetition == nil && !machine.isUnvouched
                && (code.isOK || policies.part.segment == nil) && !hasLeftRest
                && failure?.kind != .truncated,
            protocolName: protocolName,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? osErrno(behind: code) : nil
        )
        return machine
    }

    /// The failure of an exchange that has ended; nil for none.
    private func fault(behind code: CurlCode, _ machine: AttemptMachine) -> TransferFailure? {
        let isExpected = machine.repetition == nil && !machine.isAsked
        if machine.isComplete { return faultOfResponse(after: code, isExpected: isExpected) }
        let isFault =
            !response.isUnchanged && !machine.isGivenUp && !machine.isAsked && !machine.isGivingUp
        return isFault ? failure(behind: code) : nil
    }

    /// The ALPN name of the connection's version of HTTP.
    private var versionName: String? {
        // libcurl does not see the exchange over a raw connection.
        request.webSocket == nil ? handle.networkProtocolName : "http/1.1"
    }

    private var isHTTP1: Bool { versionName?.hasBytePrefix("http/1") == true }

    /// Whether the TLS connection of a body without length or chunks ended unannounced: since
    /// version 8, libcurl calls that an error.
    private func isUnannounced(_ code: CurlCode) -> Bool {
        // A stream of HTTP/2 has an end of its own: without it the body is cut.
        guard head != nil, !response.isFramed, isHTTP1 else { return false }
        return ExchangeEnd(code: code, phase: .receive, detail: handle.errorDetail)
            .lacksCloseNotify
    }

    /// Whether the server has not closed the TLS connection of the accepted body in order, and
    /// nothing else says that the body is whole (RFC 9112 §9.8).
    private var isPerhapsCut: Bool {
        response.lacksProof(to: hop.method, isRest: policies.part.isRest)
            && handle.lacksCloseNotify
            && session.configuration.tls.closeNotify == .required
            && (file != nil || hop.url.origin.scheme == .https && isHTTP1)
    }

    /// Whether an origin that chose no version of HTTP has answered by HTTP/1.
    private var showsHTTP1: Bool { policies.connection.hasUnchosenVersion && isHTTP1 }

    /// The `errno` that made libcurl end the exchange with a code; nil when it was none.
    func osErrno(behind code: CurlCode) -> Int? {
        policies.connection.osErrno(
            behind: code,
            last: handle.lastOSErrno,
            hasBegunRequest: recorder.hasBegunRequest
        )
    }

    /// Whether to send the request again because libcurl gave it up, although nothing is wrong with
    /// it.
    private func mayResend(after code: CurlCode) -> Bool {
        guard !hasFailed, head == nil else { return false }
        let demand = connectionDemand
        let detail = code.isOK ? nil : handle.errorDetail
        if policies.connection.lacksVersion(demand, after: code, detail: detail) { return true }
        // The server may have seen the request, so it must be a request that may arrive twice.
        return !body.isStream && request.resending.allows(hop)
            && policies.connection.mayResend(
                after: code,
                detail: detail,
                detectsCuts: session.streamTrust.detectsCuts
            )
    }

    /// Whether to try the next way that the session's script names, because this one leads nowhere.
    ///
    /// A proxy that answers, even with a refusal, has been reached.
    func mayGoAnotherWay(after code: CurlCode) -> Bool {
        guard let scripted = session.scripted, !hasFailed,
            head == nil, !recorder.didSend, policies.proxy.tunnel == nil,
            // Not resolved, not connected, too late, no TLS, no SOCKS.
            [5, 6, 7, 28, 35, 97].contains(code.rawValue)
        else { return false }
        let origin = hop.url.origin
        return scripted.avoid(policies.proxy.route, to: origin, at: .now)
    }

    // MARK: - Failures

    /// The failure of an exchange with a whole response, or one whose end counts as such; nil for
    /// none.
    private func faultOfResponse(after code: CurlCode, isExpected: Bool) -> TransferFailure? {
        if head != nil, verdict == nil, isExpected {
            return policies.proxy.refusal(at: recorder.stage)
        }
        if code.isOK, let miscount { return miscount }
        return missingCloseNotify
    }

    /// The failure of a body whose end nothing vouches for; nil for another body.
    var missingCloseNotify: TransferFailure? {
        !response.isCutOff && isPerhapsCut ? ExchangeStage.missingCloseNotify : nil
    }

    /// The failure of a body whose length is not the announced one; nil for none.
    var miscount: TransferFailure? {
        response.miscount(
            of: hop.method,
            received: response.decoding?.codedBytes ?? recorder.deliveredBytes
        )
    }

    /// The failure of an exchange without a whole response.
    func failure(behind code: CurlCode) -> TransferFailure {
        faultOfPath(behind: code) ?? faultOfTransfer(behind: code)
    }

    /// Records a refused response that was cut, unless a callback has ended it.
    private func noteCutRefusal(after code: CurlCode) {
        guard case .refuse? = verdict, ![23, 42].contains(code.rawValue) else { return }
        outcome.noteCutRefusal(faultOfTransfer(behind: code).kind)
    }

    private func faultOfTransfer(behind code: CurlCode) -> TransferFailure {
        let phase = recorder.phase
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: phase,
                detail: "the connection ended without a response"
            )
        }
        let origin = hop.url.origin
        let isConnecting = [.resolve, .connect].contains(phase)
        let target = isConnecting ? session.configuration.connectTarget(for: origin) : nil
        let server = target ?? origin
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: phase,
                osErrno: osErrno(behind: code),
                host: server.host,
                port: server.port,
                connectTimeout: session.configuration.connectTimeout,
                hasClientCertificate: session.clientCertificate(for: origin) != nil,
                isCertificateAsked: handle.wasAskedForCertificate,
                isShutOut: handle.wasShutOut && head == nil,
                certificateNames: code.rawValue == 60 ? handle.certificateNames : [],
                caFile: session.caFile,
                certificateFault: handle.certificateFault
                    ?? CertificateFault(code: handle.certificateVerifyResult),
                detail: handle.errorDetail,
                didSend: recorder.hasSentAnything,
                proxy: policies.proxy.end(
                    in: phase,
                    isToOrigin: recorder.hasBegunRequest,
                    errorCode: handle.proxyErrorCode
                ),
                route: policies.proxy.route?.url,
                readsHTTP: !hop.url.isOfFileServer,
                isEncrypted: origin.scheme == .https,
                offersHTTP1Only: policies.connection.version(for: connectionDemand) == .http1,
                lacksChosenVersion: policies.connection.hasUnchosenVersion && head == nil
                    && !session.originsWithoutALPN.contains(origin)
            )
        )
    }

    /// The failure of an exchange without a path; nil when it failed for another reason.
    private func faultOfPath(behind code: CurlCode) -> TransferFailure? {
        guard !recorder.didSend else { return nil }
        // ENETDOWN, ENETUNREACH, EHOSTUNREACH.
        let isUnreachable = osErrno(behind: code).map { [100, 101, 113].contains($0) } ?? false
        guard let path = policies.path else {
            return isWithoutNetwork(code, isUnreachable: isUnreachable)
                ? faultOfNetwork(behind: code) : nil
        }
        let tried = handle.triedPeer.map { (address: $0.ip, scope: $0.scope) }
        return path.faultAtEnd(code, isUnreachable: isUnreachable, tried: tried)
            .map(failure(of:))
    }

    /// Whether an exchange of a session without a policy failed because this machine has no network
    /// at all.
    ///
    /// Checked only after failures before a connection, so that it costs nothing while there is a
    /// network.
    private func isWithoutNetwork(_ code: CurlCode, isUnreachable: Bool) -> Bool {
        guard !peer.isLoopback else { return false }
        switch code.rawValue {
        // No name was resolved, the proxy's or the peer's, or the time to connect is over.
        case 5, 6, 28: break
        case 7 where isUnreachable: break
        default: return false
        }
        return PathFinder.isMachineCutOff
    }

    /// The failure of an exchange when this machine has no network.
    private func faultOfNetwork(behind code: CurlCode) -> TransferFailure {
        var failure = self.failure(of: nil)
        failure.symptom =
            switch code.rawValue {
            case 5, 6: .resolve
            case 28: .timeout
            default: .connect
            }
        return failure
    }

    // MARK: - The end of the attempt

    /// Records a connection that failed before its request.
    func noteFailedConnection() {
        guard recorder.hasUnusedConnection else { return }
        // The name may stand for another address by now.
        if !peer.isAddress { session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }

    /// Judges the bodies of the request and of the response.
    func judgeEnd() {
        let isAccepted = if case .accept = verdict { true } else { false }
        if !hasFailed {
            do throws(TransferFailure) {
                try body.reader?.verify()
                if isAccepted { try endParts() }
                if isAccepted, !recorder.isRequestSent { throw ExchangeStage.earlyAnswer }
            } catch {
                fail(error)
            }
        }
        if var failure {
            if body.reader?.isSpent == true { failure.explainSpentBody() }
            policies.authentication?.explain(&failure, head, from: hop.url)
            return fail(failure)
        }
        guard isAccepted else { return }
        if let shortage = policies.part.resumption?.shortage { return fail(shortage) }
        if !response.isUnchanged, let findings = response.judgeBody(of: hop.method) {
            note(findings)
        }
    }

    /// Removes stored responses that proved wrong, led to a failure, or are outdated.
    ///
    /// A stored response is outdated when the attempt has a newer file that it does not store: a
    /// resumed file, or one that was fetched anew after resuming failed.
    func forgetStored() {
        if let failure {
            policies.caching?.forget(after: failure)
        } else if policies.part.resumption != nil, policies.caching?.isOfCache != true {
            session.cache?.forget(hop.url)
        }
    }

    // MARK: - Network changes

    /// The failure of an exchange whose interface is gone or no longer permitted; nil while it may
    /// continue.
    func lostPath(in network: NetworkSnapshot) -> TransferFailure? {
        guard let path = policies.path, policies.caching?.isReading != true else { return nil }
        let isMultipath = path.way.map { session.multipathConnections.contains($0.number) } ?? false
        return path.fault(in: network, isMultipath: isMultipath).map(failure(of:))
    }

    /// Ends the connection at once if its interface is forbidden, so that the kernel drops unsent
    /// bytes.
    func resetForbiddenPath() {
        guard session.access.isRestricted else { return }
        guard let way = policies.path?.way else { return handle.resetConnections() }
        session.reset(way)
    }
}
