internal import TransferModel

/// Which orders keep their idempotency keys, and what those are made from.
///
/// A round is a seed. It begins with the first run that makes keys after one that has ended with
/// exit code 0, and goes on until there is another such run. Orders that were begun in it and that
/// no such run has had accepted stay with its seed for as long as that takes; all others get that
/// of the round that goes on. A run of a part of the job that leaves no order open makes all rounds
/// good, if the last run of the whole job has begun all of its orders: those that it has not are
/// unknown, and those that were accepted beside them are to be repeated under their keys.
struct KeyRounds: Equatable {
    struct Round: Equatable {
        /// What keys are made from: 32 random bytes.
        let seed: [UInt8]
        let beginDate: Timestamp
        /// The marks of orders that nobody has accepted, the one that was begun first in front.
        var open: [UInt64] = []
        /// Those of orders that were accepted, by a run with another exit code.
        var accepted: [UInt64] = []

        var isEmpty: Bool { open.isEmpty && accepted.isEmpty }
    }

    /// Those that are over but for some orders, the oldest in front.
    private(set) var past: [Round] = []
    /// The one that goes on; nil after a run that has ended with exit code 0.
    private(set) var present: Round?
    /// Whether the last run of the whole job has begun all of its orders, although it has not ended
    /// with exit code 0.
    private(set) var isWhole = false

    init() {}

    /// All of them, the oldest in front.
    var all: [Round] { past + [present].compactMap(\.self) }

    /// Goes on with the round that there is, else with a new one.
    ///
    /// - Parameters:
    ///   - new: The new one.
    ///   - isPart: Whether only some tasks were chosen for the run.
    mutating func begin(_ new: Round, isPart: Bool) {
        present = present ?? new
        if !isPart { isWhole = false }
    }

    /// Forgets the orders that were begun first while there are more than `count`; returns how many
    /// those are.
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

    /// After a run that has ended with exit code 0.
    ///
    /// - Parameters:
    ///   - isDone: Whether the run has had an order of an earlier run accepted.
    ///   - open: The orders that were begun by this run and not accepted: none of them was
    ///     required.
    ///   - isPart: Whether only some tasks were chosen for the run.
    /// - Returns: What there is to go on with.
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
        /// All rounds, of which the last one goes on.
        static let under: UInt8 = 1
        /// All rounds after a run that has ended with exit code 0.
        static let over: UInt8 = 2
        /// Marks of orders that are about to be sent for the first time in the round that goes on.
        static let begun: UInt8 = 3
        /// Marks of orders that were accepted.
        static let accepted: UInt8 = 4
        /// Nothing: a run of the whole job has begun all of its orders.
        static let whole: UInt8 = 5
    }

    /// An entry that says that orders are about to be sent.
    static func begun(_ orders: [UInt64]) -> JournalText.Entry {
        JournalText.Entry(kind: Kind.begun, content: orders.flatMap(\.littleEndianBytes))
    }

    /// An entry that says that orders were accepted.
    static func accepted(_ orders: [UInt64]) -> JournalText.Entry {
        JournalText.Entry(kind: Kind.accepted, content: orders.flatMap(\.littleEndianBytes))
    }

    /// An entry that says that a run of the whole job has begun all of its orders.
    static let whole = JournalText.Entry(kind: Kind.whole, content: [])

    /// All of it as entries, which make those before them superfluous.
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

    /// What entries say; nil when that is nothing or cannot be read.
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

    /// Keeps of open orders that they were accepted.
    fileprivate mutating func move(_ orders: Set<UInt64>) {
        guard !orders.isEmpty else { return }
        accepted += open.filter(orders.contains)
        open.removeAll(where: orders.contains)
    }
}
