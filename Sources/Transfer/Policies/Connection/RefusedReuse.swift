/// Idle connections that libcurl chose for a request and that were refused before a byte of the
/// request was sent.
///
/// The exchange then begins again on a new connection: it sent nothing, so that this is neither
/// another request nor a retry.
struct RefusedReuse {
    /// The most refusals in one exchange: when libcurl answers a challenge by itself, it takes an
    /// idle connection regardless of its options.
    private static let most = 8

    private var count = 0
    /// Whether the running transfer was stopped because of a refusal.
    private(set) var isPending = false

    /// Whether the exchange needs a new connection.
    var requiresFreshConnection: Bool { count > 0 }

    /// Refuses a connection; false when too many were refused.
    mutating func refuse() -> Bool {
        guard count < Self.most else { return false }
        count += 1
        isPending = true
        return true
    }

    /// Notes that the stopped transfer has ended.
    mutating func didEnd() { isPending = false }
}
