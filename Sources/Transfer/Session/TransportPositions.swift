internal import TransferModel

/// The multi handle for a request: each session has one, and one more for each set of interfaces
/// that tasks forbid in addition.
struct TransportPositions {
    /// A session under the stricter rules of some tasks.
    private struct TightenedSession: Hashable {
        var session: Int
        var access: NetworkAccess
    }

    private let accesses: [NetworkAccess]
    private var tightened: [TightenedSession: Int] = [:]

    init(of sessions: [SessionConfiguration]) {
        accesses = sessions.map(\.access)
    }

    /// The number of positions so far; those of the sessions come first.
    var count: Int { accesses.count + tightened.count }

    /// The position of the transport for a request: the session's own, unless the task forbids
    /// more.
    mutating func position(for request: borrowing AttemptRequest) -> Int {
        let session = request.session
        let access = request.access.intersection(accesses[session])
        if access == accesses[session] { return session }
        let key = TightenedSession(session: session, access: access)
        if let position = tightened[key] { return position }
        let position = count
        tightened[key] = position
        return position
    }
}
