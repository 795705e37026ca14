package import TransferModel

/// How one try of a task ended, its file already published when it succeeded.
package struct AttemptResult: Sendable {
    package var key: Int
    package var startTime: MonotonicTime
    package var endTime: MonotonicTime
    /// One per exchange, in order.
    package var transactions: [TransactionMetrics]
    package var redirectCount: Int
    /// The request of the last hop.
    package var currentRequest: TransactionMetrics.SentRequest
    /// The final response, also when it was refused.
    package var response: ResponseHead?
    /// Every check that ran, in the order of `expect`, up to and including the first that failed.
    package var checks: [TaskRecord.Check]
    /// nil exactly when the attempt succeeded.
    package var failure: TransferFailure?
    package var file: TaskRecord.PublishedFile?
    package var voucher: TaskRecord.Voucher?
    /// Whether the file that the server named is there already and was to be kept.
    package var isUnchanged = false
    /// What an attempt for a list of checksums has read.
    package var checksums: ChecksumList?
    /// Bytes of the body that was asked for, sent and received, before a content coding is undone.
    package var countOfBytesSent: Int64
    package var countOfBytesReceived: Int64
    package var countOfBytesExpectedToSend: Int64?
    package var countOfBytesExpectedToReceive: Int64?

    package init(
        key: Int,
        startTime: MonotonicTime,
        endTime: MonotonicTime,
        currentRequest: TransactionMetrics.SentRequest
    ) {
        self.key = key
        self.startTime = startTime
        self.endTime = endTime
        transactions = []
        redirectCount = 0
        self.currentRequest = currentRequest
        checks = []
        countOfBytesSent = 0
        countOfBytesReceived = 0
    }
}

/// Where a running attempt stands.
package struct AttemptProgress: Sendable, Hashable {
    package var key: Int
    package var countOfBytesSent: Int64
    package var countOfBytesReceived: Int64
    /// Of the direction that carries the payload; nil when the length is not known.
    package var countOfBytesExpected: Int64?

    package init(
        key: Int,
        countOfBytesSent: Int64,
        countOfBytesReceived: Int64,
        countOfBytesExpected: Int64?
    ) {
        self.key = key
        self.countOfBytesSent = countOfBytesSent
        self.countOfBytesReceived = countOfBytesReceived
        self.countOfBytesExpected = countOfBytesExpected
    }
}
