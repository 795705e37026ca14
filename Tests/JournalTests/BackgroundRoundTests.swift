import Testing
import TransferModel

@testable import Journal

@Suite struct BackgroundRoundTests {
    private let job = BackgroundRound.Job(
        name: "nightly",
        path: "/jobs/nightly.yaml",
        identifier: "orders"
    )

    private var round: BackgroundRound {
        BackgroundRound(job: job, beginDate: Timestamp(microseconds: 7))
    }

    /// The round after some steps.
    private func after(_ steps: [BackgroundRound.Step]) -> BackgroundRound {
        steps.reduce(into: round) { $0.take($1) }
    }

    private static func end(_ outcome: TaskOutcome = .succeeded) -> EarlierTransfer.End {
        var end = EarlierTransfer.End(
            runIdentifier: "run-1",
            date: Timestamp(microseconds: 99),
            outcome: outcome
        )
        end.file = .init(path: "out/a", size: 12, sha256: "ab")
        end.voucher = .length
        if outcome == .failed {
            var failure = TransferFailure(kind: .httpStatus, phase: .wait, detail: "status 402")
            failure.httpStatus = 402
            failure.isOutcomeUnknown = true
            failure.help = "pay"
            failure.urlError = .badServerResponse
            end.error = failure
        }
        return end
    }

    private static let finish = BackgroundRound.Finish(
        runIdentifier: "run-1",
        exitCode: 5,
        reportPath: "/r.json",
        isDelivered: false
    )

    private static let steps: [BackgroundRound.Step] = [
        .begun(id: "a", mark: 1, deadline: Timestamp(microseconds: 50), hasKey: true),
        .waiting(id: "a", mark: 1, failures: 1),
        .begun(id: "b", mark: 2, deadline: nil, hasKey: false),
        .ended(id: "b", mark: 2, end()),
        .begun(id: "c", mark: 3, deadline: nil, hasKey: false),
        .ended(id: "c", mark: 3, end(.failed)),
        .ended(id: "d", mark: 4, end(.unchanged)),
        .dropped(["d", "nobody"]),
        .finished(finish, endsRound: false),
        .delivered,
        .cancelled,
    ]

    @Test func `a round is the result of its steps`() {
        let round = after(Self.steps)
        #expect(round.transfers.map(\.id) == ["a", "b", "c"])
        #expect(round.transfers[0].state.attempts == 1)
        #expect(round.transfers[0].state.failures == 1)
        #expect(round.transfers[0].state.deadline == Timestamp(microseconds: 50))
        #expect(!round.transfers[0].state.wasCut)
        #expect(round.transfers[1].state.end == Self.end())
        #expect(round.transfers[2].state.end == Self.end(.failed))
        #expect(round.finish?.isDelivered == true)
        #expect(round.state == .cancelled)
    }

    @Test func `an attempt without an end was cut`() {
        let round = after(Array(Self.steps.prefix(3)))
        #expect(round.transfers.map(\.state.wasCut) == [false, true])
    }

    @Test func `each step is the same when it is read again`() throws {
        for count in 0...Self.steps.count {
            let entries = [round.entry] + Self.steps.prefix(count).map(\.entry)
            let read = try #require(BackgroundRound(entries))
            #expect(read == after(Array(Self.steps.prefix(count))))
            // And so is the whole round as one entry.
            #expect(BackgroundRound([read.entry]) == read)
        }
    }

    @Test func `a run ends the round if no transfer is left and the hook has run`() {
        #expect(after([.finished(Self.finish, endsRound: false)]).state == .open)
        #expect(after([.finished(Self.finish, endsRound: true)]).state == .open)
        #expect(after([.finished(Self.finish, endsRound: false), .delivered]).state == .open)
        #expect(after([.finished(Self.finish, endsRound: true), .delivered]).state == .finished)
    }

    @Test func `a changed transfer under the same id begins anew`() {
        let round = after(
            Array(Self.steps.prefix(2)) + [.begun(id: "a", mark: 9, deadline: nil, hasKey: false)]
        )
        #expect(round.transfers.map(\.mark) == [9])
        #expect(round.transfers[0].state == EarlierTransfer(attempts: 1, wasCut: true))
    }

    @Test func `a cut or unknown entry is ignored`() throws {
        let step = Self.steps[5].entry
        for length in 0..<step.content.count {
            let cut = JournalText.Entry(kind: step.kind, content: Array(step.content[..<length]))
            #expect(BackgroundRound.Step(cut) == nil)
        }
        #expect(BackgroundRound.Step(JournalText.Entry(kind: 200, content: [])) == nil)
    }

    @Test func `a cut round is ignored`() {
        let entry = after(Self.steps).entry
        for length in 0..<entry.content.count {
            let content = Array(entry.content[..<length])
            let cut = BackgroundRound([JournalText.Entry(kind: entry.kind, content: content)])
            // A cut between two transfers is invisible here: the checksum detects it.
            #expect(cut == nil || cut?.transfers.count ?? 9 < 3)
        }
        #expect(BackgroundRound([]) == nil)
    }
}
