/// How a task ended.
package enum TaskOutcome: String, Sendable, Hashable, CaseIterable {
    case succeeded
    /// Nothing had to be done: the destination is there and was to be kept.
    case unchanged
    case failed
    /// The network policy, a window or missing connectivity kept it from starting.
    case deferred
    case cancelled
    /// A needed task did not succeed.
    case skipped
}

/// Everything that a report keeps of one task.
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

    /// One try of the task.
    package struct Attempt: Sendable, Hashable {
        package enum WaitReason: String, Sendable, Hashable, CaseIterable {
            case backoff
            case retryAfter
            /// The whole origin was paused after a 429 or 503 to another task.
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
        /// The failure's kind, or the status, that made this attempt fail.
        package var reason: String?
        /// The wait before this attempt, microseconds.
        package var waitedMicroseconds: Int64 = 0
        package var waitReason: WaitReason?
        /// The position from which on the body was received; nil when it was from its first byte.
        package var resumedFrom: Int64?
        /// How many of its exchanges have no record of their own.
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

    /// The file that a response body became.
    package struct PublishedFile: Sendable, Hashable {
        /// The path as the job file has it.
        package var path: String
        package var size: Int64
        /// 64 hexadecimal digits; nil when no checksum was asked for and none was computed.
        package var sha256: String?
        /// The position from which on the last attempt has received it; nil when it was from its
        /// first byte.
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

    /// Who says that the body is complete.
    package enum Voucher: String, Sendable, Hashable, CaseIterable {
        /// The one that the job asks for.
        case checksum
        /// The one that the server gives (RFC 9530).
        case digest
        case length
        /// Nobody: a body without a length or a checksum that ends with its connection or its
        /// HTTP/2 stream.
        case none
    }

    /// That a value was captured; the value itself may be a secret and is not told.
    package struct Capture: Sendable, Hashable {
        package var name: String
        /// In bytes of UTF-8.
        package var size: Int

        package init(name: String, size: Int) {
            self.name = name
            self.size = size
        }
    }

    /// What earlier runs of a background session had to do with a task.
    ///
    /// A class, because few tasks have it and records go through many hands.
    package final class Earlier: Sendable, Hashable {
        /// How many tries those runs have made.
        package let attempts: Int
        /// How the task ended in one of them; nil when this run has ended it.
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
    /// Whether anything at the destination or the server was changed by this run.
    package var changed: Bool
    package var required: Bool
    package var checks: [Check]
    package var error: TransferFailure?
    /// Whether the failure is one that a later run may not meet.
    package var isRetryable = false
    /// Whether this machine lacks something, room or a right, that a later run may find.
    package var isForWantOfMachine = false
    package var originalRequest: TransactionMetrics.SentRequest
    /// The request of the last redirect hop; the original one when there was none.
    package var currentRequest: TransactionMetrics.SentRequest
    package var response: ResponseHead?
    package var file: PublishedFile?
    package var voucher: Voucher?
    /// What the cache had to do with the final response; nil when the session or the task has none.
    package var cache: CacheVerdict?
    /// In the order of the job file; none unless the task succeeded.
    package var captures: [Capture]
    package var countOfBytesSent: Int64
    package var countOfBytesReceived: Int64
    package var countOfBytesExpectedToSend: Int64?
    package var countOfBytesExpectedToReceive: Int64?
    /// In their order; of many the first and the last ones.
    package var attempts: [Attempt]
    /// How many there were between those, of which there are no transactions either.
    package var omittedAttempts = 0
    /// From the task's creation to its end.
    package var startDate: Timestamp
    package var endDate: Timestamp
    package var redirectCount: Int
    package var transactions: [TransactionMetrics]
    /// How long it waited for an interface or for power, microseconds; nil when it did not.
    package var heldMicroseconds: Int64?
    /// nil for a task that no earlier run has begun.
    package var earlier: Earlier?
    /// Whether an earlier run has begun the order under the same idempotency key; nil when none was
    /// made for it.
    package var isKeyReused: Bool?

    /// How many attempts this run has made.
    package var attemptCount: Int { attempts.count + omittedAttempts }

    /// Takes all but the error; what is left out is that of a task that no attempt was made of.
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
