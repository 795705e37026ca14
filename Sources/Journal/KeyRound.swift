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
    /// The keys, by their marks, of orders without a final answer; nil when a run was cut, and nobody knows.
    private(set) var open: Set<UInt64>?

    /// A round that begins.
    init(seed: [UInt8], at date: Timestamp) {
        self.seed = seed
        beginDate = date
        spent = []
        open = nil
    }

    /// What a key is remembered by.
    static func mark(of key: String) -> UInt64 { key.utf8.span.fnv1a }

    func isSpent(_ key: String) -> Bool {
        !spent.isEmpty && spent.contains(Self.mark(of: key))
    }

    /// The round as the next run has to find it while this one is under way.
    var cut: KeyRound {
        var round = self
        round.open = nil
        return round
    }

    /// The round after a run.
    ///
    /// - Parameters:
    ///   - run: What has come of the run's orders.
    ///   - isWholeJob: Whether the run had all tasks of the job.
    /// - Returns: nil when that run was its last one.
    func ended(_ run: OrderTally, isWholeJob: Bool) -> KeyRound? {
        var round = self
        round.spent.formUnion(run.refused)
        if isWholeJob {
            round.open = run.hasUnsent ? nil : run.unanswered
        } else {
            round.open = open.map { $0.subtracting(run.answered).union(run.unanswered) }
        }
        return round.open?.isEmpty == true ? nil : round
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
        content += [open == nil ? 0 : 1]
        for marks in [spent, open ?? []] {
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
        guard let date = Int64(takenFrom: &rest), let isKnown = UInt8(takenFrom: &rest),
            let spent = Self.takeMarks(from: &rest), let open = Self.takeMarks(from: &rest)
        else { return nil }
        beginDate = Timestamp(microseconds: date)
        self.spent = spent
        self.open = isKnown == 1 ? open : nil
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
