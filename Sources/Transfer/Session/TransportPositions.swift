internal import TransferModel

/// Which multi handle carries a request: each session has one, and each set of interfaces that
/// tasks forbid besides.
struct TransportPositions {
    /// A session as tasks use it that forbid more.
    private struct TightenedSession: Hashable {
        var session: Int
        var access: NetworkAccess
    }

    private let accesses: [NetworkAccess]
    private var tightened: [TightenedSession: Int] = [:]

    init(of sessions: [SessionConfiguration]) {
        accesses = sessions.map(\.access)
    }

    /// How many there are so far: those of the sessions come first.
    var count: Int { accesses.count + tightened.count }

    /// The position of what carries a request: the session's own, unless the task forbids more.
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
