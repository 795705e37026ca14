internal import CurlKit

/// The connections of one session on one engine thread, by their ends.
///
/// Closed ones stay until another one has their ends: no two connections that live at the same time
/// share both.
struct KnownConnections {
    private struct Entry {
        var number: Int
        /// nil when it is not known.
        var socket: ConnectionSocket?
    }

    private let share: EngineShare
    private var entries: [ConnectionFacts: Entry] = [:]
    private var count = 0
    /// The numbers of those on which more came than a response has.
    private var spoiled: Set<Int> = []

    init(_ share: EngineShare) {
        self.share = share
    }

    /// The number of a connection: a new one gets the next, a reused one keeps its own.
    ///
    /// `socket` finds that of a new one.
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

    /// Notes that more came on a connection than a response has.
    mutating func spoil(_ number: Int) { spoiled.insert(number) }

    /// Whether nothing has come on an idle connection since its last response, and the peer has not
    /// closed it.
    ///
    /// RFC 9112 §9.5 lets a peer close one at any time; what else comes belongs to no request
    /// (§6.3).
    mutating func isClean(_ connection: ConnectionFacts) -> Bool {
        guard let entry = entries[connection], entry.socket?.isSilent == true else { return false }
        return spoiled.isEmpty || spoiled.remove(entry.number) == nil
    }
}
