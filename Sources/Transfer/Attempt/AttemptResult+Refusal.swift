internal import CurlKit
internal import TransferModel

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
