internal import SystemKit

/// The data about one task in a report.
package struct TaskRecord: Sendable, Hashable {
    /// One check of the result, in the order of the job file's `expect`.
    package struct Check: Sendable, Hashable {
        /// The subject of a check.
        package enum Name: String, Sendable, Hashable, CaseIterable {
            case clientError
            case statusCode
            case mimeType
            case data
            case decoding
            case content
        }
        /// The subject of the check.
        package var check: Name
        /// Whether the result met the requirement.
        package var passed: Bool
        /// The requirement as text; nil for a check without one.
        package var expected: String?
        /// The found value as text; nil without one.
        package var actual: String?

        /// Creates the result of a check.
        package init(_ check: Name, passed: Bool, expected: String? = nil, actual: String? = nil) {
            self.check = check
            self.passed = passed
            self.expected = expected
            self.actual = actual
        }

        /// Compares bytes: a report copies the text of equal checks.
        package static func == (left: Check, right: Check) -> Bool {
            left.check == right.check && left.passed == right.passed
                && left.expected.map(ByteText.init) == right.expected.map(ByteText.init)
                && left.actual.map(ByteText.init) == right.actual.map(ByteText.init)
        }
    }

    /// One attempt of the task.
    package struct Attempt: Sendable, Hashable {
        /// Why an attempt did not start at once.
        package enum WaitReason: String, Sendable, Hashable, CaseIterable {
            case backoff
            case retryAfter
            /// The origin was paused after a 429 or 503 response to another task.
            case originPaused
            /// The session had sent as many requests as its `limits` permit.
            case requestLimit
            /// No permitted interface led to the peer.
            case connectivity
            /// The machine had no external power.
            case power
        }
        /// From 1.
        package var number: Int
        /// When the attempt began, by the run's clock.
        package var startDate: Timestamp
        /// When the attempt ended, by the run's clock.
        package var endDate: Timestamp
        /// How the attempt ended; `failed` also when another followed.
        package var outcome: TaskOutcome
        /// The kind of the failure, or the status, that ended this attempt.
        package var reason: String?
        /// The wait before this attempt, microseconds.
        package var waitedMicroseconds: Int64 = 0
        /// Why the attempt had to wait; nil when it did not.
        package var waitReason: WaitReason?
        /// The offset of the first received byte of the body; nil for a whole body.
        package var resumedFrom: Int64?
        /// The number of its exchanges without a record.
        package var omittedExchanges = 0

        /// Creates an attempt that ended, without a wait before it.
        package init(number: Int, startDate: Timestamp, endDate: Timestamp, outcome: TaskOutcome) {
            self.number = number
            self.startDate = startDate
            self.endDate = endDate
            self.outcome = outcome
        }
    }

    /// A captured value, without the value itself, which may be secret.
    package struct Capture: Sendable, Hashable {
        /// The capture's name in the job file.
        package var name: String
        /// In UTF-8 bytes.
        package var size: Int

        /// Creates a note of a captured value by its name and size.
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

        /// Creates a note of the attempts in earlier runs.
        package init(attempts: Int, end: EarlierTransfer.End?) {
            self.attempts = attempts
            self.end = end
        }

        /// Whether both describe the same attempts and the same end.
        package static func == (left: Earlier, right: Earlier) -> Bool {
            left.attempts == right.attempts && left.end == right.end
        }

        /// Hashes the attempts and the end.
        package func hash(into hasher: inout Hasher) {
            hasher.combine(attempts)
            hasher.combine(end)
        }
    }

    /// The task's id in the job file.
    package var id: String
    /// From 1, in plan order, as `URLSessionTask.taskIdentifier`.
    package var taskIdentifier: Int
    /// The task's `description` in the job file; nil without one.
    package var taskDescription: String?
    /// The section of the job file that has the task.
    package var kind: TaskSpec.Kind
    /// The name of the task's session.
    package var session: String
    /// The `sessionDescription` of that session in the job file; nil without one.
    package var sessionDescription: String?
    /// From 0 to 1, as `URLSessionTask.priority`.
    package var priority = 0.5
    /// The earliest start that the job file demands, by the run's clock; nil without one.
    package var earliestBeginDate: Timestamp?
    /// How much of its bodies the task has moved.
    package var progress = TransferProgress.none
    /// Where the job file declares the task.
    package var source: SourceLocation
    /// The place of the key in the job file that decides about `error`; nil without one.
    package var cause: SourceLocation?
    /// How the task ended.
    package var outcome: TaskOutcome
    /// Whether this run changed anything at the destination or the server.
    package var changed = false
    /// Whether the run's exit code depends on this task.
    package var required: Bool
    /// The checks that ran, in order, up to the first that failed.
    package var checks: [Check] = []
    /// Why the task did not succeed; nil when it did.
    package var error: TransferFailure?
    /// Whether a later run may not have this failure.
    package var isRetryable = false
    /// Whether this machine lacks space or a permission that a later run may have.
    package var isForWantOfMachine = false
    /// The task's own request, as sent.
    package var originalRequest: TransactionMetrics.SentRequest
    /// The request of the last redirect hop; otherwise the original one.
    package var currentRequest: TransactionMetrics.SentRequest
    /// The head of the final response; nil when no complete head arrived.
    package var response: ResponseHead?
    /// The file that the body became; nil when none was published.
    package var file: PublishedFile?
    /// The evidence that the body is complete; nil when no attempt succeeded.
    package var voucher: BodyVoucher?
    /// The cache's part in the final response; nil without a cache.
    package var cache: CacheVerdict?
    /// Whether the task succeeded by a stored response that its server has not confirmed.
    package var isCached: Bool {
        outcome == .succeeded && (cache?.outcome == .hit || cache?.outcome == .stale)
    }
    /// Whether the task was skipped because a `when` does not hold, which is no failure.
    package var isRefused: Bool { outcome == .skipped && error?.kind == .condition }
    /// Whether the task succeeded, had nothing to do, or did not start because of a `when`.
    package var isGood: Bool { outcome == .succeeded || outcome == .unchanged || isRefused }
    /// In the job file's order; empty unless the task succeeded.
    package var captures: [Capture] = []
    /// The body bytes sent by all attempts of this run.
    package var countOfBytesSent: Int64 = 0
    /// The body bytes received by all attempts of this run.
    package var countOfBytesReceived: Int64 = 0
    /// The length of the request's body, bytes; nil if unknown.
    package var countOfBytesExpectedToSend: Int64?
    /// The announced length of the response's body, bytes; nil if unknown.
    package var countOfBytesExpectedToReceive: Int64?
    /// In order; of many only the first and the last.
    package var attempts: [Attempt] = []
    /// The number of attempts omitted between them; their transactions are omitted too.
    package var omittedAttempts = 0
    /// From the task's creation to its end.
    package var startDate: Timestamp
    /// When the task ended, by the run's clock.
    package var endDate: Timestamp
    /// The number of redirects that were followed, in all attempts.
    package var redirectCount = 0
    /// The exchanges of the recorded attempts, in order of `fetchStartDate`.
    package var transactions: [TransactionMetrics] = []
    /// The wait for an interface or for power, microseconds; nil without one.
    package var heldMicroseconds: Int64?
    /// nil for a task that no earlier run began.
    package var earlier: Earlier?
    /// Whether an earlier run used the same idempotency key; nil without a generated key.
    package var isKeyReused: Bool?
    /// Why the server could not serve parts of the file in the last attempt; nil unless `segments`
    /// requested parts without success.
    package var partRefusal: String?
    /// The conversation of the last attempt; nil without an open connection, and for other tasks.
    package var conversation: ConversationRecord?

    /// The number of attempts in this run.
    package var attemptCount: Int { attempts.count + omittedAttempts }
}

extension TaskRecord {
    /// Creates the record of a task without an attempt.
    package init(
        id: String,
        taskIdentifier: Int,
        taskDescription: String? = nil,
        kind: TaskSpec.Kind,
        session: String,
        source: SourceLocation,
        outcome: TaskOutcome,
        required: Bool,
        request: TransactionMetrics.SentRequest,
        startDate: Timestamp,
        endDate: Timestamp
    ) {
        // Only the memberwise initializer makes so large a value without a copy.
        self.init(
            id: id,
            taskIdentifier: taskIdentifier,
            taskDescription: taskDescription,
            kind: kind,
            session: session,
            source: source,
            outcome: outcome,
            required: required,
            originalRequest: request,
            currentRequest: request,
            startDate: startDate,
            endDate: endDate
        )
    }
}

/// How much of its bodies a task has moved, as `URLSessionTask.progress`.
package struct TransferProgress: Sendable, Hashable {
    /// Body bytes of the request and the response; the part from before the last attempt counts
    /// once.
    package var completedUnitCount: Int64
    /// The length of both bodies; nil while the peer has not announced it.
    package var totalUnitCount: Int64?

    /// From 0 to 1; nil while the total is unknown.
    package var fractionCompleted: Double? {
        guard let totalUnitCount else { return nil }
        // A task without a body has succeeded, because its total is known.
        if totalUnitCount == completedUnitCount { return 1 }
        return Double(completedUnitCount) / Double(totalUnitCount)
    }

    /// The progress of a task without an attempt.
    package static let none = TransferProgress(counts: [], expected: nil, isComplete: false)

    /// Creates the progress of a task that has ended.
    ///
    /// A success is complete, whatever a peer announced; without one the count never passes the
    /// total.
    ///
    /// - Parameters:
    ///   - counts: Body bytes of the last attempt, with the part that it resumed; the sum
    ///     saturates.
    ///   - expected: The lengths of the bodies; nil when one of them is unknown.
    ///   - isComplete: Whether the task has succeeded, or had nothing to do.
    package init(counts: [Int64], expected: [Int64]?, isComplete: Bool) {
        let count = Self.sum(counts)
        if isComplete {
            (completedUnitCount, totalUnitCount) = (count, count)
        } else {
            let total = expected.map(Self.sum).flatMap { $0 > 0 ? $0 : nil }
            completedUnitCount = min(count, total ?? .max)
            totalUnitCount = total
        }
    }

    private static func sum(_ counts: [Int64]) -> Int64 {
        counts.reduce(0 as Int64) { $0.addingSaturated(max(0, $1)) }
    }
}
