import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct ActiveTasksTests {
    private static let now = MonotonicTime(nanoseconds: 0)

    private func task(_ index: Int) throws -> ActiveTask {
        let source = FakeSource(tasks: (0...index).map { FakeSource.Task("t\($0)") })
        let spec = try source.task(at: index, captured: [:])
        return .begun(
            spec,
            session: SessionTraits(SessionConfiguration(name: "default")),
            lane: HostLanes.Lane(session: 0, origin: spec.request.url.origin),
            isRequired: true,
            clock: RunSimulation.clock,
            now: Self.now
        )
    }

    @Test func `a removed task counts and is not found`() throws {
        var tasks = ActiveTasks()
        let begun = tasks.begin(try task(1))
        tasks.putBack(begun)
        #expect(tasks.indices { _ in true } == [1])
        let taken = tasks.take(1)
        var slot = try #require(taken)
        let again = tasks.take(1)
        #expect(tasks.count == 1 && again == nil && tasks.indices { _ in true }.isEmpty)
        slot.task.stage = .ended
        tasks.putBack(slot)
        #expect(tasks.isEmpty && tasks.indices { _ in true }.isEmpty)
    }

    @Test func `a change in one copy does not show in the other`() throws {
        var tasks = ActiveTasks()
        let begun = tasks.begin(try task(0))
        tasks.putBack(begun)
        let copy = tasks
        let taken = tasks.take(0)
        var slot = try #require(taken)
        slot.task.wait(.backoff, since: Self.now)
        tasks.putBack(slot)
        #expect(tasks.awaited(by: 0) == .backoff)
        #expect(copy.awaited(by: 0) == nil)
    }
}
