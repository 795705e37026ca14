import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunTallyTests {
    private static let date = Timestamp(microseconds: 1)

    private func record(_ outcome: TaskOutcome, required: Bool = true) -> TaskRecord {
        TaskRecord(
            id: "a",
            taskIdentifier: 1,
            taskDescription: nil,
            kind: .data,
            session: "default",
            source: SourceLocation(file: "job.yaml", line: 1, column: 1),
            outcome: outcome,
            required: required,
            request: .init(method: "GET", url: "http://a.test/", headers: HeaderFields()),
            startDate: Self.date,
            endDate: Self.date
        )
    }

    @Test func `each outcome is counted by itself`() {
        var tally = RunTally()
        for outcome in [TaskOutcome.succeeded, .unchanged, .unchanged, .skipped] {
            tally.add(record(outcome), verdict: .success)
        }
        let summary = tally.summary(endDate: Self.date, stopReason: nil)
        #expect(summary.tasks == 4 && summary.succeeded == 1 && summary.unchanged == 2)
        #expect(summary.skipped == 1 && summary.exitCode == .success)
    }

    @Test func `only a required task sets the exit code`() {
        var tally = RunTally()
        tally.add(record(.failed, required: false), verdict: .taskFailed)
        #expect(tally.summary(endDate: Self.date, stopReason: nil).exitCode == .success)
        tally.add(record(.failed), verdict: .taskFailed)
        #expect(tally.summary(endDate: Self.date, stopReason: nil).exitCode == .taskFailed)
    }

    @Test func `the exit code of a signal wins over that of the tasks`() {
        var tally = RunTally()
        tally.add(record(.failed), verdict: .taskFailed)
        let summary = tally.summary(endDate: Self.date, stopReason: .signal(.interrupt))
        #expect(summary.exitCode == .interrupted)
        let late = tally.summary(endDate: Self.date, stopReason: .deadline)
        #expect(late.exitCode == .taskFailed)
    }
}
