/// The redirects that one attempt has followed.
struct RedirectTrail {
    /// Each redirected hop in order, as described by `RedirectDecision.visit`.
    private(set) var visited: [String] = []
    /// The number of followed redirects.
    private(set) var count = 0
    /// Whether a request that must not be sent twice was answered, so that the hop only fetches its
    /// result.
    private(set) var followsOrder = false

    /// Notes that a hop was redirected.
    mutating func visit(_ hop: String) { visited.append(hop) }

    /// Notes that a redirect is followed.
    mutating func follow() { count += 1 }

    /// Notes that the redirect turned a request that must not be sent twice into one that only
    /// fetches its result.
    mutating func leaveOrder() { followsOrder = true }

    /// Notes that another leg of an upload begins; the loops of its redirects are checked
    /// separately.
    mutating func beginLeg() { visited = [] }
}
