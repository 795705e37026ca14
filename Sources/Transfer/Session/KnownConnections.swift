internal import CurlKit

/// The connections of one session on one engine thread, by their ends.
///
/// Closed connections stay until a new one has the same ends: no two open connections share both
/// ends.
struct KnownConnections {
    private struct Entry {
        var number: Int
        /// nil if unknown.
        var socket: ConnectionSocket?
    }

    private let share: EngineShare
    private var entries: [ConnectionFacts: Entry] = [:]
    private var count = 0
    /// The numbers of the connections that carried bytes beyond the end of a response.
    private var spoiled: Set<Int> = []

    init(_ share: EngineShare) {
        self.share = share
    }

    /// The number of a connection: a new one gets the next, a reused one keeps its own.
    ///
    /// `socket` finds the socket of a new connection.
    mutating func number(
        of connection: ConnectionFacts,
        isNew: Bool,
        socket: () -> ConnectionSocket?
    ) -> Int {
        if !isNew, let entry = entries[connection] { return entry.number }
        let number = share.number(of: count)
        count += 1
        entries[connection] = Entry(number: number, socket: isNew ? socket() : nil)
        return number
    }

    /// Notes that a connection carried bytes beyond the end of a response.
    mutating func spoil(_ number: Int) { spoiled.insert(number) }

    /// Whether an idle connection is silent since its last response and still open at the peer's
    /// side.
    ///
    /// A peer may close a connection at any time (RFC 9112 §9.5); other bytes belong to no request
    /// (§6.3).
    mutating func isClean(_ connection: ConnectionFacts) -> Bool {
        guard let entry = entries[connection], entry.socket?.isSilent == true else { return false }
        return spoiled.isEmpty || spoiled.remove(entry.number) == nil
    }
}
