internal import CurlKit
internal import SystemKit
internal import TransferModel

extension Attempt {
    /// The failure of an attempt that somebody ends.
    var cancellation: TransferFailure {
        var failure = TransferFailure(kind: .cancelled, phase: recorder.phase, detail: "cancelled")
        failure.urlError = .cancelled
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
    }

    /// The failure of an attempt whose connection has ended while its body had nothing to send.
    var connectionLoss: TransferFailure {
        var failure = TransferFailure(
            kind: .reset,
            phase: recorder.phase,
            detail: "the connection was closed before the body was sent"
        )
        failure.urlError = .networkConnectionLost
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
    }

    /// The failure of an attempt whose connection has ended without an answer to a request that
    /// must not be sent again.
    var unansweredRequest: TransferFailure {
        var failure = connectionLoss
        failure.detail = "the connection ended without an answer"
        return failure
    }

    /// The failure of an attempt that a body holds up which nobody wants: it has more bytes than
    /// `limit`, or without one, no end of its framing.
    func passedOverBodyFailure(_ limit: Int64? = nil) -> TransferFailure {
        let status = head?.statusCode ?? tunnel?.response?.statusCode ?? 0
        let fault = limit.map { "is larger than \($0) bytes" } ?? "has chunks without an end"
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: recorder.phase,
            detail: "the body of a \(status), which is passed over, \(fault)"
        )
        failure.urlError = .dataLengthExceedsMaximum
        failure.isPermanent = true
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
    }

    /// The failure of an attempt whose response is chunks that are nearly all framing.
    var framingFailure: TransferFailure {
        var failure = TransferFailure(
            kind: .protocolViolation,
            phase: .receive,
            detail:
                "the chunks of the body are nearly all framing: \(recorder.receivedBodyBytes) bytes "
                + "for \(response.decoding?.codedBytes ?? recorder.deliveredBytes) of the body"
        )
        failure.urlError = .badServerResponse
        return failure
    }

    /// The failure of an attempt whose response is as expected although the body has not left as a
    /// whole.
    ///
    /// libcurl then stops sending and finds all well (RFC 9112 §9.6 lets a server close early).
    var earlyAnswer: TransferFailure {
        var failure = TransferFailure(
            kind: .truncated,
            phase: .send,
            detail: "the server answered before it had the whole body"
        )
        failure.urlError = .networkConnectionLost
        return failure
    }

    /// The failure that the watch's verdict means.
    func failure(for verdict: ActivityWatch.Verdict) -> TransferFailure {
        let phase = recorder.phase
        var failure =
            switch verdict {
            case .idle:
                TransferFailure(
                    kind: .timeout,
                    phase: phase,
                    detail: "\(body?.silence ?? "nothing moved") for "
                        + "\((request.timeoutInterval ?? .zero).microseconds / 1000) ms"
                )
            case .stalled:
                TransferFailure(
                    kind: .stalled,
                    phase: phase,
                    detail: "slower than the session's minimumRate"
                )
            case .deadline:
                TransferFailure(kind: .timeout, phase: phase, detail: "the task's time is over")
            }
        if verdict == .idle, body?.isWaiting == true {
            failure.help = "see what holds up the body, or raise `timeoutInterval`"
        }
        failure.urlError = .timedOut
        failure.isKnownUnprocessed = !recorder.hasSentAnything
        return failure
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
        var failure = TransferFailure(
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
                proxy: proxyEnd,
                isEncrypted: hop.url.origin.scheme == .https,
                offersHTTP1Only: connection.version(for: connectionDemand) == .http1
            )
        )
        // A fault of TLS itself says more than the missing choice.
        if connection.hasUnchosenVersion, head == nil, failure.kind != .tls,
            [1, 52, 55, 56].contains(code.rawValue)
        {
            failure.detail +=
                ", after the server had chosen no version of HTTP in the TLS handshake (ALPN)"
            failure.help = TransferFailure.versionHelp
        }
        // What is permanent is about the origin's own TLS; otherwise somebody else may have spoken
        // in its place.
        if let route, recorder.phase == .tls, !failure.isPermanent {
            failure.detail += ", by way of the proxy \(route.url)"
        }
        return failure
    }

    /// Whether the end of the TLS connection is that of a body without length or chunks, although
    /// the server has not announced it: since its version 8 libcurl calls that an error.
    func isUnannouncedEnd(_ code: CurlCode) -> Bool {
        // A stream of HTTP/2 has an end of its own: without it the body is cut.
        guard head != nil, !isFramed,
            handle.networkProtocolName?.hasPrefix("http/1") == true
        else { return false }
        return ExchangeEnd(code: code, phase: .receive, detail: handle.errorDetail)
            .lacksCloseNotify
    }

    /// Whether the body that is wanted has ended with its TLS connection, which the server has not
    /// closed in order, and nothing else says that it is whole (RFC 9112 §9.8).
    var isPerhapsCut: Bool {
        guard case .accept = verdict, let head, !isFramed, hop.url.origin.scheme == .https,
            hop.method != "HEAD", !head.hasNoContent, handle.lacksCloseNotify,
            session.configuration.tls.closeNotify == .required,
            handle.networkProtocolName?.hasPrefix("http/1") == true
        else { return false }
        return response.destination?.checksum == nil && announcedDigest == nil
    }

    /// The failure of an attempt whose body may be cut for want of `close_notify`.
    var missingCloseNotify: TransferFailure {
        var failure = TransferFailure(
            kind: .truncated,
            phase: .receive,
            detail: "the connection ended without close_notify, "
                + "and nothing else says that the body is whole"
        )
        failure.urlError = .networkConnectionLost
        failure.help = "if the server is known to close so, say `tls: { closeNotify: optional }`"
        return failure
    }

    /// The `errno` that made libcurl end the exchange with a code; nil when it was none.
    ///
    /// Only a failed connect, send or receive leaves one behind, and a connect that took the kernel
    /// too long (110).
    func osErrno(behind code: CurlCode) -> Int? {
        let last = handle.lastOSErrno
        return switch code.rawValue {
        case 7, 45: last
        case 28 where !recorder.hasBegunRequest: last == 110 ? last : nil
        case 55, 56: last == connection.osErrnoOfConnecting ? nil : last
        default: nil
        }
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
            result.proxyResponse = refusedTunnel
        }
        if !hasFailed { result.voucher = voucher }
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
        result.countOfBytesExpectedToReceive = contentLength
        result.transactions = transactions
        result.omittedTransactions = recorder.omittedCount
        return result
    }

    /// Who says that the body is whole: its length or its framing, or nobody when only the end of
    /// the connection or the stream did.
    private var voucher: TaskRecord.Voucher {
        guard let head else { return .none }
        return hasNoBody(head) || isFramed ? .length : .none
    }

    /// Whether a response ends with its head (RFC 9112 §6.3).
    func hasNoBody(_ head: ResponseHead) -> Bool {
        head.statusCode == 204 || head.statusCode == 304 || hop.method == "HEAD"
    }

    /// Whether the body's end is told by more than that of the connection or the stream.
    ///
    /// The last frame of a stream says that it is the last (RFC 9113 §8.1). But libcurl reports a
    /// stream that the server has reset with NO_ERROR before that as ended, too, so that a stream
    /// vouches for nothing.
    var isFramed: Bool {
        contentLength != nil || response.parser.framing.isChunked
    }

    /// Whether an end of the body that libcurl reports is no mere end of the connection.
    var isDelimited: Bool {
        guard let head else { return false }
        return hasNoBody(head) || isFramed
            || handle.networkProtocolName?.hasPrefix("http/1") == false
    }

    /// Of the final response; nil while there is none.
    var contentLength: Int64? {
        if let served = caching?.servedLength { return served }
        return head == nil ? nil : response.parser.framing.contentLength
    }

    var expectedToSend: Int64? {
        switch request.body {
        case .bytes(let bytes), .compressed(let bytes, _): Int64(bytes.count)
        default: upload?.machine.total ?? body?.size
        }
    }
}
