/// When to repeat a failed attempt, and how long to wait before.
package struct RetryPolicy: Sendable, Hashable {
    /// The conditions in `retry.on` besides status codes.
    package enum Condition: String, Sendable, Hashable, CaseIterable {
        case dns
        case connect
        case tls
        case timeout
        case stalled
        case reset
        case truncated
        case integrity
    }

    /// Which requests may be repeated.
    package enum Repeat: String, Sendable, Hashable, CaseIterable {
        /// Idempotent methods (RFC 9110 §9.2.2) and requests with an idempotency key; others only
        /// if the server certainly did not process them.
        case automatic
        case always
        case never
    }

    /// The random wait before attempt n + 1.
    package struct Backoff: Sendable, Hashable {
        /// How chance shortens the wait.
        package enum Jitter: String, Sendable, Hashable, CaseIterable {
            /// Uniform between zero and the exponential value.
            case full
            case none
        }
        /// The wait after the first attempt, before jitter.
        package var initial: Duration = .seconds(1)
        /// At least 1.
        package var factor: Double = 2
        /// The largest wait that the growth reaches.
        package var maximum: Duration = .seconds(120)
        /// Whether a random part of the wait is left out.
        package var jitter: Jitter = .full

        /// Creates the default backoff: 1 s, doubled up to 120 s, with full jitter.
        package init() {}
    }

    /// The most attempts; 1 means no retry.
    package var attempts = 4
    /// The growth of the wait from attempt to attempt.
    package var backoff = Backoff()
    /// The time for all attempts and waits; nil means only the session's resource timeout.
    package var budget: Duration? = .seconds(15 * 60)
    /// The kinds of failure that are worth another attempt.
    package var conditions = defaultConditions
    /// 100 to 599; a short list is searched faster than a hash table.
    package var statusCodes = defaultStatusCodes
    /// Whether a longer `Retry-After` of the server replaces the backoff (RFC 9110 §10.2.3).
    package var respectRetryAfter = true
    /// A server that asks for a longer wait gets no retry.
    package var maximumRetryAfter: Duration = .seconds(5 * 60)
    /// Which requests may be sent twice.
    package var `repeat`: Repeat = .automatic

    // Made once: a policy is copied for every task.
    private static let defaultConditions = Set(Condition.allCases)
    private static let defaultStatusCodes = [408, 425, 429, 500, 502, 503, 504]

    /// Creates the default policy: 4 attempts within 15 minutes.
    package init() {}
}
