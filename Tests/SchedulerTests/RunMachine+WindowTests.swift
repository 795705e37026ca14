import Testing
import TransferModel

@testable import Scheduler

@Suite struct RunMachineWindowTests {
    private func run(_ tasks: [FakeSource.Task], at minute: Int) -> RunSimulation {
        RunSimulation(
            tasks,
            minuteOfDay: minute,
            schedule: {
                $0.window = DailyWindow(start: 60, end: 300)
                $0.maxConcurrentTasks = 1
            }
        )
    }

    @Test(arguments: [59, 300, 0, 1439])
    func `outside of the window every task is deferred`(minute: Int) {
        let run = run([FakeSource.Task("a"), FakeSource.Task("b")], at: minute)
        #expect(run.starts.isEmpty)
        #expect(run.records.map(\.outcome) == [.deferred, .deferred])
        #expect(run.records.allSatisfy { $0.isRetryable })
        #expect(run.record("a")?.error?.detail == "the time is outside the window 01:00-05:00")
        #expect(run.summary.deferred == 2)
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `when the window closes, running attempts finish and others are deferred`() {
        var run = run([FakeSource.Task("a"), FakeSource.Task("b")], at: 299)
        #expect(run.runningIDs == ["a"])
        run.minuteOfDay = 300
        run.advanceToNextTick()
        #expect(run.stillRunning == [1])
        #expect(run.record("b")?.outcome == .deferred)
        run.finish("a")
        #expect(run.record("a")?.outcome == .succeeded)
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `no task begins after the window's end, even without a clock check`() {
        var run = run([FakeSource.Task("a"), FakeSource.Task("b")], at: 299)
        run.minuteOfDay = 300
        run.finish("a")
        #expect(run.starts == ["a"])
        #expect(run.record("b")?.outcome == .deferred)
    }

    @Test func `a task that waits for a retry is deferred with its last failure`() {
        var run = run([FakeSource.Task("a").with { $0.retry = .steady }], at: 299)
        run.fail("a", .reset)
        run.minuteOfDay = 300
        run.advanceToNextTick()
        let record = run.record("a")
        #expect(record?.outcome == .deferred)
        #expect(record?.attempts.count == 1)
        #expect(record?.error?.detail.contains("attempt 1 had failed (it broke)") == true)
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `an attempt that fails after the window's end is not retried`() {
        var run = run([FakeSource.Task("a").with { $0.retry = .steady }], at: 299)
        run.minuteOfDay = 300
        run.advanceToNextTick()
        run.fail("a", .reset)
        #expect(run.record("a")?.outcome == .deferred)
    }

    @Test func `deferred optional tasks do not defer the run`() {
        let run = run([FakeSource.Task("a").with { $0.isRequired = false }], at: 0)
        #expect(run.record("a")?.outcome == .deferred)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a run without a window does not read the wall clock`() {
        let run = RunSimulation([FakeSource.Task("a")])
        #expect(!run.machine.watchesWallClock)
        #expect(run.machine.nextTick == nil)
    }
}
