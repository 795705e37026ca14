import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// Questions of a machine, answered without a scheduler.
@Suite struct TaskResolverTests {
    private let now = RunSimulation.clock.monotonic

    private func machine(_ resolver: TaskResolver) -> RunMachine {
        RunMachine(
            overview: resolver.source,
            sessions: resolver.sessions,
            schedule: ScheduleConfiguration(),
            clock: RunSimulation.clock,
            now: now
        )
    }

    private func resolver(_ tasks: [FakeSource.Task], _ keys: FakeKeys? = nil) -> TaskResolver {
        TaskResolver(
            FakeSource(tasks: tasks),
            sessions: [SessionConfiguration(name: "default")],
            clock: RunSimulation.clock,
            orderKeys: keys
        )
    }

    @Test func `a machine reads nothing until its question is answered`() throws {
        let resolver = resolver([FakeSource.Task("a")])
        var machine = machine(resolver)
        let question = machine.on(.tick, now: now)
        guard case .task(0, let captured, isFresh: true)? = question else {
            Issue.record("the machine asks something else: \(String(describing: question))")
            return
        }
        #expect(captured.isEmpty && machine.takeActions().starts.isEmpty)
        resolver.answer(question, of: &machine)
        #expect(machine.takeActions().starts.map(\.key) == [0])
    }

    @Test func `only an order is asked for a key, and a lost key fails it`() {
        let lost = TransferFailure(kind: .localIO, phase: .prepare, detail: "no file")
        let keys = FakeKeys { (_: TaskSpec) throws(TransferFailure) in throw lost }
        let order = FakeSource.Task("b").with {
            $0.method = "POST"
            $0.wantsKey = true
        }
        let resolver = resolver([FakeSource.Task("a"), order], keys)
        var machine = machine(resolver)
        resolver.answer(machine.on(.tick, now: now), of: &machine)
        let actions = machine.takeActions()
        #expect(actions.starts.map(\.key) == [0] && actions.orders.isEmpty)
        guard case .taskFinished(let task)? = actions.events.last else {
            Issue.record("the order does not end")
            return
        }
        #expect(task.record.id == "b" && task.record.error?.kind == .localIO)
    }

    @Test func `a task that cannot be read has its outline in its record`() {
        let resolver = resolver([FakeSource.Task("a", "nonsense")])
        var machine = machine(resolver)
        resolver.answer(machine.on(.tick, now: now), of: &machine)
        guard case .taskFinished(let task)? = machine.takeActions().events.last else {
            Issue.record("the task does not end")
            return
        }
        #expect(task.record.error?.kind == .engine && task.record.originalRequest.url == "nonsense")
        #expect(machine.isFinished)
    }
}
