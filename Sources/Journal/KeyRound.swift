internal import SystemKit
internal import TransferModel

/// What a job must remember so that every order has one idempotency key until it is answered.
///
/// A round begins with the first run that makes keys and ends when a run has had the final answer to every order of the
/// job. Runs of a round make the same keys for the same orders: all come from the round's seed. So nothing is kept of an
/// order that was answered, nor of one that was never sent.
struct KeyRound: Equatable {
    /// What keys are made from: 32 random bytes.
    let seed: [UInt8]
    let beginDate: Timestamp
    /// Keys, by their marks, that the server has answered with a refusal: their orders get new ones.
    private(set) var spent: Set<UInt64>
    /// The keys, by their marks, of orders without a final answer.
    private(set) var open: Set<UInt64>
    /// The runs, by their marks, that have not got through: nobody knows of which orders they have no answer.
    private(set) var cut: Set<UInt64>

    /// A round that begins.
    init(seed: [UInt8], at date: Timestamp) {
        self.seed = seed
        beginDate = date
        spent = []
        open = []
        cut = []
    }

    /// What a key is remembered by.
    static func mark(of key: String) -> UInt64 { key.utf8.span.fnv1a }

    /// What a run is remembered by: the tasks that were chosen for it, none for all.
    static func mark(of chosen: [String]) -> UInt64 {
        mark(of: chosen.sorted().joined(separator: "\n"))
    }

    func isSpent(_ key: String) -> Bool {
        !spent.isEmpty && spent.contains(Self.mark(of: key))
    }

    /// The round as the next run has to find it while one with these tasks is under way.
    func during(_ chosen: [String]) -> KeyRound {
        var round = self
        round.cut.insert(Self.mark(of: chosen))
        return round
    }

    /// The round after a run.
    ///
    /// - Parameters:
    ///   - run: What has come of the run's orders.
    ///   - chosen: The tasks that were chosen for it, none for all.
    /// - Returns: nil when that run was its last one.
    func ended(_ run: OrderTally, chosen: [String]) -> KeyRound? {
        var round = self
        round.spent.formUnion(run.refused)
        round.open.subtract(run.answered)
        round.open.formUnion(run.unanswered)
        if run.hasUnsent {
            round.cut.insert(Self.mark(of: chosen))
        } else if chosen.isEmpty {
            // Every order of the job was in it: what else was open is none any more.
            round.open = run.unanswered
            round.cut = []
        } else {
            round.cut.remove(Self.mark(of: chosen))
        }
        return round.open.isEmpty && round.cut.isEmpty ? nil : round
    }

    // MARK: In a journal

    /// A round that goes on, and the end of one; the last entry counts.
    private enum Kind {
        static let round: UInt8 = 1
        static let end: UInt8 = 2
    }

    /// The entry that says that no round is under way.
    static let end = JournalText.Entry(kind: Kind.end, content: [])

    var entry: JournalText.Entry {
        var content = seed + beginDate.microseconds.littleEndianBytes
        for marks in [spent, open, cut] {
            content += UInt32(truncatingIfNeeded: marks.count).littleEndianBytes
            for mark in marks.sorted() { content += mark.littleEndianBytes }
        }
        return JournalText.Entry(kind: Kind.round, content: content)
    }

    /// The round that is under way after these entries; nil when none is.
    init?(_ entries: [JournalText.Entry]) {
        guard let last = entries.last(where: { [Kind.round, Kind.end].contains($0.kind) }),
            last.kind == Kind.round
        else { return nil }
        var rest = last.content[...]
        seed = Array(rest.prefix(Self.seedLength))
        rest = rest.dropFirst(Self.seedLength)
        guard let date = Int64(takenFrom: &rest), let spent = Self.takeMarks(from: &rest),
            let open = Self.takeMarks(from: &rest), let cut = Self.takeMarks(from: &rest)
        else { return nil }
        beginDate = Timestamp(microseconds: date)
        (self.spent, self.open, self.cut) = (spent, open, cut)
    }

    static let seedLength = 32

    private static func takeMarks(from rest: inout ArraySlice<UInt8>) -> Set<UInt64>? {
        guard let count = UInt32(takenFrom: &rest), rest.count / 8 >= Int(count) else { return nil }
        var marks: Set<UInt64> = []
        marks.reserveCapacity(Int(count))
        for _ in 0..<count {
            if let mark = UInt64(takenFrom: &rest) { marks.insert(mark) }
        }
        return marks
    }
}
