/// Idle connections that libcurl has chosen for a request and was kept from before a byte of the
/// request had left.
///
/// The exchange then begins once more, on a new connection: it has sent nothing, so that this is
/// neither another request nor a retry.
struct RefusedReuse {
    /// So many for one exchange: when libcurl answers a challenge by itself, it takes an idle
    /// connection whatever it is told.
    private static let most = 8

    private var count = 0
    /// Whether the running transfer was stopped for it.
    private(set) var isPending = false

    /// Whether the exchange is to have a new connection.
    var requiresFreshConnection: Bool { count > 0 }

    /// Keeps the exchange from a connection; false when it was kept from too many.
    mutating func refuse() -> Bool {
        guard count < Self.most else { return false }
        count += 1
        isPending = true
        return true
    }

    /// The transfer that was stopped has ended.
    mutating func didEnd() { isPending = false }
}
