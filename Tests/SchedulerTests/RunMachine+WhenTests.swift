import Plan
import Testing
import TransferModel

@testable import Scheduler

/// Tasks with `when`.
@Suite struct RunMachineWhenTests {
    private static func task(
        _ id: String,
        when: [(need: Int, ends: [NeedEnd])] = [],
        needs: [Int] = [],
        _ change: (inout FakeSource.Task) -> Void = { _ in }
    ) -> FakeSource.Task {
        FakeSource.Task(id).with {
            $0.when = when
            $0.needs = needs
            change(&$0)
        }
    }

    private static let order = task("order") { $0.isRequired = false }
    private static let alert = task("alert", when: [(0, [.failed])])
    private static let thanks = task("thanks", when: [(0, [.succeeded])])
    private static let unlock = task("unlock", when: [(0, [.succeeded, .failed])])

    @Test func `after a failure the tasks that wait for it run, and the others are skipped`() {
        var run = RunSimulation([Self.order, Self.alert, Self.thanks, Self.unlock])
        #expect(run.runningIDs == ["order"])
        run.fail("order", .tls) { $0.isPermanent = true }
        #expect(run.runningIDs == ["alert", "unlock"])
        #expect(run.record("thanks")?.isRefused == true)
        #expect(run.record("thanks")?.error?.detail == "`when` does not hold: `order` failed")
        run.finish("alert")
        run.finish("unlock")
        #expect(run.machine.isFinished)
        #expect(run.summary.exitCode == .success)
        #expect(run.summary.skipped == 1)
    }

    @Test func `a task that its condition skips is no failure`() {
        var run = RunSimulation([Self.order, Self.alert])
        run.finish("order")
        #expect(run.record("alert")?.error?.detail == "`when` does not hold: `order` succeeded")
        #expect(run.record("alert")?.isRetryable == false)
        #expect(run.machine.isFinished)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a task has failed after its last attempt only`() {
        var run = RunSimulation([
            Self.order.with {
                $0.retry = .steady
                $0.retry.attempts = 2
            },
            Self.alert,
        ])
        run.fail("order", .reset)
        #expect(run.record("alert") == nil)
        run.advanceToNextTick()
        #expect(run.runningIDs == ["order"])
        run.fail("order", .reset)
        #expect(run.runningIDs == ["alert"])
    }

    @Test func `what needs a task that its condition skips is skipped without a failure`() {
        var run = RunSimulation([
            Self.order, Self.alert, Self.task("after", needs: [1]),
            Self.task("last", needs: [2]), Self.task("else", when: [(1, [.skipped])]),
        ])
        run.finish("order")
        #expect(
            run.record("after")?.error?.detail
                == "the task needs `alert`, which was skipped by its `when`"
        )
        #expect(
            run.record("last")?.error?.detail
                == "the task needs `after`, which was skipped because `alert` was skipped by its "
                + "`when`"
        )
        #expect(["after", "last"].allSatisfy { run.record($0)?.isRefused == true })
        #expect(run.runningIDs == ["else"])
        run.finish("else")
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a task behind a failure is skipped for a condition that waits for that`() {
        var run = RunSimulation([
            Self.order, Self.task("after", needs: [0]) { $0.isRequired = false },
            Self.task("report", when: [(1, [.skipped])]),
            Self.task("alert", when: [(1, [.failed])]),
        ])
        run.fail("order", .tls) { $0.isPermanent = true }
        #expect(run.record("after")?.error?.kind == .cancelled)
        #expect(run.runningIDs == ["report"])
        #expect(run.record("alert")?.error?.detail == "`when` does not hold: `after` was skipped")
    }

    @Test func `false comparisons skip a task when its needs have ended`() {
        var run = RunSimulation([
            Self.order, Self.task("compared", needs: [0]) { $0.compares = false },
        ])
        #expect(run.record("compared") == nil)
        run.finish("order")
        #expect(run.record("compared")?.isRefused == true)
        #expect(run.record("compared")?.attempts.isEmpty == true)
        #expect(run.machine.isFinished && run.summary.exitCode == .success)
    }

    @Test func `a stop leaves no task to a condition`() {
        var run = RunSimulation(
            [Self.task("order"), Self.alert, Self.task("other")],
            schedule: { $0.failFast = true }
        )
        run.fail("order", .tls) { $0.isPermanent = true }
        run.finish("other")
        #expect(run.starts == ["order", "other"])
        #expect(run.record("alert")?.outcome == .cancelled)
        #expect(run.machine.isFinished)
    }
}
