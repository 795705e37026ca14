import Testing
import TransferModel

@testable import Journal

@Suite struct OrderTallyTests {
    private func tally(_ record: TaskRecord) -> OrderTally {
        var tally = OrderTally(countsAnswered: true)
        tally.add(record)
        return tally
    }

    private static let key = "\"k\""
    private static let mark = KeyRound.mark(of: key)

    @Test(arguments: [TaskOutcome.succeeded, .unchanged])
    func `an accepted order is answered`(outcome: TaskOutcome) {
        let tally = tally(.order(.made(Self.key), outcome))
        #expect(tally.answered == [Self.mark])
        #expect(tally.refused.isEmpty && tally.unanswered.isEmpty && !tally.hasUnsent)
    }

    @Test(arguments: [400, 401, 402, 403, 404, 410, 422, 302])
    func `an order that is refused for good is answered, and its key is spent`(status: Int) {
        let tally = tally(.order(.made(Self.key), .failed, .httpStatus, status: status))
        #expect(tally.answered == [Self.mark])
        #expect(tally.refused == [Self.mark])
        #expect(tally.unanswered.isEmpty)
    }

    @Test(arguments: [408, 409, 425, 429, 500, 501, 502, 503, 504])
    func `an order that the server puts off has no answer yet`(status: Int) {
        let tally = tally(.order(.made(Self.key), .failed, .httpStatus, status: status))
        #expect(tally.unanswered == [Self.mark])
        #expect(tally.answered.isEmpty && tally.refused.isEmpty)
    }

    @Test(arguments: [
        TransferFailure.Kind.timeout, .reset, .connect, .truncated, .cancelled, .mimeType, .content,
        .localIO,
    ])
    func `an order without an answer, or with one that is not as expected, keeps its key`(
        kind: TransferFailure.Kind
    ) {
        #expect(tally(.order(.made(Self.key), .failed, kind)).unanswered == [Self.mark])
    }

    @Test func `an order that never began is known to be missing`() {
        #expect(tally(.order(.missing, .cancelled, .cancelled)).hasUnsent)
        #expect(tally(.order(.none, .failed, .reset)) == OrderTally(countsAnswered: true))
    }
}
