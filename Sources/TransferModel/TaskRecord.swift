/// How a task ended.
package enum TaskOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded
    /// The destination already existed and was kept.
    case unchanged
    case failed
    /// A network policy, a window or missing connectivity prevented its start.
    case deferred
    case cancelled
    /// A task that it needs did not succeed.
    case skipped
}

/// The data about one task in a report.
package struct TaskRecord: Sendable, Hashable {
    /// One check of the result, in the order of the job file's `expect`.
    package struct Check: Sendable, Hashable {
        package enum Name: String, Sendable, Hashable, CaseIterable {
            case clientError
            case statusCode
            case mimeType
            case data
            case decoding
            case content
        }
        package var check: Name
        package var passed: Bool
        package var expected: String?
        package var actual: String?

        package init(
            _ check: Name,
            passed: Bool,
            expected: String? = nil,
            actual: String? = nil
        ) {
            self.check = check
            self.passed = passed
            self.expected = expected
            self.actual = actual
        }
    }

    /// One attempt of the task.
    package struct Attempt: Sendable, Hashable {
        package enum WaitReason: String, Sendable, Hashable, CaseIterable {
            case backoff
            case retryAfter
            /// The origin was paused after a 429 or 503 response to another task.
            case originPaused
            /// No permitted interface led to the peer.
            case connectivity
            /// The machine had no external power.
            case power
        }
        /// From 1.
        package var number: Int
        package var startDate: Timestamp
        package var endDate: Timestamp
        package var outcome: TaskOutcome
        /// The kind of the failure, or the status, that ended this attempt.
        package var reason: String?
        /// The wait before this attempt, microseconds.
        package var waitedMicroseconds: Int64 = 0
        package var waitReason: WaitReason?
        /// The offset of the first received byte of the body; nil for a whole body.
        package var resumedFrom: Int64?
        /// The number of its exchanges without a record.
        package var omittedExchanges = 0

        package init(
            number: Int,
            startDate: Timestamp,
            endDate: Timestamp,
            outcome: TaskOutcome
        ) {
            self.number = number
            self.startDate = startDate
            self.endDate = endDate
            self.outcome = outcome
        }
    }

    /// The published file of a response body.
    package struct PublishedFile: Sendable, Hashable {
        /// The path as in the job file.
        package var path: String
        package var size: Int64
        /// 64 hexadecimal digits; nil when no checksum was computed.
        package var sha256: String?
        /// The offset at which the last attempt resumed; nil for a whole file.
        package var resumedFrom: Int64?

        package init(
            path: String,
            size: Int64,
            sha256: String? = nil,
            resumedFrom: Int64? = nil
        ) {
            self.path = path
            self.size = size
            self.sha256 = sha256
            self.resumedFrom = resumedFrom
        }
    }

    /// The evidence that the body is complete.
    package enum Voucher: String, Sendable, Hashable, CaseIterable {
        /// The checksum in the job.
        case checksum
        /// The digest from the server (RFC 9530).
        case digest
        case length
        /// No evidence: a body without length and checksum that ends with its connection or HTTP/2
        /// stream.
        case none
    }

    /// A captured value, without the value itself, which may be secret.
    package struct Capture: Sendable, Hashable {
        package var name: String
        /// In UTF-8 bytes.
        package var size: Int

        package init(name: String, size: Int) {
            self.name = name
            self.size = size
        }
    }

    /// The part of a task that earlier runs of a background session did.
    ///
    /// A class, because few tasks have it and records are passed on often.
    package final class Earlier: Sendable, Hashable {
        /// The number of attempts in those runs.
        package let attempts: Int
        /// How the task ended in one of them; nil if it ended in this run.
        package let end: EarlierTransfer.End?

        package init(attempts: Int, end: EarlierTransfer.End?) {
            self.attempts = attempts
            self.end = end
        }

        package static func == (left: Earlier, right: Earlier) -> Bool {
            left.attempts == right.attempts && left.end == right.end
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(attempts)
            hasher.combine(end)
        }
    }

    package var id: String
    /// From 1, in plan order, as `URLSessionTask.taskIdentifier`.
    package var taskIdentifier: Int
    package var taskDescription: String?
    package var kind: TaskSpec.Kind
    package var session: String
    package var source: SourceLocation
    package var outcome: TaskOutcome
    /// Whether this run changed anything at the destination or the server.
    package var changed: Bool
    package var required: Bool
    package var checks: [Check]
    package var error: TransferFailure?
    /// Whether a later run may not have this failure.
    package var isRetryable = false
    /// Whether this machine lacks space or a permission that a later run may have.
    package var isForWantOfMachine = false
    package var originalRequest: TransactionMetrics.SentRequest
    /// The request of the last redirect hop; otherwise the original one.
    package var currentRequest: TransactionMetrics.SentRequest
    package var response: ResponseHead?
    package var file: PublishedFile?
    package var voucher: Voucher?
    /// The cache's part in the final response; nil without a cache.
    package var cache: CacheVerdict?
    /// In the job file's order; empty unless the task succeeded.
    package var captures: [Capture]
    package var countOfBytesSent: Int64
    package var countOfBytesReceived: Int64
    package var countOfBytesExpectedToSend: Int64?
    package var countOfBytesExpectedToReceive: Int64?
    /// In order; of many only the first and the last.
    package var attempts: [Attempt]
    /// The number of attempts omitted between them; their transactions are omitted too.
    package var omittedAttempts = 0
    /// From the task's creation to its end.
    package var startDate: Timestamp
    package var endDate: Timestamp
    package var redirectCount: Int
    package var transactions: [TransactionMetrics]
    /// The wait for an interface or for power, microseconds; nil without one.
    package var heldMicroseconds: Int64?
    /// nil for a task that no earlier run began.
    package var earlier: Earlier?
    /// Whether an earlier run used the same idempotency key; nil without a generated key.
    package var isKeyReused: Bool?

    /// The number of attempts in this run.
    package var attemptCount: Int { attempts.count + omittedAttempts }

    /// Takes all properties but the error; the defaults are for a task without an attempt.
    package init(
        id: String,
        taskIdentifier: Int,
        taskDescription: String? = nil,
        kind: TaskSpec.Kind,
        session: String,
        source: SourceLocation,
        outcome: TaskOutcome,
        changed: Bool = false,
        required: Bool,
        checks: [Check] = [],
        request: TransactionMetrics.SentRequest,
        currentRequest: TransactionMetrics.SentRequest? = nil,
        response: ResponseHead? = nil,
        file: PublishedFile? = nil,
        voucher: Voucher? = nil,
        cache: CacheVerdict? = nil,
        captures: [Capture] = [],
        countOfBytesSent: Int64 = 0,
        countOfBytesReceived: Int64 = 0,
        countOfBytesExpectedToSend: Int64? = nil,
        countOfBytesExpectedToReceive: Int64? = nil,
        attempts: [Attempt] = [],
        startDate: Timestamp,
        endDate: Timestamp,
        redirectCount: Int = 0,
        transactions: [TransactionMetrics] = []
    ) {
        self.id = id
        self.taskIdentifier = taskIdentifier
        self.taskDescription = taskDescription
        self.kind = kind
        self.session = session
        self.source = source
        self.outcome = outcome
        self.changed = changed
        self.required = required
        self.checks = checks
        originalRequest = request
        self.currentRequest = currentRequest ?? request
        self.response = response
        self.file = file
        self.voucher = voucher
        self.cache = cache
        self.captures = captures
        self.countOfBytesSent = countOfBytesSent
        self.countOfBytesReceived = countOfBytesReceived
        self.countOfBytesExpectedToSend = countOfBytesExpectedToSend
        self.countOfBytesExpectedToReceive = countOfBytesExpectedToReceive
        self.attempts = attempts
        self.startDate = startDate
        self.endDate = endDate
        self.redirectCount = redirectCount
        self.transactions = transactions
    }
}
