import Testing
import TransferModel

@testable import Journal

@Suite struct KeyRoundsTests {
    private func round(
        _ number: UInt8,
        _ open: [UInt64] = [],
        accepted: [UInt64] = []
    ) -> KeyRounds.Round {
        KeyRounds.Round(
            seed: [UInt8](repeating: number, count: KeyRounds.Round.seedLength),
            beginDate: Timestamp(microseconds: Int64(number)),
            open: open,
            accepted: accepted
        )
    }

    /// One round after the other: a run that has none of its orders ends each round.
    private func rounds(_ all: KeyRounds.Round...) -> KeyRounds {
        var rounds = KeyRounds()
        for round in all {
            rounds = rounds.ended(isDone: { _ in false }, open: [], isPart: false)
            rounds.begin(round, isPart: false)
        }
        return rounds
    }

    @Test func `a round lasts until it is ended`() {
        var rounds = KeyRounds()
        rounds.begin(round(1), isPart: false)
        rounds.begin(round(2), isPart: false)
        #expect(rounds.present == round(1))
        rounds = rounds.ended(isDone: { _ in true }, open: [], isPart: false)
        #expect(rounds == KeyRounds())
        rounds.begin(round(2), isPart: false)
        #expect(rounds.present == round(2))
    }

    @Test func `unaccepted orders of the last run keep their seeds`() {
        let ended = rounds(round(1, [11, 12]), round(2, [21, 22]))
            .ended(isDone: { [12, 21].contains($0) }, open: [23], isPart: false)
        #expect(ended.present == nil)
        #expect(ended.past == [round(1, [11]), round(2, [22, 23])])
    }

    @Test func `a run of a part that leaves no open order completes the whole run`() throws {
        let rounds = rounds(round(1, accepted: [12]), round(2, [21], accepted: [22]))
        let whole = try #require(KeyRounds(rounds.entries + [KeyRounds.whole]))
        #expect(whole.isWhole && KeyRounds(whole.entries) == whole)
        let isDone = { (order: UInt64) in order == 21 }
        #expect(whole.ended(isDone: isDone, open: [], isPart: true) == KeyRounds())
        let left = [round(1, accepted: [12]), round(2, accepted: [22])]
        #expect(whole.ended(isDone: isDone, open: [], isPart: false).past == left)
        // A round that has not begun all of its orders.
        #expect(rounds.ended(isDone: isDone, open: [], isPart: true).past == left)
        let other = whole.ended(isDone: isDone, open: [23], isPart: true)
        #expect(other.past == [round(1, accepted: [12]), round(2, [23], accepted: [22])])
        #expect(other.isWhole && KeyRounds(other.entries) == other)
        #expect(other.ended(isDone: { $0 == 23 }, open: [], isPart: true) == KeyRounds())
    }

    @Test
    func
        `what is known of a run of the whole job lasts until the next one, or until orders are forgotten`()
        throws
    {
        var rounds = try #require(
            KeyRounds([round(1, [11, 12]).alone.entries[0], KeyRounds.whole])
        )
        rounds.begin(round(2), isPart: true)
        #expect(rounds.isWhole)
        var shorter = rounds
        _ = shorter.keep(atMost: 1)
        #expect(!shorter.isWhole)
        rounds.begin(round(2), isPart: false)
        #expect(!rounds.isWhole)
    }

    @Test func `a seed without orders is forgotten when its round is over`() {
        let ended = rounds(round(1, [11]), round(2)).ended(
            isDone: { $0 == 11 },
            open: [],
            isPart: false
        )
        #expect(ended.all.isEmpty)
    }

    @Test(arguments: [(9, 0), (4, 0), (3, 1), (2, 2), (1, 3), (0, 4)])
    func `of too many orders the first ones are forgotten`(count: Int, forgotten: Int) {
        var rounds = rounds(round(1, [11]), round(2, [21]), round(3, [32], accepted: [31]))
        #expect(rounds.keep(atMost: count) == forgotten)
        let left = rounds.all.flatMap { $0.accepted + $0.open }
        #expect(left == Array([11, 21, 31, 32].dropFirst(forgotten)))
        #expect(rounds.past.allSatisfy { !$0.isEmpty })
        #expect(rounds.present?.seed == round(3).seed)
    }

    @Test func `entries have the last state and all later beginnings`() {
        let state = rounds(round(1, [11]), round(2, [21]))
        #expect(KeyRounds(state.entries) == state)
        let more = KeyRounds([
            round(9, [1]).alone.entries[0], state.entries[0], .init(kind: 99, content: [1]),
            KeyRounds.begun([22, 23]), KeyRounds.accepted([11, 22]), KeyRounds.begun([24]),
        ])
        #expect(more?.past == [round(1, accepted: [11])])
        #expect(more?.present == round(2, [21, 23, 24], accepted: [22]))
        let over = state.ended(isDone: { $0 == 21 }, open: [], isPart: false)
        #expect(KeyRounds(state.entries + [KeyRounds.begun([22])] + over.entries) == over)
        #expect(over.past == [round(1, [11])])
    }

    @Test func `nothing, and an entry that is too short, are no rounds`() {
        #expect(KeyRounds([]) == nil)
        #expect(KeyRounds([KeyRounds.begun([1])]) == nil)
        let entry = rounds(round(1, [11]), round(2, [21], accepted: [22])).entries[0]
        let end = KeyRounds.Round.seedLength + 24
        for length in 0..<entry.content.count where length != end {
            let short = JournalText.Entry(
                kind: entry.kind,
                content: Array(entry.content.prefix(length))
            )
            #expect(KeyRounds([short]) == nil, "\(length)")
        }
    }
}

extension KeyRounds.Round {
    /// Rounds with this open round alone.
    fileprivate var alone: KeyRounds {
        var rounds = KeyRounds()
        rounds.begin(self, isPart: false)
        return rounds
    }
}
