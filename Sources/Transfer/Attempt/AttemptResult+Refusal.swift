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
    static func ofStuckThread(_ request: RequestSpec, isCause: Bool) -> TransferFailure {
        var failure = TransferFailure(
            kind: isCause ? .engine : .reset,
            phase: .wait,
            detail: isCause
                ? "a library did not return from a call for the transfer, whose thread was left behind"
                : "the thread of the transfer was left behind: a library did not return from a call "
                    + "for another one"
        )
        failure.isPermanent = isCause
        failure.isOutcomeUnknown = isCause && !request.isIdempotent && !request.hasIdempotencyKey
        return failure
    }
}
