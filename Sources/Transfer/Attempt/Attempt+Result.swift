internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Attempt {
    /// The failure that the watch's verdict means.
    func failure(for verdict: ActivityWatch.Verdict) -> TransferFailure {
        recorder.stage.timeout(verdict, idleLimit: request.timeoutInterval, body: body)
    }

    /// A response that is refused for its head has not come as a whole, either, unless it was us
    /// who had enough of it.
    func noteCutRefusal(_ code: CurlCode) {
        guard case .refuse? = verdict, ![23, 42].contains(code.rawValue) else { return }
        noteCutRefusal(failureOfExchange(code).kind)
    }

    /// The first check that fails is then that there is a whole response.
    func noteCutRefusal(_ kind: TransferFailure.Kind) {
        guard checks.first?.check == .clientError else { return }
        checks = [TaskRecord.Check(.clientError, passed: false, actual: kind.label)]
    }

    /// What an exchange without a whole response means.
    func failureOfExchange(_ code: CurlCode) -> TransferFailure {
        guard !code.isOK else {
            return TransferFailure(
                kind: .protocolViolation,
                phase: recorder.phase,
                detail: "the connection ended without a response"
            )
        }
        return TransferFailure(
            ExchangeEnd(
                code: code,
                phase: recorder.phase,
                osErrno: osErrno(behind: code),
                host: hop.url.origin.host,
                hasClientCertificate: session.clientCertificate(for: hop.url.origin) != nil,
                isCertificateAsked: handle.wasAskedForCertificate,
                certificateFault: handle.certificateFault
                    ?? CertificateFault(code: handle.certificateVerifyResult),
                detail: handle.errorDetail,
                didSend: recorder.hasSentAnything,
                proxy: proxy.end(
                    in: recorder.phase,
                    isToOrigin: recorder.hasBegunRequest,
                    errorCode: handle.proxyErrorCode
                ),
                route: proxy.route?.url,
                isEncrypted: hop.url.origin.scheme == .https,
                offersHTTP1Only: connection.version(for: connectionDemand) == .http1,
                lacksChosenVersion: connection.hasUnchosenVersion && head == nil
            )
        )
    }

    /// Whether the end of the TLS connection is that of a body without length or chunks, although
    /// the server has not announced it: since its version 8 libcurl calls that an error.
    func isUnannouncedEnd(_ code: CurlCode) -> Bool {
        // A stream of HTTP/2 has an end of its own: without it the body is cut.
        guard head != nil, !response.isFramed,
            handle.networkProtocolName?.hasPrefix("http/1") == true
        else { return false }
        return ExchangeEnd(code: code, phase: .receive, detail: handle.errorDetail)
            .lacksCloseNotify
    }

    /// Whether the accepted body has ended with its TLS connection, which the server has not closed
    /// in order, and nothing else says that it is whole (RFC 9112 §9.8).
    var isPerhapsCut: Bool {
        hop.url.origin.scheme == .https
            && response.lacksProof(to: hop.method, isRest: resumption?.isRest == true)
            && handle.lacksCloseNotify && session.configuration.tls.closeNotify == .required
            && handle.networkProtocolName?.hasPrefix("http/1") == true
    }

    /// The `errno` that made libcurl end the exchange with a code; nil when it was none.
    func osErrno(behind code: CurlCode) -> Int? {
        connection.osErrno(
            behind: code,
            last: handle.lastOSErrno,
            hasBegunRequest: recorder.hasBegunRequest
        )
    }

    /// What the attempt has come to.
    func result() -> AttemptResult {
        let transactions = recorder.closed
        var result = AttemptResult(
            key: request.key,
            startTime: startTime,
            endTime: .now,
            currentRequest: transactions.last?.request
                ?? .init(method: hop.method, url: reportedURL, headers: HeaderFields(hop.headers))
        )
        result.redirectCount = redirects.count
        result.response = head.map(reported)
        result.checks = checks
        if var failure {
            if redirects.followsOrder {
                failure.followsOrder = true
                failure.isKnownUnprocessed = false
            }
            if !checks.contains(where: { !$0.passed }) {
                result.checks = [
                    TaskRecord.Check(.clientError, passed: false, actual: failure.kind.label)
                ]
            }
            if failure.help == nil {
                failure.help = ServerExcerpt.help(
                    of: response.sink.excerpt,
                    isCut: response.sink.isExcerptCut || !response.isWhole,
                    head: head
                )
            }
            result.failure = failure
            result.proxyResponse = proxy.refusedTunnel
        }
        if !hasFailed { result.voucher = response.voucher(to: hop.method) }
        if resumption != nil || hasFailed { result.resume = resumeOutcome() }
        if upload != nil { result.resume = uploadOutcome() }
        result.countOfBytesSent = recorder.sentBodyBytesBefore
        // Of the body that was asked for: redirects have bodies of their own.
        result.countOfBytesReceived =
            response.decoding?.codedBytes ?? transactions.last?
            .countOfResponseBodyBytesAfterDecoding ?? 0
        result.isUnchanged = (response.isUnchanged || response.keepsFile) && !hasFailed
        if let caching {
            result.cache = caching.verdict
            // Nothing has come over the network.
            if caching.servedLength != nil { result.countOfBytesReceived = 0 }
        }
        result.countOfBytesExpectedToSend = expectedToSend
        result.countOfBytesExpectedToReceive = response.contentLength
        result.transactions = transactions
        result.omittedTransactions = recorder.omittedCount
        return result
    }

    var expectedToSend: Int64? {
        upload?.machine.total ?? bodySize
    }
}
