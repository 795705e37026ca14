internal import CurlKit
internal import TransferModel

// Judges the end of an exchange, and of the attempt.
extension Attempt {
    /// Ends the exchange with libcurl's result.
    func end(_ code: CurlCode) -> Next {
        if exchange.connection.refusedReuse.isPending, !exchange.hasFailed {
            // On a new connection; nothing of the exchange was sent.
            exchange.connection.refusedReuse.didEnd()
            exchange.sent.answersChallenge = exchange.sent.hasAnsweredChallenge
            return send()
        }
        exchange.noteSent()
        let protocolName = exchange.handle.networkProtocolName
        exchange.response.hasUnannouncedEnd = isUnannouncedEnd(code)
        let isEnd =
            code.isOK || exchange.response.isCutOff || exchange.response.hasUnannouncedEnd
        let isComplete = isEnd && exchange.head != nil
        exchange.response.isWhole =
            code.isOK && exchange.response.isDelimited(to: exchange.hop.method, over: protocolName)
        if isComplete, exchange.connection.hasUnchosenVersion,
            protocolName?.hasPrefix("http/1") == true
        {
            exchange.session.noteOriginWithoutALPN(exchange.hop.url.origin)
        }
        var machine = machine
        machine.isAsked = !machine.hasFailed && exchange.proxy.isAsked(isComplete: isComplete)
        machine.isGivenUp = !isComplete && mayResend(after: code)
        if !machine.hasFailed, let fault = fault(of: code, isEnd: isEnd, machine) {
            exchange.fail(fault)
            machine.hasFailed = true
        }
        if !isEnd { noteCutRefusal(code) }
        let isFault = !isEnd && !exchange.response.isUnchanged && !machine.isAsked
        noteFailedConnection()
        exchange.recorder.end(
            isComplete: isComplete && !machine.asksForAll
                && exchange.failure?.kind != .truncated,
            protocolName: protocolName,
            curlCode: isFault ? code.rawValue : nil,
            osErrno: isFault ? osErrno(behind: code) : nil
        )
        machine.isCaching = exchange.caching != nil
        let step = machine.step
        return perform { () throws(TransferFailure) in
            guard step == .endCaching else { return try take(step) }
            if let next = try endCaching(isComplete: isComplete) { return next }
            return try take(self.machine.step)
        }
    }

    /// Ends the attempt from outside; the handle has been taken out of its multi handle.
    func abort(_ failure: TransferFailure) -> Next {
        exchange.noteSent()
        noteFailedConnection()
        exchange.recorder.end(
            isComplete: false,
            protocolName: exchange.handle.networkProtocolName
        )
        return perform { () throws(TransferFailure) in
            // No task waits for the answer to such a request.
            if isGivingUp, !exchange.hasFailed, failure.kind != .cancelled {
                return try didCancelUpload()
            }
            if case .refuse? = exchange.verdict { noteCutRefusal(failure.kind) }
            if !exchange.hasFailed { exchange.fail(failure) }
            if let next = try endCaching(isComplete: false) { return next }
            return finish()
        }
    }

    /// Ends the attempt before its request has left.
    func end(unsent failure: TransferFailure) -> Next {
        exchange.fail(failure)
        return .finished(result())
    }

    /// Whether to send the request again because libcurl gave it up, although nothing is wrong with
    /// it.
    private func mayResend(after code: CurlCode) -> Bool {
        guard !exchange.hasFailed, exchange.head == nil else { return false }
        let detail = code.isOK ? nil : exchange.handle.errorDetail
        if exchange.connection.lacksVersion(
            exchange.connectionDemand,
            after: code,
            detail: detail
        ) {
            return true
        }
        // The server may have seen the request: it must be repeatable.
        return !exchange.isStream && exchange.request.resending.allows(exchange.hop)
            && exchange.connection.mayResend(after: code, detail: detail)
    }

    private func noteFailedConnection() {
        guard exchange.recorder.hasUnusedConnection else { return }
        let (handle, peer) = (exchange.handle, exchange.peer)
        // The name may stand for another address by now.
        if !peer.isAddress { exchange.session.unreachedHosts.insert(peer.host) }
        let remote = handle.remoteEndpoint.map {
            TransactionMetrics.Endpoint(address: $0.address, port: $0.port)
        }
        exchange.recorder.didFailToConnect(handle.connectTimes, remote: remote, at: .now)
    }

    // MARK: - Failures

    /// The failure of an exchange that has ended; nil for none.
    private func fault(
        of code: CurlCode,
        isEnd: Bool,
        _ machine: AttemptMachine
    ) -> TransferFailure? {
        if isEnd, exchange.head != nil {
            if exchange.verdict == nil, !machine.asksForAll, !machine.isAsked {
                return exchange.proxy.refusal(at: exchange.recorder.stage)
            }
        } else if !exchange.response.isUnchanged, !machine.isGivenUp, !machine.isAsked,
            !machine.isGivingUp
        {
            return pathFailure(code) ?? failureOfExchange(code)
        }
        let mayBeCut = isEnd && !exchange.response.isCutOff && isPerhapsCut
        return mayBeCut ? ExchangeStage.missingCloseNotify : nil
    }

    /// Records a refused response that was cut, unless a callback has ended it.
    private func noteCutRefusal(_ code: CurlCode) {
        guard case .refuse? = exchange.verdict, ![23, 42].contains(code.rawValue) else { return }
        noteCutRefusal(failureOfExchange(code).kind)
    }

    /// The first check, that there is a whole response, fails.
    private func noteCutRefusal(_ kind: TransferFailure.Kind) {
        guard exchange.checks.first?.check == .clientError else { return }
        exchange.checks = [
            TaskRecord.Check(.clientError, passed: false, actual: kind.label)
        ]
    }

    /// The failure of an exchange without a whole response.
    private func failureOfExchange(_ code: CurlCode) -> TransferFailure {
        let (recorder, handle) = (exchange.recorder, exchange.handle)
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: recorder.phase,
                detail: "the connection ended without a response"
            )
        }
        let origin = exchange.hop.url.origin
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: recorder.phase,
                osErrno: osErrno(behind: code),
                host: origin.host,
                hasClientCertificate: exchange.session.clientCertificate(for: origin) != nil,
                isCertificateAsked: handle.wasAskedForCertificate,
                certificateFault: handle.certificateFault
                    ?? CertificateFault(code: handle.certificateVerifyResult),
                detail: handle.errorDetail,
                didSend: recorder.hasSentAnything,
                proxy: exchange.proxy.end(
                    in: recorder.phase,
                    isToOrigin: recorder.hasBegunRequest,
                    errorCode: handle.proxyErrorCode
                ),
                route: exchange.proxy.route?.url,
                isEncrypted: origin.scheme == .https,
                offersHTTP1Only: exchange.connection.version(for: exchange.connectionDemand)
                    == .http1,
                lacksChosenVersion: exchange.connection.hasUnchosenVersion && exchange.head == nil
            )
        )
    }

    /// Whether the TLS connection of a body without length or chunks ended unannounced: since
    /// version 8, libcurl calls that an error.
    private func isUnannouncedEnd(_ code: CurlCode) -> Bool {
        // A stream of HTTP/2 has an end of its own: without it the body is cut.
        guard exchange.head != nil, !exchange.response.isFramed,
            exchange.handle.networkProtocolName?.hasPrefix("http/1") == true
        else { return false }
        return ExchangeEnd(code: code, phase: .receive, detail: exchange.handle.errorDetail)
            .lacksCloseNotify
    }

    /// Whether the server has not closed the TLS connection of the accepted body in order, and
    /// nothing else says that the body is whole (RFC 9112 §9.8).
    private var isPerhapsCut: Bool {
        exchange.hop.url.origin.scheme == .https
            && exchange.response.lacksProof(
                to: exchange.hop.method,
                isRest: exchange.resumption?.isRest == true
            )
            && exchange.handle.lacksCloseNotify
            && exchange.session.configuration.tls.closeNotify == .required
            && exchange.handle.networkProtocolName?.hasPrefix("http/1") == true
    }

    /// The `errno` that made libcurl end the exchange with a code; nil when it was none.
    func osErrno(behind code: CurlCode) -> Int? {
        exchange.connection.osErrno(
            behind: code,
            last: exchange.handle.lastOSErrno,
            hasBegunRequest: exchange.recorder.hasBegunRequest
        )
    }

    // MARK: - Result

    /// Ends the attempt after its last exchange.
    func finish() -> Next {
        judgeEnd()
        if exchange.hasFailed { exchange.caching?.reject(.rejected) }
        forgetStored()
        var result = result()
        guard !exchange.hasFailed, !exchange.response.isUnchanged, case .accept = exchange.verdict
        else { return .finished(result) }
        let check = ContentCheck(
            exchange.request.expectation,
            head: exchange.head,
            body: exchange.response.bodyCheck?.kept
        )
        let isList = if case .checksums = exchange.request.sink { true } else { false }
        let cached = exchange.caching?.outcome()
        guard check != nil || exchange.response.destination != nil || isList else {
            cached?.end(&result)
            return .finished(result)
        }
        return .publish(
            PublicationJob(
                result,
                exchange.response.sink.content,
                check: check,
                destination: exchange.response.destination,
                announced: exchange.response.announcedDigest(
                    to: exchange.hop.method,
                    isRest: exchange.resumption?.isRest == true
                ),
                isChecksumList: isList,
                cached: cached
            )
        )
    }

    /// Judges the body of the request and that of the response.
    private func judgeEnd() {
        let isAccepted = if case .accept = exchange.verdict { true } else { false }
        if !exchange.hasFailed {
            do throws(TransferFailure) {
                try exchange.body?.verify()
                if isAccepted, !exchange.recorder.isRequestSent { throw ExchangeStage.earlyAnswer }
            } catch {
                exchange.fail(error)
            }
        }
        if var failure = exchange.failure {
            if exchange.body?.isSpent == true { failure.explainSpentBody() }
            exchange.authentication?.explain(&failure, exchange.head)
            return exchange.fail(failure)
        }
        guard isAccepted else { return }
        if let shortage = exchange.resumption?.shortage { return exchange.fail(shortage) }
        if !exchange.response.isUnchanged,
            let findings = exchange.response.judgeBody(of: exchange.hop.method)
        {
            exchange.note(findings)
        }
    }
}
