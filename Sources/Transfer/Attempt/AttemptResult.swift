internal import CurlKit
package import TransferModel

/// How one try of a task ended, its file already published when it succeeded.
package struct AttemptResult: Sendable {
    /// The key of the attempt's request.
    package var key: Int
    /// When the attempt began.
    package var startTime: MonotonicTime
    /// When the attempt's last exchange had ended.
    package var endTime: MonotonicTime
    /// One per exchange, in order.
    package var transactions: [TransactionMetrics] = []
    /// How many between the first and the last of them are left out.
    package var omittedTransactions = 0
    /// The number of followed redirects.
    package var redirectCount = 0
    /// The request of the last hop.
    package var currentRequest: TransactionMetrics.SentRequest
    /// The final response, also when it was refused.
    package var response: ResponseHead?
    /// The answer of a proxy that has refused a tunnel to the origin.
    package var proxyResponse: ResponseHead?
    /// Every check that ran, in the order of `expect`, up to and including the first that failed.
    package var checks: [TaskRecord.Check] = []
    /// nil exactly when the attempt succeeded.
    package var failure: TransferFailure?
    /// Whether it succeeded and published nothing, because a file that was to be kept has appeared
    /// meanwhile, or has the name that the server gave.
    package var isUnchanged = false
    /// nil when no file was published.
    package var file: PublishedFile?
    /// The evidence that the body is whole; nil when the attempt failed.
    package var voucher: BodyVoucher?
    /// The cache's verdict; nil for an attempt without a cache.
    package var cache: CacheVerdict?
    /// nil when the attempt resumed no transfer and left none to resume.
    package var resume: ResumeOutcome?
    /// The mirrors that have sent parts of the file beside the requested URL.
    package var mirrors: [Origin] = []
    /// Why the task's own server could not serve parts of its file; nil unless it was asked for
    /// some.
    package var partRefusal: String?
    /// The requests for parts of the file, each of which had a turn under the limit of requests.
    package var partRequests = 0
    /// The entries that an attempt for a list of checksums has read.
    package var checksums: ChecksumList?
    /// One value for each capture when the attempt succeeded, else none.
    package var captured: [CapturedValue] = []
    /// Sent body bytes, repetitions included, without the framing of chunks
    /// (`URLSessionTask.countOfBytesSent`).
    package var countOfBytesSent: Int64 = 0
    /// Body bytes of the final response before a content coding is undone
    /// (`URLSessionTask.countOfBytesReceived`).
    ///
    /// The body of a redirect is not the task's.
    package var countOfBytesReceived: Int64 = 0
    /// nil when the length of the body is unknown.
    package var countOfBytesExpectedToSend: Int64?
    /// nil when the response announced no length.
    package var countOfBytesExpectedToReceive: Int64?
    /// The conversation of a stream or WebSocket task; nil when no connection was open.
    package var conversation: ConversationRecord?
}

extension AttemptResult {
    /// Creates the result of an attempt without an exchange.
    package init(
        key: Int,
        startTime: MonotonicTime,
        endTime: MonotonicTime,
        currentRequest: TransactionMetrics.SentRequest
    ) {
        // Only the memberwise initializer makes so large a value without a copy.
        self.init(
            key: key,
            startTime: startTime,
            endTime: endTime,
            transactions: [],
            currentRequest: currentRequest
        )
    }
}

/// The progress of a running attempt.
package struct AttemptProgress: Sendable, Hashable {
    /// The key of the attempt's request.
    package var key: Int
    /// The sent body bytes.
    package var countOfBytesSent: Int64
    /// The received body bytes of the running exchange.
    package var countOfBytesReceived: Int64
    /// The expected bytes of the payload's direction; nil when the length is not known.
    package var countOfBytesExpected: Int64?
    /// Body bytes from before the attempt, which the other counts do not include.
    package var countOfBytesResumed: Int64
    /// Whether the session's bandwidth makes the attempt wait.
    package var isAwaitingBandwidth = false
    /// The step of the running exchange; nil if unknown.
    package var phase: TransferFailure.Phase?

    /// Creates the progress of an attempt.
    package init(
        key: Int,
        countOfBytesSent: Int64,
        countOfBytesReceived: Int64,
        countOfBytesExpected: Int64?,
        countOfBytesResumed: Int64 = 0
    ) {
        self.key = key
        self.countOfBytesSent = countOfBytesSent
        self.countOfBytesReceived = countOfBytesReceived
        self.countOfBytesExpected = countOfBytesExpected
        self.countOfBytesResumed = countOfBytesResumed
    }
}
