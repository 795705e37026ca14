/// When a failed attempt is repeated, and how long the wait before it is.
package struct RetryPolicy: Sendable, Hashable {
    /// What `retry.on` may name besides status codes.
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

    /// Which requests may be sent a second time.
    package enum Repeat: String, Sendable, Hashable, CaseIterable {
        /// Idempotent methods (RFC 9110 §9.2.2) and requests with an idempotency key; others only
        /// when the request is known not to have been processed.
        case automatic
        case always
        case never
    }

    /// How the wait before attempt n + 1 is drawn.
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

    /// All tries; 1 means no retry.
    package var attempts = 4
    package var backoff = Backoff()
    /// All attempts and waits together; nil means no limit but the session's resource timeout.
    package var budget: Duration? = .seconds(15 * 60)
    package var conditions = defaultConditions
    /// 100 to 599; a handful, looked through faster than hashed.
    package var statusCodes = defaultStatusCodes
    package var respectRetryAfter = true
    /// A server that asks for more than this is given up at once.
    package var maximumRetryAfter: Duration = .seconds(5 * 60)
    package var `repeat`: Repeat = .automatic

    // Made once: a policy is copied for every task.
    private static let defaultConditions = Set(Condition.allCases)
    private static let defaultStatusCodes = [408, 425, 429, 500, 502, 503, 504]

    package init() {}
}
