import Testing
import TransferModel

@testable import Journal

@Suite struct KeyRoundTests {
    private func tally(_ records: TaskRecord...) -> OrderTally {
        var tally = OrderTally(countsAnswered: true)
        for record in records { tally.add(record) }
        return tally
    }

    private let accepted = { (key: String) in TaskRecord.order(.made(key), .succeeded) }
    private let lost = { (key: String) in TaskRecord.order(.made(key), .failed, .reset) }
    private let refused = { (key: String) in
        TaskRecord.order(.made(key), .failed, .httpStatus, status: 402)
    }
    private let unsent = TaskRecord.order(.missing, .cancelled, .cancelled)

    @Test func `it is over when every order has its answer`() {
        let round = KeyRound.sample
        #expect(round.ended(tally(accepted("a"), refused("b")), chosen: []) == nil)
        #expect(round.ended(tally(), chosen: []) == nil)
    }

    @Test func `one order without an answer keeps it open for all`() {
        let round = KeyRound.sample.ended(tally(accepted("a"), lost("b")), chosen: [])
        #expect(round?.seed == KeyRound.sample.seed)
        #expect(round?.open == [KeyRound.mark(of: "b")])
    }

    @Test func `after a part of the job it is over when that had what was open`() throws {
        let round = KeyRound.sample.ended(
            tally(accepted("a"), lost("b"), lost("c")),
            chosen: []
        )
        let next = try #require(round).ended(tally(accepted("b")), chosen: ["part"])
        #expect(next?.open == [KeyRound.mark(of: "c")])
        #expect(try #require(next).ended(tally(accepted("c")), chosen: ["part"]) == nil)
    }

    @Test func `a run that was cut is made good by one with the same tasks, or with all`() throws {
        let cut = KeyRound.sample.during([])
        let part = try #require(cut.ended(tally(accepted("a")), chosen: ["a"]))
        #expect(part.cut == cut.cut)
        #expect(part.ended(tally(accepted("a"), accepted("b")), chosen: []) == nil)

        let cutPart = KeyRound.sample.during(["a", "b"])
        #expect(cutPart.ended(tally(accepted("c")), chosen: ["c"]) != nil)
        #expect(cutPart.ended(tally(accepted("a")), chosen: ["b", "a"]) == nil)
        #expect(cutPart.ended(tally(accepted("a")), chosen: []) == nil)
    }

    @Test func `a run that has not begun all orders is one that was cut`() throws {
        let whole = try #require(KeyRound.sample.ended(tally(accepted("a"), unsent), chosen: []))
        #expect(whole.cut == KeyRound.sample.during([]).cut)
        #expect(whole.ended(tally(accepted("a"), accepted("b")), chosen: []) == nil)
    }

    @Test func `runs of parts alone make rounds of their own`() {
        #expect(KeyRound.sample.ended(tally(accepted("a")), chosen: ["a"]) == nil)
    }

    @Test func `a refused order's key is spent as long as others are open`() throws {
        let round = try #require(
            KeyRound.sample.ended(tally(refused("a"), lost("b")), chosen: [])
        )
        #expect(round.isSpent("a"))
        #expect(!round.isSpent("b"))
        let next = try #require(round.ended(tally(lost("b")), chosen: []))
        #expect(next.isSpent("a"))
    }

    @Test func `an entry has all of it, and the last one counts`() throws {
        let round = try #require(
            KeyRound.sample.ended(tally(refused("a"), lost("b"), lost("c")), chosen: [])
        )
        #expect(KeyRound([KeyRound.sample.entry, round.entry]) == round)
        #expect(KeyRound([round.entry, round.during(["b"]).entry]) == round.during(["b"]))
        #expect(KeyRound([round.entry, KeyRound.end]) == nil)
        #expect(KeyRound([KeyRound.end, round.entry, .init(kind: 99, content: [1])]) == round)
        #expect(KeyRound([]) == nil)
    }

    @Test func `an entry that is too short is none`() {
        let entry = KeyRound.sample.entry
        for length in 0..<entry.content.count {
            let short = JournalText.Entry(
                kind: entry.kind,
                content: Array(entry.content.prefix(length))
            )
            #expect(KeyRound([short]) == nil, "\(length)")
        }
    }
}
