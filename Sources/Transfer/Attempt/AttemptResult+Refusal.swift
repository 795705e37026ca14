internal import CurlKit
internal import TransferModel

extension AttemptResult {
    /// The end of an attempt that libcurl has no handle for.
    init(refusing request: AttemptRequest, _ code: CurlCode, _ now: MonotonicTime) {
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
        failure = TransferFailure(ExchangeEnd(code: code, phase: .prepare))
    }
}
