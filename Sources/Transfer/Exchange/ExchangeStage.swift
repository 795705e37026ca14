internal import TransferModel

/// How far an exchange has come; makes the failures that depend on nothing else.
struct ExchangeStage {
    let phase: TransferFailure.Phase
    /// Whether any byte of the attempt's requests has left.
    let hasSentAnything: Bool
    /// Whether any byte of a request's body has left.
    let hasSentBody: Bool

    /// The attempt is cancelled from outside.
    var cancellation: TransferFailure { failure(.cancelled, .cancelled, "cancelled") }

    /// The connection ended while the body had nothing to send.
    var connectionLoss: TransferFailure {
        loss("the connection was closed before the body was sent")
    }

    /// The connection ended without an answer to a request that must not be sent again.
    var unansweredRequest: TransferFailure { loss("the connection ended without a response") }

    /// All idle connections had received bytes before the request left.
    var uncleanConnections: TransferFailure {
        loss("the server had sent unrequested bytes on every idle connection")
    }

    /// An opened connection was closed before its conversation could begin.
    var lostConnection: TransferFailure { loss("the connection was closed once it was open") }

    private func loss(_ detail: String) -> TransferFailure {
        failure(.reset, .networkConnectionLost, detail)
    }

    /// An unwanted body has more than `limit` bytes, or without a limit, framing that does not end.
    func excessBody(of statusCode: Int?, limit: Int64?) -> TransferFailure {
        let fault = limit.map { "is larger than \($0) bytes" } ?? "never ends"
        var failure = failure(
            .protocolViolation,
            .dataLengthExceedsMaximum,
            "the unused body of the \(statusCode ?? 0) response \(fault)"
        )
        failure.isPermanent = true
        return failure
    }

    /// The peer has kept a call into libcurl busy until the watch reset the connection.
    var flood: TransferFailure {
        var failure = failure(
            .protocolViolation,
            .badServerResponse,
            "the server floods the connection: what it sends keeps libcurl busy, and is no response"
        )
        failure.isPermanent = true
        return failure
    }

    /// The attempt has run out of one of its times, perhaps while it waited for its body.
    func timeout(
        _ verdict: ActivityWatch.Verdict,
        of session: SessionConfiguration,
        timeoutInterval: TimeLimit?,
        body: (any RequestBody)?
    ) -> TransferFailure {
        switch verdict {
        case .idle:
            let silence = body?.silence ?? "nothing moved"
            var failure = overrun("\(silence) within", timeoutInterval)
            if body?.isWaiting == true, let timeoutInterval {
                let key = timeoutInterval.key.rawValue
                failure.help = "find out what delays the body, or raise `\(key)`"
            }
            return failure
        case .stalled:
            let rate = session.minimumRate?.bytesPerSecond ?? 0
            var failure = failure(
                .stalled,
                .timedOut,
                "slower than the session's `minimumRate` of \(rate) B/s"
            )
            failure.help = "find out why the transfer is slow, or lower `minimumRate.rate`"
            return failure
        case .deadline:
            return overrun("the task exceeded", session.resourceLimit)
        }
    }

    /// A limit of time is exceeded, in words that end before the limit.
    func overrun(_ words: String, _ limit: TimeLimit?) -> TransferFailure {
        var failure = TransferFailure(phase: phase, words, limit)
        failure.isKnownUnprocessed = !hasSentAnything
        failure.adviseLongerLimit()
        return failure
    }

    private func failure(
        _ kind: TransferFailure.Kind,
        _ urlError: TransferFailure.URLErrorCode,
        _ detail: String
    ) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: phase, detail: detail)
        failure.urlError = urlError
        failure.isKnownUnprocessed = !hasSentAnything
        return failure
    }

    // MARK: - Failures of one phase

    /// The attempt fails before its request, and would fail again.
    static func unsent(
        _ kind: TransferFailure.Kind,
        _ urlError: TransferFailure.URLErrorCode,
        _ detail: String,
        help: String? = nil
    ) -> TransferFailure {
        var failure = TransferFailure(kind: kind, phase: .prepare, detail: detail, help: help)
        failure.urlError = urlError
        failure.isPermanent = true
        failure.isKnownUnprocessed = true
        return failure
    }

    /// The response is expected although the body has not left as a whole.
    ///
    /// libcurl then stops sending and reports no error (RFC 9112 §9.6 lets a server close early).
    static var earlyAnswer: TransferFailure {
        truncated("the server answered before it received the whole body", phase: .send)
    }

    /// The body may be cut for want of `close_notify`.
    static var missingCloseNotify: TransferFailure {
        var failure = truncated(
            "the connection ended without close_notify, "
                + "and no length shows that the body is complete"
        )
        failure.help =
            "if this server always closes connections this way, "
            + "set `tls: { closeNotify: optional }`"
        return failure
    }

    /// A body ended before it was whole.
    static func truncated(
        _ detail: String,
        phase: TransferFailure.Phase = .receive
    ) -> TransferFailure {
        var failure = TransferFailure(kind: .truncated, phase: phase, detail: detail)
        failure.urlError = .networkConnectionLost
        return failure
    }

    /// The server's response breaks the protocol.
    static func badResponse(_ detail: String) -> TransferFailure {
        var failure = TransferFailure(kind: .protocolViolation, phase: .receive, detail: detail)
        failure.urlError = .badServerResponse
        return failure
    }
}
