import TestSupport
import Testing
import TransferModel

@testable import Journal

@Suite struct KeyJournalTests {
    private let folder: TemporaryFolder
    private let first = [UInt8](repeating: 1, count: 32)
    private let second = [UInt8](repeating: 2, count: 32)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(_ seed: [UInt8], chosen: [String] = []) throws -> KeyJournal {
        try KeyJournal(
            in: folder.path("state/journals"),
            name: "job.journal",
            chosen: chosen,
            at: Timestamp(microseconds: 5),
            seed: seed
        )
    }

    private var text: [UInt8] {
        get throws { try folder.read("state/journals/job.journal") }
    }

    private func write(_ text: some Sequence<UInt8>, mode: UInt32 = 0o600) throws {
        try folder.write(text, to: "state/journals/job.journal", mode: mode)
    }

    @Test func `keys are on the disk before they are made, for their owner alone`() throws {
        let journal = try open(first)
        #expect(journal.past == .none)
        #expect(journal.seed == first)
        #expect(try KeyRound(JournalText(text).entries)?.seed == first)
        #expect(try folder.mode(of: "state/journals/job.journal") == 0o600)
        #expect(try folder.mode(of: "state/journals") == 0o700)
    }

    @Test func `a run that was cut is gone on with, one that got through is not`() throws {
        _ = try open(first)
        let journal = try open(second)
        #expect(journal.past == .round(Timestamp(microseconds: 5)))
        #expect(journal.seed == first)
        journal.receive(.taskFinished(.order(.made("a"), .succeeded)))
        try journal.end()
        #expect(try open(second).seed == second)
    }

    @Test func `an open order is found again, and its answer ends the round`() throws {
        let journal = try open(first)
        journal.receive(.taskFinished(.order(.made("a"), .succeeded)))
        journal.receive(.taskFinished(.order(.made("b"), .failed, .timeout)))
        try journal.end()
        let part = try open(second, chosen: ["b"])
        #expect(part.seed == first)
        part.receive(.taskFinished(.order(.made("b"), .succeeded)))
        try part.end()
        #expect(try open(second).past == .none)
    }

    @Test func `the file is as short at the hundredth run as at the second one`() throws {
        var sizes: Set<Int> = []
        for run in 1...100 {
            let journal = try open(first)
            journal.receive(.taskFinished(.order(.made("a"), .failed, .reset)))
            try journal.end()
            if run > 1 { sizes.insert(try text.count) }
        }
        #expect(sizes.count == 1)
    }

    @Test func `cut at any byte it is the round before or the round's end, never something else`()
        throws
    {
        let journal = try open(first)
        let begun = try text.count
        try journal.end()
        let whole = try text
        for length in begun..<whole.count {
            try write(whole.prefix(length))
            #expect(try open(second).seed == first, "\(length)")
        }
        try write(whole)
        #expect(try open(second).seed == second)
    }

    @Test func `what is no journal is told, and keys are made anew`() throws {
        _ = try open(first)
        try write("nonsense".utf8)
        let journal = try open(second)
        #expect(journal.past == .unreadable)
        #expect(journal.seed == second)
        #expect(try open(first).past == .round(Timestamp(microseconds: 5)))
    }

    @Test func `a later version's file, and one that others may write, are refused`() throws {
        _ = try open(first)
        let good = try text
        var later = good
        later[JournalText.header.count - 1] += 1
        try write(later)
        let fault = try #require(throws: KeyJournal.Fault.self) { try open(second) }
        #expect(fault.message.contains("a later version of runner"))
        try write(good, mode: 0o666)
        #expect(throws: KeyJournal.Fault.self) { try open(second) }
    }

    @Test func `a folder that cannot be made is a fault`() throws {
        try folder.write("a file", to: "state")
        #expect(throws: KeyJournal.Fault.self) { try open(first) }
    }
}
