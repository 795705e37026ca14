import TestSupport
import Testing
import TransferModel

@testable import Journal

@Suite struct BackgroundJournalTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(
        _ run: String = "run-1",
        job: String = "job",
        taskCount: Int? = 3,
        unended: Set<String> = []
    ) throws -> BackgroundJournal {
        try BackgroundJournal(
            in: folder.path("background"),
            name: "x.journal",
            run: .init(
                identifier: run,
                job: .init(name: job, path: "/\(job).yaml"),
                startDate: Timestamp(microseconds: 5),
                taskCount: taskCount,
                unended: unended
            )
        )
    }

    private var text: [UInt8] {
        get throws { try folder.read("background/x.journal") }
    }

    private func write(_ bytes: some Sequence<UInt8>) throws {
        try folder.write(bytes, to: "background/x.journal", mode: 0o600)
    }

    private func begin(_ journal: BackgroundJournal, _ id: String, isUnsafe: Bool = false) {
        _ = journal.recall(id, mark: 1, isUnsafe: isUnsafe)
        _ = journal.attemptBegins(id, deadline: Timestamp(microseconds: 1000))
    }

    private func finish(
        _ journal: BackgroundJournal,
        _ code: ExitCode = .success
    ) throws -> [String] {
        let dropped = try journal.end(
            .init(
                runIdentifier: "run-1",
                exitCode: code.rawValue,
                reportPath: "/r",
                isDelivered: true
            )
        )
        try journal.delivered()
        return dropped
    }

    private func plain(_ text: String) -> String { text }

    @Test func `the next run knows which transfers have begun and ended`() throws {
        let first = try open()
        #expect(first.earlier.transfers.isEmpty)
        #expect(first.recall("a", mark: 1, isUnsafe: false) == nil)
        begin(first, "a")
        begin(first, "b")
        try first.write(isDurable: true)
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        try first.write(isDurable: false)

        let second = try open("run-2")
        #expect(second.knows("a"))
        #expect(!second.knows("c"))
        let ended = try #require(second.recall("a", mark: 1, isUnsafe: false))
        #expect(ended.end?.outcome == .succeeded)
        #expect(ended.end?.runIdentifier == "run-1")
        #expect(ended.attempts == 1)
        let cut = try #require(second.recall("b", mark: 1, isUnsafe: false))
        #expect(cut.end == nil)
        #expect(cut.wasCut)
        #expect(cut.deadline == Timestamp(microseconds: 1000))
        #expect(try folder.mode(of: "background/x.journal") == 0o600)
        #expect(try folder.mode(of: "background") == 0o700)
    }

    @Test func `only unsafe requests are synced at once`() throws {
        let journal = try open()
        _ = journal.recall("a", mark: 1, isUnsafe: true)
        _ = journal.recall("b", mark: 1, isUnsafe: false)
        #expect(journal.attemptBegins("a", deadline: nil))
        #expect(!journal.attemptBegins("b", deadline: nil))
        #expect(journal.taskEnded(.ended("a", .succeeded), redact: plain))
        #expect(!journal.taskEnded(.ended("b", .succeeded), redact: plain))
    }

    @Test func `a changed transfer begins anew`() throws {
        let first = try open()
        begin(first, "a")
        try first.write(isDurable: false)
        #expect(try open().recall("a", mark: 2, isUnsafe: false) == nil)
    }

    @Test func `the round ends when no later run could improve a transfer`() throws {
        let first = try open()
        begin(first, "a")
        _ = first.taskEnded(.ended("a", .failed), redact: plain)
        #expect(try finish(first).isEmpty)
        #expect(try BackgroundJournal.read(first.path)?.state == .finished)
        #expect(try open().earlier.transfers.isEmpty)
    }

    @Test(arguments: [
        (TaskOutcome.failed, true), (.cancelled, true), (.cancelled, false), (.deferred, true),
        (.skipped, true),
    ])
    func `a transfer that a later run can improve keeps the round open`(
        outcome: TaskOutcome,
        isRetryable: Bool
    ) throws {
        let first = try open()
        begin(first, "a")
        begin(first, "b")
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = first.taskEnded(.ended("b", outcome, isRetryable: isRetryable), redact: plain)
        _ = try finish(first)
        let second = try open()
        #expect(second.recall("a", mark: 1, isUnsafe: false)?.end != nil)
        let left = try #require(second.recall("b", mark: 1, isUnsafe: false))
        #expect(left.end == nil)
        #expect(!left.wasCut)
    }

    @Test func `a failure of this machine keeps the round open`() throws {
        let first = try open()
        begin(first, "a")
        var record = TaskRecord.ended("a", .failed)
        record.isForWantOfMachine = true
        _ = first.taskEnded(record, redact: plain)
        _ = try finish(first, .environment)
        let left = try #require(try open().recall("a", mark: 1, isUnsafe: false))
        #expect(left.end == nil)
        #expect(left.failures == 0)
    }

    @Test func `a round stays open if its run was cut before it ended all rounds of the job`()
        throws
    {
        let first = try open()
        begin(first, "a")
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = try finish(first)
        #expect(try open("run-2", job: "other", unended: ["run-1"]).earlier.transfers.isEmpty)
        // The file is new; the same once more.
        let second = try open()
        begin(second, "a")
        _ = second.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = try finish(second)
        let third = try open("run-2", unended: ["run-1"])
        #expect(third.recall("a", mark: 1, isUnsafe: true)?.end?.outcome == .succeeded)
        #expect(!third.earlier.endsOnceDelivered)
        _ = try finish(third)
        #expect(try open("run-3").earlier.transfers.isEmpty)
    }

    @Test(arguments: [(TransferFailure.Phase.receive, false), (.receive, true), (.prepare, false)])
    func `an unkeyed order that may have arrived is not resent after a full disk`(
        phase: TransferFailure.Phase,
        hasKey: Bool
    ) throws {
        let first = try open()
        _ = first.recall("a", mark: 1, isUnsafe: true, hasKey: hasKey)
        _ = first.attemptBegins("a", deadline: nil)
        var record = TaskRecord.ended("a", .failed)
        record.isForWantOfMachine = true
        record.error = TransferFailure(kind: .localIO, phase: phase, detail: "no room")
        _ = first.taskEnded(record, redact: plain)
        _ = try finish(first, .environment)
        let isOver = try BackgroundJournal.read(first.path)?.state == .finished
        #expect(isOver == (phase == .receive && !hasKey))
    }

    @Test func `finished transfers leave no round open, also after another reading`() throws {
        let first = try open()
        begin(first, "a")
        begin(first, "b")
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = first.taskEnded(.ended("b", .failed, isRetryable: true), redact: plain)
        _ = try finish(first)
        let second = try open()
        begin(second, "b")
        _ = second.taskEnded(.ended("b", .succeeded), redact: plain)
        // Its file is gone, so that its content is unknown.
        _ = second.taskEnded(.ended("a", .failed, isRetryable: true), redact: plain)
        _ = try finish(second)
        #expect(try BackgroundJournal.read(second.path)?.state == .finished)
    }

    @Test(arguments: [ExitCode.interrupted, .terminated])
    func `a run that a signal ends leaves its round open`(code: ExitCode) throws {
        let first = try open()
        begin(first, "a")
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = try finish(first, code)
        let second = try open()
        #expect(second.recall("a", mark: 1, isUnsafe: false)?.end?.outcome == .succeeded)
        _ = try finish(second)
        #expect(try BackgroundJournal.read(second.path)?.state == .finished)
    }

    @Test func `failed attempts count, but not those that earlier runs used up`() throws {
        let first = try open()
        begin(first, "a")
        first.attemptEnded("a", failures: 1)
        begin(first, "b")
        first.attemptEnded("b", failures: 0)
        try first.write(isDurable: false)
        let second = try open()
        #expect(second.recall("a", mark: 1, isUnsafe: false)?.failures == 1)
        #expect(second.recall("b", mark: 1, isUnsafe: false)?.failures == 0)
        #expect(second.recall("b", mark: 1, isUnsafe: false)?.wasCut == false)
        _ = second.taskEnded(.ended("a", .failed, isRetryable: true), redact: plain)
        _ = try finish(second)
        #expect(try open().recall("a", mark: 1, isUnsafe: false)?.failures == 0)
    }

    @Test func `an order with an unknown outcome is not sent again`() throws {
        let first = try open()
        begin(first, "a", isUnsafe: true)
        var record = TaskRecord.ended("a", .cancelled)
        record.error?.isOutcomeUnknown = true
        _ = first.taskEnded(record, redact: plain)
        try first.write(isDurable: false)
        let end = try #require(try open().recall("a", mark: 1, isUnsafe: true)?.end)
        #expect(end.outcome == .failed)
        #expect(end.error?.isOutcomeUnknown == true)
    }

    @Test func `transfers that the job no longer has are named and forgotten`() throws {
        let first = try open()
        begin(first, "a")
        begin(first, "b")
        try first.write(isDurable: false)
        let second = try open()
        begin(second, "b")
        _ = second.taskEnded(.ended("b", .failed, isRetryable: true), redact: plain)
        #expect(try finish(second) == ["a"])
        #expect(try open().earlier.transfers.map(\.id) == ["b"])
    }

    @Test func `a run of a part forgets no transfer and ends no round of the whole job`() throws {
        let whole = try open()
        begin(whole, "a")
        _ = whole.taskEnded(.ended("a", .succeeded), redact: plain)
        try whole.write(isDurable: false)
        let part = try open(taskCount: nil)
        #expect(try finish(part).isEmpty)
        #expect(try BackgroundJournal.read(part.path)?.state == .open)
        #expect(try open().knows("a"))
    }

    @Test func `a run of a part ends a round that only parts have begun`() throws {
        let part = try open(taskCount: nil)
        begin(part, "a")
        _ = part.taskEnded(.ended("a", .succeeded), redact: plain)
        _ = try finish(part)
        #expect(try BackgroundJournal.read(part.path)?.state == .finished)
    }

    @Test func `a round belongs to its job until it is over`() throws {
        let first = try open(job: "one")
        begin(first, "a")
        try first.write(isDurable: false)
        #expect {
            try open(job: "other")
        } throws: { error in
            (error as? JournalFault)?.message.contains("runner cancel") == true
        }
        _ = try BackgroundJournal.cancel(in: folder.path("background"), name: "x.journal")
        #expect(try open(job: "other").earlier.transfers.isEmpty)
    }

    @Test func `a cancelled round is over and keeps its counts`() throws {
        let first = try open()
        begin(first, "a")
        try first.write(isDurable: false)
        let path = folder.path("background")
        #expect(try BackgroundJournal.cancel(in: path, name: "x.journal")?.state == .open)
        #expect(try BackgroundJournal.cancel(in: path, name: "x.journal")?.state == .cancelled)
        #expect(try BackgroundJournal.read(first.path)?.transfers.map(\.id) == ["a"])
        #expect(try BackgroundJournal.cancel(in: path, name: "y.journal") == nil)
        #expect(!(try open().knows("a")))
    }

    @Test func `the next round remembers an undelivered hook of a run`() throws {
        let first = try open()
        _ = try first.end(
            .init(runIdentifier: "run-1", exitCode: 0, reportPath: "/r", isDelivered: false)
        )
        let second = try open("run-2")
        #expect(second.earlier.finish?.isDelivered == false)
        try second.delivered()
        #expect(try open("run-3").earlier.finish?.isDelivered == true)
    }

    @Test func `secrets are removed from a journalled failure`() throws {
        let first = try open()
        begin(first, "a")
        _ = first.taskEnded(.ended("a", .failed)) { _ in "redacted" }
        try first.write(isDurable: false)
        let end = try open().recall("a", mark: 1, isUnsafe: false)?.end
        #expect(end?.error?.detail == "redacted")
    }

    /// The bytes of a journal to which the beginning and the end of `a` were written, and the
    /// lengths before these two writes.
    private func journal(isDurable: Bool) throws -> (whole: [UInt8], start: Int, middle: Int) {
        let first = try open()
        let start = try text.count
        begin(first, "a")
        try first.write(isDurable: isDurable)
        let middle = try text.count
        _ = first.taskEnded(.ended("a", .succeeded), redact: plain)
        try first.write(isDurable: isDurable)
        return (try text, start, middle)
    }

    @Test func `cut behind what was synchronized a journal has what stands before the cut`() throws
    {
        let (whole, start, middle) = try journal(isDurable: false)
        for length in start...whole.count {
            try write(whole[..<length])
            let state = try open().recall("a", mark: 1, isUnsafe: false)
            #expect((state != nil) == (length >= middle))
            #expect((state?.end != nil) == (length == whole.count))
        }
        for length in 0..<start {
            try write(whole[..<length])
            #expect(throws: JournalFault.self) { try open() }
        }
    }

    @Test func `cut anywhere before the end of what was synchronized a journal is damaged`() throws
    {
        let (whole, _, _) = try journal(isDurable: true)
        for length in 0..<whole.count {
            try write(whole[..<length])
            let fault = try #require(throws: JournalFault.self) { try open() }
            #expect(fault.message.contains("x.journal: the journal is damaged or cut"))
            #expect(try text == Array(whole[..<length]))
        }
    }

    @Test func `a changed byte in the synced part is damage at any position`() throws {
        let (whole, _, _) = try journal(isDurable: true)
        let marks = JournalText.name.count + 1
        for place in 0..<whole.count where !(marks..<marks + 24).contains(place) {
            var bytes = whole
            bytes[place] ^= 0x40
            try write(bytes)
            #expect(throws: JournalFault.self, "\(place)") { try open() }
        }
    }

    @Test func `a journal that is shortened during a run takes no more entries`() throws {
        let journal = try open()
        begin(journal, "a")
        try journal.write(isDurable: true)
        let whole = try text
        try write(whole.dropLast(10))
        begin(journal, "b")
        #expect(throws: JournalFault.self) { try journal.write(isDurable: true) }
        #expect(throws: JournalFault.self) { try open() }
    }

    @Test func `a file that other users may have written is not used`() throws {
        _ = try open()
        try folder.write(try text, to: "background/x.journal", mode: 0o666)
        #expect(throws: JournalFault.self) { try open() }
    }
}

extension TaskRecord {
    /// A task that has ended so.
    fileprivate static func ended(
        _ id: String,
        _ outcome: TaskOutcome,
        isRetryable: Bool = false
    ) -> TaskRecord {
        let date = Timestamp(microseconds: 9)
        var record = TaskRecord(
            id: id,
            taskIdentifier: 1,
            kind: .upload,
            session: "s",
            source: SourceLocation(file: "job.yaml", line: 1, column: 1),
            outcome: outcome,
            required: true,
            request: .init(method: "POST", url: "http://a.test/", headers: HeaderFields()),
            startDate: date,
            endDate: date
        )
        record.isRetryable = isRetryable
        if outcome != .succeeded {
            record.error = TransferFailure(kind: .reset, phase: .wait, detail: "it broke")
        }
        return record
    }
}
