import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct StopMachineTests {
    private static func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    private static func steps(_ machine: inout StopMachine, at seconds: Int64) -> [StopMachine.Step]
    {
        var steps: [StopMachine.Step] = []
        while let step = machine.nextStep(time(seconds)) { steps.append(step) }
        return steps
    }

    private static func read(_ machine: inout StopMachine, minute: Int, at seconds: Int64) {
        let wall = WallReading(time: Timestamp(microseconds: 0), minuteOfDay: minute)
        machine.read(wall, now: time(seconds))
    }

    @Test func `a run without a window or a deadline has no step and no time of its own`() {
        var machine = StopMachine(window: nil, deadline: nil)
        #expect(Self.steps(&machine, at: 1_000_000) == [])
        #expect(machine.nextTime == nil)
        #expect(!machine.watchesWallClock)
        #expect(machine.phase == .running)
    }

    @Test func `the deadline drains the run, cancels its attempts, and abandons them later`() {
        var machine = StopMachine(window: nil, deadline: Self.time(10))
        #expect(machine.nextTime == Self.time(10))
        #expect(Self.steps(&machine, at: 9) == [])
        #expect(Self.steps(&machine, at: 10) == [.drain, .cancel])
        #expect(machine.reason == .deadline)
        #expect(machine.phase == .cancelling)
        #expect(machine.nextTime == Self.time(11))
        #expect(Self.steps(&machine, at: 11) == [.abandon])
        #expect(machine.nextTime == nil)
    }

    @Test func `the deadline replaces fail-fast as the reason and does not drain twice`() {
        var machine = StopMachine(window: nil, deadline: Self.time(10))
        #expect(machine.stop(.failFast) == .drain)
        #expect(Self.steps(&machine, at: 10) == [.cancel])
        #expect(machine.reason == .deadline)
    }

    @Test func `a signal drains, its grace cancels, and the last wait abandons`() {
        var machine = StopMachine(window: nil, deadline: nil)
        #expect(machine.take(.terminate, Self.time(0)) == .drain)
        #expect(machine.nextTime == Self.time(5))
        #expect(Self.steps(&machine, at: 4) == [])
        #expect(Self.steps(&machine, at: 5) == [.cancel])
        #expect(machine.nextTime == Self.time(6))
        #expect(Self.steps(&machine, at: 6) == [.abandon])
        #expect(Self.steps(&machine, at: 60) == [])
    }

    @Test func `a second signal cancels at once, a third one does not lengthen the last wait`() {
        var machine = StopMachine(window: nil, deadline: nil)
        #expect(machine.take(.interrupt, Self.time(0)) == .drain)
        #expect(machine.take(.terminate, Self.time(1)) == .cancel)
        #expect(machine.take(.terminate, Self.time(2)) == nil)
        #expect(machine.reason == .signal(.interrupt))
        #expect(machine.nextTime == Self.time(2))
    }

    @Test func `a deadline keeps the reason of an earlier signal`() {
        var machine = StopMachine(window: nil, deadline: Self.time(3))
        #expect(machine.take(.interrupt, Self.time(0)) == .drain)
        #expect(Self.steps(&machine, at: 3) == [.cancel])
        #expect(machine.reason == .signal(.interrupt))
    }

    @Test func `a window waits for the wall clock and drains the run once outside`() {
        let window = DailyWindow(start: 60, end: 300)
        var machine = StopMachine(window: window, deadline: nil)
        #expect(machine.watchesWallClock)
        #expect(Self.steps(&machine, at: 0) == [])
        Self.read(&machine, minute: 299, at: 0)
        #expect(Self.steps(&machine, at: 0) == [])
        #expect(machine.nextTime == Self.time(5))
        Self.read(&machine, minute: 300, at: 5)
        #expect(Self.steps(&machine, at: 5) == [.drain])
        #expect(machine.reason == .window(window))
        #expect(machine.checkWindow() == nil)
        #expect(machine.nextTime == nil)
    }
}
