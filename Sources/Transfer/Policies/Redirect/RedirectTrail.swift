/// The redirects that one attempt has followed.
struct RedirectTrail {
    /// Each hop that was redirected, in order, as `RedirectDecision.visit` describes it.
    private(set) var visited: [String] = []
    /// How many redirects were followed.
    private(set) var count = 0
    /// Whether a request that must not be sent twice was answered, and the hop only fetches its
    /// result.
    private(set) var followsOrder = false

    /// A hop was redirected.
    mutating func visit(_ hop: String) { visited.append(hop) }

    /// Another request is sent to where a redirect leads.
    mutating func follow() { count += 1 }

    /// The redirect has turned a request that must not be sent twice into one that only fetches its
    /// result.
    mutating func leaveOrder() { followsOrder = true }

    /// Another leg of an upload begins, whose redirects are checked by themselves.
    mutating func beginLeg() { visited = [] }
}
