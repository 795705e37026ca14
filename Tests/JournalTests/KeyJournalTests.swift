import TestSupport
import Testing
import TransferModel

@testable import Journal

@Suite struct KeyJournalTests {
    private let folder: TemporaryFolder
    private let first = [UInt8](repeating: 1, count: 32)
    private let second = [UInt8](repeating: 2, count: 32)
    private let third = [UInt8](repeating: 3, count: 32)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ seed: [UInt8],
        orderCount: Int? = 100,
        mostOrders: Int = 100
    ) throws -> KeyJournal {
        try KeyJournal(
            in: folder.path("state/journals"),
            name: "job.journal",
            at: Timestamp(microseconds: 5),
            seed: seed,
            orderCount: orderCount,
            mostOrders: mostOrders
        )
    }

    /// A run with these orders, of which the one with the number of `open` is optional and not
    /// accepted; the job has `unbegun` more.
    @discardableResult
    private func run(
        _ seed: [UInt8],
        _ orders: [UInt64],
        open: UInt64? = nil,
        ends: Bool,
        isPart: Bool = false,
        unbegun: Int = 0
    ) throws -> [[UInt8]] {
        let journal = try self.open(seed, orderCount: isPart ? nil : orders.count + unbegun)
        let seeds = orders.enumerated().map { journal.seed(of: $1, task: $0 + 1) }
        try journal.commit()
        for (place, order) in orders.enumerated() {
            let outcome = order == open ? TaskOutcome.failed : .succeeded
            journal.receive(.taskFinished(.order(place + 1, outcome, required: order != open)))
        }
        if ends { try journal.end() } else { try journal.keep() }
        return seeds
    }

    private var text: [UInt8] {
        get throws { try folder.read("state/journals/job.journal") }
    }

    private func write(_ text: some Sequence<UInt8>, mode: UInt32 = 0o600) throws {
        try folder.write(text, to: "state/journals/job.journal", mode: mode)
    }

    @Test func `seeds are on the disk before keys are made, for their owner alone`() throws {
        let journal = try open(first)
        #expect(journal.beginDate == nil)
        #expect(journal.seed(of: 1, task: 1) == first)
        #expect(try KeyRounds(JournalText(text).entries)?.present?.seed == first)
        #expect(try folder.mode(of: "state/journals/job.journal") == 0o600)
        #expect(try folder.mode(of: "state/journals") == 0o700)
    }

    @Test func `orders are on the disk before they are sent, together and once`() throws {
        let journal = try open(first)
        let before = try text.count
        for order in UInt64(1)...3 { _ = journal.seed(of: order, task: Int(order)) }
        #expect(try text.count == before)
        try journal.commit()
        try journal.commit()
        #expect(try text.count == before + 3 * 8 + 9)
        #expect(try KeyRounds(JournalText(text).entries)?.present?.open == [1, 2, 3])
    }

    @Test func `a round lasts until a run ends with 0`() throws {
        try run(first, [1, 2], ends: false)
        #expect(try open(second).beginDate == Timestamp(microseconds: 5))
        // Orders that were not begun before, too.
        #expect(try run(second, [1, 3], ends: false) == [first, first])
        #expect(try run(second, [1, 2, 3], ends: true) == [first, first, first])
        #expect(try run(second, [1, 2, 3], ends: true) == [second, second, second])
    }

    @Test func `orders of a round that others have ended come back under their keys`() throws {
        try run(first, [1, 2, 3], ends: false)
        try run(second, [3, 4], ends: true)
        #expect(try open(second).beginDate == nil)
        #expect(try run(second, [1, 3, 4], ends: true) == [first, second, second])
        #expect(try run(third, [1, 2, 3], ends: true) == [third, first, third])
        #expect(try KeyRounds(JournalText(text).entries)?.all.isEmpty == true)
    }

    @Test func `an optional order that was not accepted keeps its key`() throws {
        try run(first, [1, 2], open: 2, ends: true)
        #expect(try run(second, [1, 2], open: 2, ends: true) == [second, first])
        #expect(try run(third, [1, 2], ends: true) == [third, first])
        #expect(try run(first, [1, 2], ends: true) == [first, first])
    }

    @Test func `a run of a part that leaves no open order completes the round`() throws {
        try run(first, [1, 2], open: 2, ends: false)
        #expect(try run(second, [3], ends: true, isPart: true) == [first])
        #expect(try run(second, [1, 2], open: 2, ends: false) == [first, first])
        #expect(try run(third, [2], ends: true, isPart: true) == [first])
        #expect(try run(third, [1, 2], ends: true) == [third, third])
    }

    @Test func `a run of a part completes no round with orders that never began`() throws {
        try run(first, [1, 2], open: 2, ends: false, unbegun: 1)
        #expect(try run(second, [2], ends: true, isPart: true) == [first])
        #expect(try run(second, [1, 2, 3], ends: true) == [first, second, second])
    }

    @Test func `a run of a part does not complete a cut or killed run of all`() throws {
        for isKilled in [true, false] {
            try run(first, [1, 2], open: 2, ends: false)
            if isKilled {
                let journal = try open(second, orderCount: 3)
                #expect(journal.seed(of: 3, task: 1) == first)
                try journal.commit()
            } else {
                try run(second, [3], ends: false, unbegun: 2)
            }
            try run(second, [2, 3], ends: true, isPart: true)
            #expect(try run(third, [1, 2, 3], ends: true) == [first, third, third])
        }
    }

    @Test func `a run of a part without orders changes nothing`() throws {
        try run(first, [1], ends: false)
        try run(second, [], ends: true, isPart: true)
        #expect(try run(second, [1], ends: false) == [first])
        #expect(try open(second).beginDate == Timestamp(microseconds: 5))
    }

    @Test func `of too many orders the first ones are forgotten, with a warning`() throws {
        try run(first, [1, 2, 3], ends: false)
        try run(second, [4], ends: true)
        let journal = try open(second, mostOrders: 2)
        #expect(journal.forgottenCount == 1)
        #expect((1...3).map { journal.seed(of: $0, task: 1) } == [second, first, first])
        #expect(try open(second).forgottenCount == 0)
    }

    @Test func `the file is as short at the hundredth run as at the second one`() throws {
        var sizes: Set<Int> = []
        for number in 1...100 {
            try run(first, [1, 2], ends: false)
            if number > 1 { sizes.insert(try text.count) }
        }
        #expect(sizes.count == 1)
    }

    @Test func `cut or changed at any byte it is refused and stays, and never gives another key`()
        throws
    {
        let journal = try open(first)
        _ = journal.seed(of: 1, task: 1)
        try journal.commit()
        _ = journal.seed(of: 2, task: 2)
        try journal.commit()
        let whole = try text
        for length in 0..<whole.count {
            try write(whole.prefix(length))
            #expect(throws: JournalFault.self, "\(length)") { try open(second) }
            var bytes = whole
            bytes[length] ^= 4
            try write(bytes)
            let seed = try? open(second).seed(of: 2, task: 1)
            #expect(seed == nil || seed == first, "\(length)")
        }
    }

    @Test func `a damaged or empty file is rejected with its name`() throws {
        _ = try open(first)
        let good = try text
        for text in [[], Array("nonsense".utf8), JournalText.bytes(of: []), Array(good.dropLast())]
        {
            try write(text)
            let fault = try #require(throws: JournalFault.self) { try open(second) }
            #expect(
                fault.message.contains("state/journals/job.journal: the journal is damaged or cut")
            )
            #expect(fault.message.contains("delete it"))
            #expect(try self.text == text)
        }
    }

    @Test func `a later version's file, and one that others may write, are refused`() throws {
        _ = try open(first)
        let good = try text
        var later = good
        later[JournalText.name.count] += 1
        try write(later)
        let fault = try #require(throws: JournalFault.self) { try open(second) }
        #expect(fault.message.contains("a later version of runner"))
        try write(good, mode: 0o666)
        #expect(throws: JournalFault.self) { try open(second) }
    }

    @Test func `a folder that cannot be made is a fault`() throws {
        try folder.write("a file", to: "state")
        #expect(throws: JournalFault.self) { try open(first) }
    }
}

extension TaskRecord {
    /// The task of an order that has ended.
    fileprivate static func order(
        _ number: Int,
        _ outcome: TaskOutcome,
        required: Bool
    ) -> TaskRecord {
        let date = Timestamp(microseconds: 0)
        return TaskRecord(
            id: "a",
            taskIdentifier: number,
            kind: .upload,
            session: "default",
            source: SourceLocation(file: "job.yaml", line: 1, column: 1),
            outcome: outcome,
            required: required,
            request: .init(method: "POST", url: "http://a.test/", headers: HeaderFields()),
            startDate: date,
            endDate: date
        )
    }
}
