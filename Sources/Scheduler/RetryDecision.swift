internal import SystemKit
package import TransferModel

/// Whether a failed attempt is repeated, and after which wait.
package enum RetryDecision: Sendable, Hashable {
    case retry(after: Duration, TaskRecord.Attempt.WaitReason)
    case giveUp(Reason)

    /// Why an attempt is the last one.
    package enum Reason: Sendable, Hashable {
        /// Repeating cannot help, or the policy does not name this failure.
        case notRetried
        case attemptsExhausted
        /// The request may have had its effect and must not have it twice.
        case outcomeUnknown
        /// The policy repeats nothing.
        case repeatNever
        /// The server asks for a wait longer than `maximumRetryAfter`.
        case retryAfterTooLong(Duration)
        /// The next attempt would begin after the task's retry budget or resource timeout.
        case outOfTime
        /// The run's retry budget is used up.
        case runBudgetExhausted
    }

    /// Whether no other attempt follows, because of a server's answer or too many of them.
    var isFinal: Bool {
        switch self {
        case .giveUp(.notRetried), .giveUp(.attemptsExhausted), .giveUp(.retryAfterTooLong): true
        default: false
        }
    }

    /// The history of a task when one of its attempts has failed.
    package struct History: Sendable, Hashable {
        /// Attempts so far, the failed one included, without the attempts before the last that made
        /// progress; at least 1.
        package var attempts: Int
        /// Until the task's retry budget or its resource timeout ends, whichever is first; nil
        /// means no limit.
        package var remaining: Duration?
        /// Whether an earlier attempt received a response that breaks the rules of HTTP.
        package var hasBrokenFraming: Bool
        /// Whether the failed attempt is the first with a wrong file, and the file has parts of
        /// several attempts or servers.
        package var joinedParts: Bool
        /// Whether another attempt can resume the upload of the failed attempt: confirmed bytes are
        /// not sent twice.
        package var leavesUpload: Bool
        /// The wait that the response asks for, if it asks for a usable one.
        package var retryAfter: Duration?
        /// The status of the response; nil without one.
        package var status: Int?

        /// Creates the history of a task after `attempts` attempts.
        package init(
            attempts: Int,
            remaining: Duration? = nil,
            hasBrokenFraming: Bool = false,
            joinedParts: Bool = false,
            leavesUpload: Bool = false,
            retryAfter: Duration? = nil,
            status: Int? = nil
        ) {
            self.attempts = attempts
            self.remaining = remaining
            self.hasBrokenFraming = hasBrokenFraming
            self.joinedParts = joinedParts
            self.leavesUpload = leavesUpload
            self.retryAfter = retryAfter
            self.status = status
        }
    }

    /// Decides on a failed attempt.
    ///
    /// `dice`, from 0 up to but not including 1, is the part of the backoff that is waited.
    package static func decide(
        _ failure: TransferFailure,
        of request: RequestSpec,
        under policy: RetryPolicy,
        history: History,
        dice: Double
    ) -> RetryDecision {
        // The parts of a file may come from two versions: fetch it once more from its first byte,
        // whatever the policy says.
        if failure.kind.isOfWrongBytes, history.joinedParts, policy.repeat != .never {
            return .retry(after: .zero, .backoff)
        }
        guard isTransient(failure, of: request, under: policy, history: history) else {
            return .giveUp(.notRetried)
        }
        if policy.repeat == .never { return .giveUp(.repeatNever) }
        guard
            policy.repeat == .always || history.leavesUpload
                || isSafeToRepeat(request, after: failure)
        else {
            return .giveUp(failure.isOfCheck ? .notRetried : .outcomeUnknown)
        }
        guard history.attempts < policy.attempts else { return .giveUp(.attemptsExhausted) }

        let own = backoff(policy.backoff, after: history.attempts, dice: dice)
        let asked = policy.respectRetryAfter ? history.retryAfter : nil
        if let asked, asked > policy.maximumRetryAfter {
            return .giveUp(.retryAfterTooLong(asked))
        }
        let wait = max(own, asked ?? .zero)
        if let remaining = history.remaining, wait >= remaining { return .giveUp(.outOfTime) }
        return .retry(after: wait, asked.map { $0 > own } == true ? .retryAfter : .backoff)
    }

    /// The wait after attempt number `attempts`: `initial × factor^(attempts - 1)`, at most
    /// `maximum`.
    ///
    /// With `initial` 1 s, `factor` 2, `maximum` 10 s and no jitter: 1, 2, 4, 8, 10, 10 s. Full
    /// jitter multiplies by `dice`.
    package static func backoff(
        _ backoff: RetryPolicy.Backoff,
        after attempts: Int,
        dice: Double
    ) -> Duration {
        let maximum = Double(backoff.maximum.nanoseconds)
        var wait = Double(backoff.initial.nanoseconds)
        var step = 1
        while step < attempts, wait < maximum, wait > 0, backoff.factor > 1 {
            wait *= backoff.factor
            step += 1
        }
        wait = min(wait, maximum)
        if backoff.jitter == .full { wait *= dice }
        // 2⁶³ is the first value that the conversion cannot take.
        return .nanoseconds(wait < 0x1p63 ? Int64(max(wait, 0)) : .max)
    }

    /// Whether the policy names this failure as one that may pass by itself.
    private static func isTransient(
        _ failure: TransferFailure,
        of request: RequestSpec,
        under policy: RetryPolicy,
        history: History
    ) -> Bool {
        // A response that fails a check may pass it later, such as the response about a running
        // job.
        if failure.isOfCheck { return history.status.map(policy.statusCodes.contains) ?? false }
        if failure.isPermanent { return false }
        switch failure.symptom ?? failure.kind {
        case .resolve: return policy.conditions.contains(.dns)
        case .connect: return policy.conditions.contains(.connect)
        case .tls: return policy.conditions.contains(.tls)
        case .timeout: return policy.conditions.contains(.timeout)
        case .stalled: return policy.conditions.contains(.stalled)
        case .reset: return policy.conditions.contains(.reset)
        case .truncated: return policy.conditions.contains(.truncated)
        case .integrity, .signature: return policy.conditions.contains(.integrity)
        // Broken framing can be a connection that broke: one more try, not a second one.
        case .protocolViolation:
            return policy.conditions.contains(.truncated) && !history.hasBrokenFraming
        case .httpStatus:
            guard let status = failure.httpStatus else { return false }
            // 409 under an idempotency key: the first request is still being processed
            // (draft-ietf-httpapi-idempotency-key-header §2.7).
            return policy.statusCodes.contains(status)
                || status == 409 && request.hasIdempotencyKey
        case .mimeType, .tooLarge, .content, .redirectLimit, .rangeMismatch, .localIO, .cache,
            .cancelled, .condition, .engine, .network, .power, .suspended:
            return false
        }
    }

    /// Whether the server may have acted on a request that it must not get twice.
    package static func leavesOutcomeUnknown(
        _ failure: TransferFailure,
        of request: RequestSpec,
        under policy: RetryPolicy
    ) -> Bool {
        guard policy.repeat != .always, !isSafeToRepeat(request, after: failure) else {
            return false
        }
        switch failure.kind {
        // Failures before a request are known to be unprocessed, except after another request of
        // the attempt.
        case .resolve, .connect, .tls, .timeout, .stalled, .reset, .truncated, .protocolViolation,
            .cancelled, .network:
            return true
        case .httpStatus:
            return failure.followsOrder
                || failure.httpStatus.map { $0 >= 500 || $0 == 408 } ?? false
        case .redirectLimit, .engine: return failure.followsOrder
        // The response is there, and does not fit.
        case .mimeType, .tooLarge, .content, .rangeMismatch, .integrity, .signature, .localIO,
            .cache, .power, .suspended, .condition:
            return false
        }
    }

    private static func isSafeToRepeat(
        _ request: RequestSpec,
        after failure: TransferFailure
    ) -> Bool {
        if failure.followsMessages { return false }
        if request.isIdempotent || request.hasIdempotencyKey || failure.isKnownUnprocessed {
            return true
        }
        if failure.followsOrder { return false }
        // Statuses that say that the request was refused before it was acted on.
        switch failure.httpStatus {
        case 417, 425, 429: return true
        default: return false
        }
    }
}

extension TransferFailure {
    /// Whether the response is there, and a check other than the status check refused it.
    fileprivate var isOfCheck: Bool {
        switch kind {
        case .mimeType, .tooLarge, .content: true
        default: false
        }
    }
}

/// The wait that a response asks for (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The wait in the first `Retry-After` field, as whole seconds or as a date.
    ///
    /// A date is compared with the response's own `Date`, so that a wrong clock does not change the
    /// wait. The result is nil without the field, and for an invalid value, a negative number or a
    /// past date. A number that is too large gives the longest wait that fits a `Duration` of
    /// nanoseconds.
    ///
    /// - Parameters:
    ///   - fields: The response's.
    ///   - now: The present, for a response without a `Date`.
    /// - Returns: The wait.
    static func wait(in fields: HeaderFields, now: Timestamp) -> Duration? {
        guard let value = fields["retry-after"] else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy(\.isDigit) {
            return .seconds(min(Int64(value) ?? .max, longestSeconds))
        }
        let start = fields["date"].flatMap { HTTPDate.parse($0, now: now) } ?? now
        guard let date = HTTPDate.parse(value, now: now), date > start else { return nil }
        return .microseconds(date.microseconds(since: start))
    }

    private static let longestSeconds = Int64.max / 1_000_000_000
}

/// The run's own bound on retries: a bucket of tokens from which each retry takes one and to which
/// each success returns a tenth.
///
/// It keeps a run from doubling the load of an origin that is failing: once the bucket is empty,
/// one retry in ten successes is all there is. The bucket starts full. Its 500 tokens let every
/// task of a job of 160 have all three retries of the default policy, however badly things go; a
/// task that asks for more attempts than that can have them all, too.
struct RetryBudget {
    /// How many tokens the bucket holds at least.
    static let usualCapacity = 500

    private let capacity: Int
    private var tenths: Int

    /// A bucket of that many tokens; `tokens` is how many of them are there at first, nil for all.
    init(capacity: Int = usualCapacity, tokens: Int? = nil) {
        self.capacity = capacity
        tenths = (tokens ?? capacity) * 10
    }

    /// The full bucket of a job whose most patient task has that many attempts, at least 1.
    init(mostAttempts: Int) {
        self.init(capacity: max(Self.usualCapacity, mostAttempts - 1))
    }

    /// Takes a token for a retry; false when there is none.
    mutating func take() -> Bool {
        guard tenths >= 10 else { return false }
        tenths -= 10
        return true
    }

    /// Returns the tenth of a token that a success is worth.
    mutating func deposit() {
        tenths = min(tenths + 1, capacity * 10)
    }
}
