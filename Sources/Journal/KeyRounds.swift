internal import TransferModel

/// The orders that keep their idempotency keys, and the seeds of those keys.
///
/// A round has a seed. It begins with the first key-making run after one that ended with exit code
/// 0, and lasts until the next such run. Orders begun in it that no such run had accepted keep its
/// seed; all other orders get the seed of the current round. A run of a part of the job that leaves
/// no order open ends all rounds if the last run of the whole job began all of its orders.
/// Otherwise unknown orders exist, and accepted ones must be repeated under their keys.
struct KeyRounds: Equatable {
    struct Round: Equatable {
        /// The seed of the keys: 32 random bytes.
        let seed: [UInt8]
        let beginDate: Timestamp
        /// The marks of unaccepted orders, oldest first.
        var open: [UInt64] = []
        /// The marks of orders accepted by a run with another exit code.
        var accepted: [UInt64] = []

        var isEmpty: Bool { open.isEmpty && accepted.isEmpty }
    }

    /// Finished rounds that still have orders, oldest first.
    private(set) var past: [Round] = []
    /// The current round; nil after a run with exit code 0.
    private(set) var present: Round?
    /// Whether the last run of the whole job began all of its orders but did not end with exit code
    /// 0.
    private(set) var isWhole = false

    init() {}

    /// All rounds, oldest first.
    var all: [Round] { past + [present].compactMap(\.self) }

    /// Continues the current round, or begins a new one.
    ///
    /// - Parameters:
    ///   - new: The new round.
    ///   - isPart: Whether the run has only some tasks.
    mutating func begin(_ new: Round, isPart: Bool) {
        present = present ?? new
        if !isPart { isWhole = false }
    }

    /// Forgets the oldest orders beyond `count`; returns their number.
    mutating func keep(atMost count: Int) -> Int {
        let excess = all.reduce(-count) { $0 + $1.open.count + $1.accepted.count }
        guard excess > 0 else { return 0 }
        isWhole = false
        var left = excess
        let shorten = { (orders: inout [UInt64]) in
            let part = min(left, orders.count)
            orders.removeFirst(part)
            left -= part
        }
        for place in past.indices {
            shorten(&past[place].accepted)
            shorten(&past[place].open)
        }
        past.removeAll(where: \.isEmpty)
        if var round = present {
            shorten(&round.accepted)
            shorten(&round.open)
            present = round
        }
        return excess
    }

    /// The rounds after a run that ended with exit code 0.
    ///
    /// - Parameters:
    ///   - isDone: Whether the run had an earlier run's order accepted.
    ///   - open: The optional orders that this run began and that were not accepted.
    ///   - isPart: Whether the run has only some tasks.
    /// - Returns: The remaining rounds.
    func ended(isDone: (UInt64) -> Bool, open: [UInt64], isPart: Bool) -> KeyRounds {
        var rounds = KeyRounds()
        for var round in all {
            round.open.removeAll(where: isDone)
            round.accepted.removeAll(where: isDone)
            if round.seed == present?.seed { round.open += open }
            if !round.isEmpty { rounds.past.append(round) }
        }
        rounds.isWhole = isPart && isWhole
        let isGood = rounds.isWhole && rounds.past.allSatisfy(\.open.isEmpty)
        return isGood ? KeyRounds() : rounds
    }

    // MARK: In a journal

    /// Kinds of entries.
    private enum Kind {
        /// All rounds, the last of which is current.
        static let under: UInt8 = 1
        /// All rounds after a run with exit code 0.
        static let over: UInt8 = 2
        /// Marks of orders about to be sent for the first time in the current round.
        static let begun: UInt8 = 3
        /// Marks of accepted orders.
        static let accepted: UInt8 = 4
        /// Empty content: a run of the whole job began all of its orders.
        static let whole: UInt8 = 5
    }

    /// An entry for orders about to be sent.
    static func begun(_ orders: [UInt64]) -> JournalText.Entry {
        JournalText.Entry(kind: Kind.begun, content: orders.reduce(into: []) { $0.add($1) })
    }

    /// An entry for accepted orders.
    static func accepted(_ orders: [UInt64]) -> JournalText.Entry {
        JournalText.Entry(kind: Kind.accepted, content: orders.reduce(into: []) { $0.add($1) })
    }

    /// An entry for a run of the whole job that began all of its orders.
    static let whole = JournalText.Entry(kind: Kind.whole, content: [])

    /// All rounds as entries, which make all earlier entries superfluous.
    var entries: [JournalText.Entry] {
        var content: [UInt8] = []
        for round in all {
            content += round.seed + round.beginDate.microseconds.littleEndianBytes
            for orders in [round.open, round.accepted] {
                content += UInt32(truncatingIfNeeded: orders.count).littleEndianBytes
                for order in orders { content += order.littleEndianBytes }
            }
        }
        let kind = present == nil ? Kind.over : Kind.under
        return [JournalText.Entry(kind: kind, content: content)] + (isWhole ? [Self.whole] : [])
    }

    /// Reads rounds from entries; nil when there are none or they are unreadable.
    init?(_ entries: [JournalText.Entry]) {
        guard let place = entries.lastIndex(where: { [Kind.under, Kind.over].contains($0.kind) })
        else { return nil }
        var rest = entries[place].content[...]
        while !rest.isEmpty {
            guard let round = Round(takenFrom: &rest) else { return nil }
            past.append(round)
        }
        isWhole = entries[place...].contains { $0.kind == Kind.whole }
        guard entries[place].kind == Kind.under else { return }
        guard var round = past.popLast() else { return nil }
        var accepted: Set<UInt64> = []
        for entry in entries[(place + 1)...] {
            var rest = entry.content[...]
            switch entry.kind {
            case Kind.begun:
                while let mark = UInt64(takenFrom: &rest) { round.open.append(mark) }
            case Kind.accepted:
                while let mark = UInt64(takenFrom: &rest) { accepted.insert(mark) }
            default: break
            }
        }
        round.move(accepted)
        present = round
        for place in past.indices { past[place].move(accepted) }
    }
}

extension KeyRounds.Round {
    static let seedLength = 32

    fileprivate init?(takenFrom rest: inout ArraySlice<UInt8>) {
        seed = Array(rest.prefix(Self.seedLength))
        rest = rest.dropFirst(Self.seedLength)
        guard let date = Int64(takenFrom: &rest), let open = Self.takeMarks(from: &rest),
            let accepted = Self.takeMarks(from: &rest)
        else { return nil }
        beginDate = Timestamp(microseconds: date)
        (self.open, self.accepted) = (open, accepted)
    }

    private static func takeMarks(from rest: inout ArraySlice<UInt8>) -> [UInt64]? {
        guard let count = UInt32(takenFrom: &rest), rest.count / 8 >= Int(count) else { return nil }
        return (0..<count).compactMap { _ in UInt64(takenFrom: &rest) }
    }

    /// Moves open orders to the accepted ones.
    fileprivate mutating func move(_ orders: Set<UInt64>) {
        guard !orders.isEmpty else { return }
        accepted += open.filter(orders.contains)
        open.removeAll(where: orders.contains)
    }
}
