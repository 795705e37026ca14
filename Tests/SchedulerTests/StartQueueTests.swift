import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct StartQueueTests {
    private let lane: HostLanes.Lane
    private let start = RunSimulation.clock.monotonic

    init() throws {
        lane = HostLanes.Lane(session: 0, origin: try TransferURL("http://a.test/").origin)
    }

    private func key(_ task: Int, isRetry: Bool = false) -> TaskKey {
        TaskKey(task: task, priority: 0.5, isRetry: isRetry)
    }

    private func queue(_ tasks: Range<Int>, limit: Int = 1) -> StartQueue {
        var queue = StartQueue(limits: [limit], clock: RunSimulation.clock)
        for task in tasks { queue.insert(key(task)) }
        return queue
    }

    @Test func `a begun task comes before a fresh one, and has its place`() {
        var queue = queue(0..<2)
        queue.lanes.park(key(7, isRetry: true), lane)
        let first = queue.next(acceptsFresh: true)
        #expect(first?.key.task == 7 && first?.lane == lane)
        let second = queue.next(acceptsFresh: true)
        #expect(second?.key.task == 0 && second?.lane == nil)
    }

    @Test func `a run without memory for another task takes begun ones only`() {
        var queue = queue(0..<2)
        let none = queue.next(acceptsFresh: false)
        #expect(none?.key == nil)
        #expect(!queue.isLookingFurther)
        queue.lanes.park(key(7, isRetry: true), lane)
        let next = queue.next(acceptsFresh: false)
        #expect(next?.key.task == 7)
    }

    @Test func `a turn looks at 64 tasks whose host is unknown`() {
        var queue = queue(0..<100)
        var seen = 0
        while queue.next(acceptsFresh: true) != nil { seen += 1 }
        #expect(seen == 64 && queue.isLookingFurther)
        #expect(queue.nextTime == MonotonicTime(nanoseconds: .min))
        queue.beginTurn(start)
        while queue.next(acceptsFresh: true) != nil { seen += 1 }
        #expect(seen == 100 && queue.nextTime == nil)
    }

    @Test func `a retry is due at its time, or at once when it is hurried`() {
        var queue = queue(0..<0)
        queue.insert(1, dueAt: start + .seconds(9))
        queue.insert(2, dueAt: start + .seconds(5))
        #expect(queue.nextTime == start + .seconds(5))
        #expect(queue.takeDue(start) == nil)
        queue.hurry(start) { $0 == 1 }
        #expect(queue.takeDue(start) == 1)
        #expect(queue.takeDue(start) == nil)
        #expect(queue.takeDue(start + .seconds(5)) == 2)
    }

    @Test func `a stop forgets every task`() {
        var queue = queue(0..<3)
        queue.insert(8, dueAt: start)
        queue.lanes.park(key(9, isRetry: true), lane)
        let isKeptBack = queue.beginDates.keepBack(4, until: .delay(.seconds(1)), start)
        #expect(isKeptBack)
        queue.stop()
        let next = queue.next(acceptsFresh: true)
        #expect(next?.key == nil)
        #expect(queue.takeDue(start) == nil)
        #expect(queue.nextTime == nil)
    }
}
