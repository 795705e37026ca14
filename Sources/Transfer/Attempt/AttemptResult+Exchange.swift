internal import CurlKit
internal import TransferModel

extension AttemptResult {
    /// The result of an attempt whose last exchange has ended.
    static func of(_ exchange: Exchange) -> AttemptResult {
        let transactions = exchange.recorder.closed
        var result = AttemptResult(
            key: exchange.request.key,
            startTime: exchange.recorder.startTime,
            endTime: .now,
            currentRequest: transactions.last { $0.reason != .segment }?.request
                ?? .init(
                    method: exchange.hop.method,
                    url: exchange.reportedURL,
                    headers: HeaderFields(exchange.hop.headers)
                )
        )
        result.add(exchange, transactions)
        return consume result
    }

    private mutating func add(_ exchange: Exchange, _ transactions: [TransactionMetrics]) {
        redirectCount = exchange.policies.redirects.count
        response = exchange.head.map(exchange.reported)
        checks = exchange.outcome.checks
        failure = exchange.failure
        if failure != nil {
            explainFailure(of: exchange)
        } else {
            voucher = exchange.response.voucher(to: exchange.hop.method)
            isUnchanged =
                exchange.response.isUnchanged && !exchange.response.isAsked
                || exchange.response.keepsFile
        }
        if exchange.policies.part.resumption != nil || exchange.hasFailed {
            resume = exchange.policies.part.outcome(
                after: exchange.failure,
                from: exchange.hop.url,
                for: exchange.request,
                &exchange.response
            )
        }
        mirrors = exchange.policies.part.segment?.mirrors ?? []
        partRequests = exchange.policies.part.segmentRequests
        partRefusal = exchange.policies.part.segment?.refusal ?? exchange.policies.part.refusal
        if let upload = exchange.policies.upload {
            let left = upload.outcome(
                after: exchange.failure,
                exchange.head,
                from: exchange.hop.url.origin,
                &exchange.session.uploadSupport
            )
            resume = ResumeOutcome(upload: left)
        }
        countOfBytesSent = exchange.recorder.sentBodyBytesBefore
        // Of the requested body: redirects have bodies of their own.
        countOfBytesReceived =
            exchange.policies.part.segment?.receivedCount ?? exchange.response.decoding?.codedBytes
            ?? transactions.last?
            .countOfResponseBodyBytesAfterDecoding ?? 0
        if let caching = exchange.policies.caching {
            cache = caching.verdict
            // The response came from the cache, without network traffic.
            if caching.servedLength != nil { countOfBytesReceived = 0 }
        }
        countOfBytesExpectedToSend = Self.expectedToSend(by: exchange)
        countOfBytesExpectedToReceive = exchange.response.contentLength
        self.transactions = transactions
        omittedTransactions = exchange.recorder.omittedCount
    }

    /// The bytes that an attempt has to send; nil when unknown.
    fileprivate static func expectedToSend(by exchange: Exchange) -> Int64? {
        exchange.policies.upload?.machine.total ?? exchange.body.size(of: exchange.request.body)
    }

    /// Adds the exchange's facts about its failure: the check for it, and the server's words.
    private mutating func explainFailure(of exchange: Exchange) {
        guard let kind = failure?.kind else { return }
        if exchange.policies.redirects.followsOrder {
            failure?.followsOrder = true
            failure?.isKnownUnprocessed = false
        }
        if !checks.contains(where: { !$0.passed }) {
            checks = [TaskRecord.Check(.clientError, passed: false, actual: kind.label)]
        }
        let isChallenged = kind == .httpStatus && failure?.httpStatus == 401
        let isRefused = [401, 403, 404].contains(failure?.httpStatus)
        if failure?.help == nil || kind == .httpStatus && isRefused {
            let excerpt = ServerExcerpt.help(
                of: exchange.response.sink.excerpt,
                isCut: exchange.response.sink.isExcerptCut || !exchange.response.isWhole,
                head: exchange.head
            )
            let advice = failure?.help ?? (isChallenged ? Self.adviceAboutChallenge(exchange) : nil)
            // A page of HTML says no more than the advice.
            let saysMore = advice == nil || exchange.head?.mimeType != "text/html"
            let parts = [advice, saysMore ? excerpt : nil].compactMap(\.self)
            failure?.help = parts.isEmpty ? nil : parts.joined(separator: "; ")
        }
        if kind == .httpStatus, exchange.policies.proxy.isForwarded,
            let route = exchange.policies.proxy.route,
            let status = failure?.httpStatus, status >= 400, failure?.namesProxy == false
        {
            failure?.detail += ", through the proxy \(route.url)"
        }
        proxyResponse = exchange.policies.proxy.refusedTunnel
    }

    /// The advice about a 401 response that the session's credentials do not explain.
    private static func adviceAboutChallenge(_ exchange: Exchange) -> String? {
        if exchange.hop.headers.contains(where: { $0.isNamed("authorization") }) {
            return TransferFailure.refusedAuthorization
        }
        guard exchange.policies.authentication == nil, !exchange.recorder.hasSentAuthorization
        else {
            return nil
        }
        // A server of a login form names no scheme of HTTP.
        let namesScheme = exchange.head?.fields["www-authenticate"] != nil
        return TransferFailure.missingCredentials(
            key: exchange.hop.headers.first(where: \.mayHoldKey)?.name,
            inBody: exchange.body.isCarried && !namesScheme
        )
    }
}

extension AttemptProgress {
    /// The progress of an attempt by its running exchange.
    init(of exchange: Exchange) {
        let offset = exchange.policies.upload?.offset ?? 0
        let received = exchange.response.decoding?.codedBytes
        self.init(
            key: exchange.request.key,
            countOfBytesSent: exchange.recorder.sentBodyBytes,
            countOfBytesReceived: exchange.policies.part.segment?.receivedCount
                ?? received ?? exchange.recorder.deliveredBytes,
            countOfBytesExpected: exchange.request.body == nil
                ? exchange.response.contentLength
                : AttemptResult.expectedToSend(by: exchange).map { $0 - offset },
            countOfBytesResumed: exchange.policies.part.resumption?.start ?? offset
        )
        phase = exchange.recorder.phase
        isAwaitingBandwidth = exchange.policies.pace?.isWaiting ?? false
    }
}

extension AttemptResult {
    /// The end of an attempt without an exchange: libcurl has no handle for it, or the thread with
    /// its exchange is lost.
    init(of request: AttemptRequest, _ failure: TransferFailure, _ now: MonotonicTime) {
        self.init(
            key: request.key,
            startTime: now,
            endTime: now,
            currentRequest: .init(
                method: request.request.method,
                url: request.request.url.text,
                headers: HeaderFields(request.request.headers)
            )
        )
        self.failure = failure
    }
}

extension TransferFailure {
    /// The failure of an attempt whose thread does not return from a library, because of a call for
    /// this attempt or another one.
    static func ofStuckThread(_ attempt: AttemptRequest, isCause: Bool) -> TransferFailure {
        var failure = TransferFailure(
            kind: isCause ? .engine : .reset,
            phase: .wait,
            detail: isCause
                ? "a library did not return from a call for the transfer, whose thread was left behind"
                : "the thread of the transfer was left behind: a library did not return from a call "
                    + "for another one"
        )
        // How far the attempt had come is unknown: it may have sent messages, or read its pipe.
        failure.isPermanent = isCause
        failure.followsMessages = attempt.webSocket != nil || attempt.stream != nil
        if case .pipe = attempt.body { failure.explainSpentBody() }
        let request = attempt.request
        failure.isOutcomeUnknown =
            isCause
            && (failure.followsMessages || !request.isIdempotent && !request.hasIdempotencyKey)
        return failure
    }
}
