import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct AttemptTraceTests {
    private static let start = Timestamp(microseconds: 0)

    /// Adds an attempt of two exchanges, of which the first one is known before the second.
    private func add(_ number: Int, to trace: inout AttemptTrace) throws {
        let request = TransactionMetrics.SentRequest(
            method: "GET",
            url: "http://a.test/",
            headers: HeaderFields()
        )
        var result = AttemptResult(
            key: 0,
            startTime: MonotonicTime(nanoseconds: 1),
            endTime: MonotonicTime(nanoseconds: 2),
            currentRequest: request
        )
        result.redirectCount = 1
        result.transactions = [
            TransactionMetrics(
                attempt: number,
                reason: .initial,
                request: request,
                fetchStartDate: Self.start
            )
        ]
        trace.addExchanges(of: result)
        let attempt = TaskRecord.Attempt(
            number: number,
            startDate: Self.start,
            endDate: Self.start,
            outcome: .deferred
        )
        trace.add(attempt, EndedAttempt(result))
    }

    @Test func `of many attempts the first and the last ones are kept, and all are counted`() throws
    {
        var trace = AttemptTrace()
        for number in 1...64 { try add(number, to: &trace) }
        #expect(trace.attempts.map(\.number) == Array(1...64))
        for number in 65...200 { try add(number, to: &trace) }
        let kept = Array(1...32) + Array(169...200)
        #expect(trace.attempts.map(\.number) == kept)
        #expect(trace.transactions.map(\.attempt) == kept.flatMap { [$0, $0] })
        #expect(trace.omittedCount == 136)
        #expect(trace.redirectCount == 400)
    }
}
