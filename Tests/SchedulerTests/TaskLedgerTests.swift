import Plan
import Testing
import TransferModel

@testable import Scheduler

@Suite struct TaskLedgerTests {
    /// Three tasks: `1` needs `0`, and `2` needs `1`.
    private static var chain: TaskLedger {
        TaskLedger(TaskGraph(needs: [[], [0], [1]]), taskCount: 3)
    }

    /// The tasks that never begin, as far as `steps` steps see them.
    private func unbegun(
        _ ledger: inout TaskLedger,
        _ reason: StopReason? = nil,
        steps: Int = 10
    ) -> [Int] {
        var (tasks, steps): ([Int], Int) = ([], steps)
        while let end = ledger.nextUnbegun(reason, steps: &steps) {
            tasks.append(end.task)
            ledger.end(end.task)
            _ = ledger.settle(end)
        }
        return tasks
    }

    @Test func `a success frees the tasks that need it`() {
        var ledger = Self.chain
        #expect(ledger.freeTasks == [0..<1])
        ledger.begin(0)
        ledger.end(0)
        #expect(ledger.succeed(0) == [1..<2])
        #expect(!ledger.hasUnbegun(isStopping: false))
    }

    @Test func `a failure skips each task behind it once, and names its root`() throws {
        var ledger = Self.chain
        ledger.begin(0)
        ledger.end(0)
        #expect(
            ledger.fail(0, TransferFailure(kind: .httpStatus, phase: .wait, detail: "")).isEmpty
        )
        var steps = 1
        let end = try #require(ledger.nextUnbegun(nil, steps: &steps))
        guard case .skipped(let skip) = end.cause, case .need(0, root: 0, _) = skip.reason else {
            Issue.record("the task is not skipped because of task 0")
            return
        }
        #expect(end.task == 1)
        #expect(end.verdict == .taskFailed && steps == 0)
        ledger.end(1)
        #expect(ledger.settle(end).isEmpty)
        #expect(unbegun(&ledger) == [2])
        #expect(ledger.isFinished && !ledger.hasUnbegun(isStopping: false))
    }

    @Test func `a stop ends every task that is not active, so many in a turn`() {
        var ledger = TaskLedger(TaskGraph(), taskCount: 0)
        #expect(ledger.isFinished)
        ledger = TaskLedger(TaskGraph(needs: Array(repeating: [], count: 5)), taskCount: 5)
        ledger.begin(1)
        #expect(unbegun(&ledger, .deadline, steps: 3) == [0, 2, 3])
        #expect(ledger.hasUnbegun(isStopping: true))
        #expect(unbegun(&ledger, .deadline) == [4])
        #expect(!ledger.isFinished)
        ledger.end(1)
        #expect(ledger.isFinished)
    }
}
