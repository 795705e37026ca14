internal import TransferModel

/// The multi handle for a request: each session has one, one more for each set of interfaces that
/// tasks forbid in addition, and one for the conversations of each.
struct TransportPositions {
    /// A session under the stricter rules of some tasks, or for their conversations: libcurl closes
    /// a connection that is only opened when another exchange of its multi handle wants its place.
    private struct SpecialSession: Hashable {
        var session: Int
        var access: NetworkAccess
        var isForConversations: Bool
    }

    private let accesses: [NetworkAccess]
    private var special: [SpecialSession: Int] = [:]

    init(of sessions: [SessionConfiguration]) {
        accesses = sessions.map(\.access)
    }

    /// The number of positions so far; those of the sessions come first.
    var count: Int { accesses.count + special.count }

    /// The position of the transport for a request: the session's own, unless the task forbids
    /// more or has a conversation.
    mutating func position(for request: borrowing AttemptRequest) -> Int {
        let session = request.session
        let access = request.access.intersection(accesses[session])
        let isForConversations = request.conversationStart != nil
        if access == accesses[session], !isForConversations { return session }
        let key = SpecialSession(
            session: session,
            access: access,
            isForConversations: isForConversations
        )
        if let position = special[key] { return position }
        let position = count
        special[key] = position
        return position
    }
}
