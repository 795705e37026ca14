internal import CurlKit
internal import TransferModel

/// How far the running step of a stream has come.
struct StreamStepProgress {
    /// When the step began.
    let start: MonotonicTime
    /// The bytes that the step has sent or taken.
    var byteCount: Int64 = 0
    /// Whether the step has given all its bytes to the output, or has begun to wait for TLS.
    var isSent = false
    /// The TLS that the step has begun.
    var facts: TLSFacts?

    init(at start: MonotonicTime) {
        self.start = start
    }
}

/// Why the bytes of a step are not as the job file says.
struct StreamFault: Error, Hashable {
    var kind: TransferFailure.Kind
    var urlError: TransferFailure.URLErrorCode
    var detail: String

    /// The bytes do not meet the expectation of their step.
    static func content(_ detail: String) -> StreamFault {
        StreamFault(kind: .content, urlError: .badServerResponse, detail: detail)
    }

    static func tooLarge(_ limit: Int64) -> StreamFault {
        StreamFault(
            kind: .tooLarge,
            urlError: .dataLengthExceedsMaximum,
            detail: "more than \(limit) bytes arrived (`maximumSize`)"
        )
    }
}
