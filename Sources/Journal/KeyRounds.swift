internal import TransferModel

/// Which orders keep their idempotency keys, and what those are made from.
///
/// A round is a seed. It begins with the first run that makes keys after one that has ended with exit code 0, and goes on
/// until there is another such run. Orders that were begun in it and that no such run has had accepted stay with its seed
/// for as long as that takes; all others get that of the round that goes on.
struct KeyRounds: Equatable {
    struct Round: Equatable {
        /// What keys are made from: 32 random bytes.
        let seed: [UInt8]
        let beginDate: Timestamp
        /// The marks of its open orders, the one that was begun first in front.
        var orders: [UInt64] = []
    }

    /// Those that are over but for some orders, the oldest in front.
    private(set) var past: [Round] = []
    /// The one that goes on; nil after a run that has ended with exit code 0.
    private(set) var present: Round?

    init() {}

    /// All of them, the oldest in front.
    var all: [Round] { past + [present].compactMap(\.self) }

    /// Goes on with the round that there is, else with a new one.
    mutating func begin(_ new: Round) {
        present = present ?? new
    }

    /// Forgets the orders that were begun first while there are more than `count`; returns how many those are.
    mutating func keep(atMost count: Int) -> Int {
        let excess = all.reduce(-count) { $0 + $1.orders.count }
        guard excess > 0 else { return 0 }
        var left = excess
        let shorten = { (round: inout Round) in
            let part = min(left, round.orders.count)
            round.orders.removeFirst(part)
            left -= part
        }
        for place in past.indices { shorten(&past[place]) }
        past.removeAll { $0.orders.isEmpty }
        if var round = present {
            shorten(&round)
            present = round
        }
        return excess
    }

    /// After a run that has ended with exit code 0.
    ///
    /// - Parameters:
    ///   - isDone: Whether the run has had an order of an earlier run accepted.
    ///   - open: The orders that were begun by this run and not accepted: none of them was required.
    /// - Returns: What there is to go on with.
    func ended(isDone: (UInt64) -> Bool, open: [UInt64]) -> KeyRounds {
        var rounds = KeyRounds()
        for var round in all {
            round.orders.removeAll(where: isDone)
            if round.seed == present?.seed { round.orders += open }
            if !round.orders.isEmpty { rounds.past.append(round) }
        }
        return rounds
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
    }

    /// An entry that says that orders are about to be sent.
    static func begun(_ orders: [UInt64]) -> JournalText.Entry {
        JournalText.Entry(kind: Kind.begun, content: orders.flatMap(\.littleEndianBytes))
    }

    /// All of it as an entry, which makes those before it superfluous.
    var entry: JournalText.Entry {
        var content: [UInt8] = []
        for round in all {
            content += round.seed + round.beginDate.microseconds.littleEndianBytes
            content += UInt32(truncatingIfNeeded: round.orders.count).littleEndianBytes
            for order in round.orders { content += order.littleEndianBytes }
        }
        return JournalText.Entry(kind: present == nil ? Kind.over : Kind.under, content: content)
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
        guard entries[place].kind == Kind.under else { return }
        guard var round = past.popLast() else { return nil }
        for entry in entries[(place + 1)...] where entry.kind == Kind.begun {
            var marks = entry.content[...]
            while let mark = UInt64(takenFrom: &marks) { round.orders.append(mark) }
        }
        present = round
    }
}

extension KeyRounds.Round {
    static let seedLength = 32

    fileprivate init?(takenFrom rest: inout ArraySlice<UInt8>) {
        seed = Array(rest.prefix(Self.seedLength))
        rest = rest.dropFirst(Self.seedLength)
        guard let date = Int64(takenFrom: &rest), let count = UInt32(takenFrom: &rest),
            rest.count / 8 >= Int(count)
        else { return nil }
        beginDate = Timestamp(microseconds: date)
        orders.reserveCapacity(Int(count))
        for _ in 0..<count {
            if let mark = UInt64(takenFrom: &rest) { orders.append(mark) }
        }
    }
}
