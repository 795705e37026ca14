internal import CurlKit
internal import TransferModel

extension Attempt {
    /// Where the attempt stands.
    var progress: AttemptProgress {
        let (recorder, upload) = (exchange.recorder, exchange.upload)
        let rest = exchange.expectedToSend.map { $0 - (upload?.offset ?? 0) }
        return AttemptProgress(
            key: exchange.request.key,
            countOfBytesSent: recorder.sentBodyBytes,
            countOfBytesReceived: exchange.response.decoding?.codedBytes ?? recorder.deliveredBytes,
            countOfBytesExpected: exchange.request.body == nil
                ? exchange.response.contentLength : rest,
            countOfBytesResumed: exchange.resumption?.start ?? upload?.offset ?? 0
        )
    }

    /// What the attempt has come to.
    func result() -> AttemptResult {
        let transactions = exchange.recorder.closed
        let hop = exchange.hop
        var result = AttemptResult(
            key: exchange.request.key,
            startTime: exchange.startTime,
            endTime: .now,
            currentRequest: transactions.last?.request
                ?? .init(
                    method: hop.method,
                    url: exchange.reportedURL,
                    headers: HeaderFields(hop.headers)
                )
        )
        result.redirectCount = exchange.redirects.count
        result.response = exchange.head.map(exchange.reported)
        result.checks = exchange.checks
        let failure = exchange.failure.map(explained)
        if let failure {
            if !result.checks.contains(where: { !$0.passed }) {
                result.checks = [
                    TaskRecord.Check(.clientError, passed: false, actual: failure.kind.label)
                ]
            }
            result.failure = failure
            result.proxyResponse = exchange.proxy.refusedTunnel
        } else {
            result.voucher = exchange.response.voucher(to: hop.method)
            result.isUnchanged = exchange.response.isUnchanged || exchange.response.keepsFile
        }
        if exchange.resumption != nil || failure != nil {
            result.resume = exchange.resumeOutcome()
        }
        if exchange.upload != nil { result.resume = uploadOutcome() }
        result.countOfBytesSent = exchange.recorder.sentBodyBytesBefore
        // Of the requested body: redirects have bodies of their own.
        result.countOfBytesReceived =
            exchange.response.decoding?.codedBytes ?? transactions.last?
            .countOfResponseBodyBytesAfterDecoding ?? 0
        if let caching = exchange.caching {
            result.cache = caching.verdict
            // Nothing has come over the network.
            if caching.servedLength != nil { result.countOfBytesReceived = 0 }
        }
        result.countOfBytesExpectedToSend = exchange.expectedToSend
        result.countOfBytesExpectedToReceive = exchange.response.contentLength
        result.transactions = transactions
        result.omittedTransactions = exchange.recorder.omittedCount
        return result
    }

    /// The failure with what its response and the redirects add.
    private func explained(_ failure: TransferFailure) -> TransferFailure {
        var failure = failure
        if exchange.redirects.followsOrder {
            failure.followsOrder = true
            failure.isKnownUnprocessed = false
        }
        if failure.help == nil {
            failure.help = ServerExcerpt.help(
                of: exchange.response.sink.excerpt,
                isCut: exchange.response.sink.isExcerptCut || !exchange.response.isWhole,
                head: exchange.head
            )
        }
        return failure
    }

    /// The upload that is left for another attempt or run.
    private func uploadOutcome() -> ResumeOutcome? {
        guard let upload = exchange.upload else { return nil }
        return ResumeOutcome(
            upload: upload.outcome(
                after: exchange.failure,
                exchange.head,
                from: exchange.hop.url.origin,
                &exchange.session.uploadSupport
            )
        )
    }
}
