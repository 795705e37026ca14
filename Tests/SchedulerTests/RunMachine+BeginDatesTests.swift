import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct RunMachineBeginDatesTests {
    private func task(_ id: String, _ date: BeginDate) -> FakeSource.Task {
        FakeSource.Task(id).with { $0.earliestBeginDate = date }
    }

    private let start = RunSimulation.clock.wall

    private func date(in duration: Duration) -> BeginDate {
        .date(Timestamp(microseconds: start.microseconds + duration.microseconds))
    }

    @Test func `a task waits for its delay, others do not wait for it`() {
        var run = RunSimulation([task("a", .delay(.seconds(60))), FakeSource.Task("b")])
        #expect(run.starts == ["b"])
        run.finish("b")
        run.advance(by: .seconds(59))
        #expect(run.starts == ["b"])
        run.advanceToNextTick()
        #expect(run.starts == ["b", "a"])
        #expect(run.now == MonotonicTime(nanoseconds: 60_000_000_000))
        run.finish("a")
        #expect(run.summary.succeeded == 2)
        #expect(run.record("a")?.startDate.microseconds == start.microseconds + 60_000_000)
    }

    @Test func `a past date causes no wait`() {
        let run = RunSimulation([task("a", date(in: .zero)), task("b", date(in: .seconds(-5)))])
        #expect(run.starts == ["a", "b"])
    }

    @Test func `a begin date follows the wall clock, which is checked repeatedly`() {
        var run = RunSimulation([task("a", date(in: .seconds(3600)))])
        run.advanceToNextTick()
        #expect(run.now == MonotonicTime(nanoseconds: 5_000_000_000))
        #expect(run.starts.isEmpty)
        // The wall clock is set forward by an hour.
        run.stepWallClock(by: .seconds(3600))
        run.advanceToNextTick()
        #expect(run.starts == ["a"])
    }

    @Test func `a wall clock that is set back makes the wait longer`() {
        var run = RunSimulation([task("a", date(in: .seconds(10)))])
        run.stepWallClock(by: .seconds(-60))
        run.advance(by: .seconds(20))
        #expect(run.starts.isEmpty)
        run.advance(by: .seconds(49))
        #expect(run.starts.isEmpty)
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a"])
    }

    @Test func `a begin date is compared with the wall clock when its task may start`() {
        var run = RunSimulation([
            FakeSource.Task("a"),
            FakeSource.Task("b").with {
                $0.needs = [0]
                $0.earliestBeginDate = date(in: .seconds(-10))
            },
        ])
        run.advance(by: .seconds(1))
        run.stepWallClock(by: .seconds(-60))
        run.finish("a")
        #expect(run.starts == ["a"])
        run.advanceToNextTick()
        #expect(run.starts == ["a"])
        run.advance(by: .seconds(43))
        #expect(run.starts == ["a"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "b"])
    }

    @Test func `the earliest task starts first by any clock, and needs count, too`() {
        var run = RunSimulation([
            task("late", .delay(.seconds(3))), task("soon", date(in: .seconds(1))),
            task("middle", .delay(.seconds(2))),
            FakeSource.Task("after").with {
                $0.needs = [1]
                $0.earliestBeginDate = .delay(.milliseconds(2500))
            },
        ])
        for _ in 0..<3 { run.advance(by: .seconds(1)) }
        #expect(run.starts == ["soon", "middle", "late"])
        run.finish("soon")
        #expect(run.starts == ["soon", "middle", "late", "after"])
    }

    @Test func `a task before its begin date is cancelled by deadline and signal`() {
        var run = RunSimulation(
            [task("a", .delay(.seconds(60)))],
            schedule: { $0.deadline = .seconds(30) }
        )
        run.advanceToNextTick()
        #expect(run.record("a")?.outcome == .cancelled)
        #expect(run.summary.exitCode == .deadline)
        var other = RunSimulation([task("a", date(in: .seconds(60)))])
        other.signal(.terminate)
        #expect(other.record("a")?.outcome == .cancelled)
        #expect(other.machine.isFinished)
        #expect(!other.machine.watchesWallClock)
    }
}
