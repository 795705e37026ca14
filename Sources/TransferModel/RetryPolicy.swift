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
        package enum Jitter: String, Sendable, Hashable, CaseIterable {
            /// Uniform between zero and the exponential value.
            case full
            case none
        }
        package var initial: Duration = .seconds(1)
        /// At least 1.
        package var factor: Double = 2
        package var maximum: Duration = .seconds(120)
        package var jitter: Jitter = .full

        package init() {}
    }

    /// The most attempts; 1 means no retry.
    package var attempts = 4
    package var backoff = Backoff()
    /// The time for all attempts and waits; nil means only the session's resource timeout.
    package var budget: Duration? = .seconds(15 * 60)
    package var conditions = defaultConditions
    /// 100 to 599; a short list is searched faster than a hash table.
    package var statusCodes = defaultStatusCodes
    package var respectRetryAfter = true
    /// A server that asks for a longer wait gets no retry.
    package var maximumRetryAfter: Duration = .seconds(5 * 60)
    package var `repeat`: Repeat = .automatic

    // Made once: a policy is copied for every task.
    private static let defaultConditions = Set(Condition.allCases)
    private static let defaultStatusCodes = [408, 425, 429, 500, 502, 503, 504]

    package init() {}
}
