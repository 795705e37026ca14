import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineStartingTests {
    private func tasks(_ count: Int, at url: String = "http://a.test/") -> [FakeSource.Task] {
        (0..<count).map { FakeSource.Task("t\($0)", url) }
    }

    private func session(_ limit: Int, _ name: String = "default") -> SessionConfiguration {
        var session = SessionConfiguration(name: name)
        session.httpMaximumConnectionsPerHost = limit
        return session
    }

    @Test func `tasks start by priority and then in file order`() {
        var run = RunSimulation(
            [
                .init("low").with { $0.priority = 0 }, .init("first"), .init("second"),
                .init("high").with { $0.priority = 1 },
            ],
            schedule: { $0.maxConcurrentTasks = 1 }
        )
        while let id = run.runningIDs.first { run.finish(id) }
        #expect(run.starts == ["high", "first", "second", "low"])
        #expect(run.records.map(\.id) == run.starts)
        #expect(run.machine.isFinished)
    }

    @Test func `no more tasks run at once than allowed`() {
        var run = RunSimulation(
            tasks(5),
            sessions: [session(100)],
            schedule: { $0.maxConcurrentTasks = 2 }
        )
        #expect(run.runningIDs == ["t0", "t1"])
        run.finish("t0")
        #expect(run.runningIDs == ["t1", "t2"])
    }

    @Test func `a full host does not block tasks of other hosts`() {
        let far = FakeSource.Task("far", "http://b.test/")
        let run = RunSimulation(
            tasks(1000) + [far],
            sessions: [session(2)],
            schedule: { $0.maxConcurrentTasks = 3 }
        )
        #expect(run.runningIDs == ["t0", "t1", "far"])
        #expect(!run.machine.queue.isLookingFurther)
    }

    @Test func `the search for another host is split into turns`() {
        let source = FakeSource(tasks: tasks(200))
        let resolver = TaskResolver(
            source,
            sessions: [session(1)],
            clock: RunSimulation.clock
        )
        var machine = RunMachine(
            overview: source,
            sessions: [session(1)],
            schedule: ScheduleConfiguration(),
            clock: RunSimulation.clock,
            now: MonotonicTime(nanoseconds: 0)
        )
        var turns = 0
        repeat {
            let now = MonotonicTime(nanoseconds: 0)
            resolver.answer(machine.on(.tick, now: now), of: &machine)
            turns += 1
        } while machine.queue.isLookingFurther
        #expect(turns == 4)
        #expect(machine.active.count == 1)
    }

    @Test func `two sessions do not share their connections`() {
        let other = FakeSource.Task("other").with { $0.session = 1 }
        let run = RunSimulation(tasks(2) + [other], sessions: [session(1), session(1, "second")])
        #expect(run.runningIDs == ["t0", "other"])
    }

    @Test func `a task starts when all its needs have succeeded`() {
        var run = RunSimulation([
            .init("a"), .init("b"), .init("c").with { $0.needs = [0, 1] },
        ])
        run.finish("a")
        #expect(run.runningIDs == ["b"])
        run.finish("b")
        #expect(run.runningIDs == ["c"])
    }

    @Test func `a request carries the task's settings and the session's deadline`() throws {
        var session = SessionConfiguration(name: "default")
        session.timeoutIntervalForResource = .seconds(30)
        let run = RunSimulation([.init("a").with { $0.kind = .download }], sessions: [session])
        let request = try #require(run.running[0])
        #expect(request.number == 1)
        #expect(request.deadline == MonotonicTime(nanoseconds: 30_000_000_000))
        #expect(request.sink == .memory)
        #expect(!request.requiresFreshConnection)
    }

    @Test(arguments: [("POST", false, true), ("POST", true, false), ("PUT", false, false)])
    func `an unsafe request without a key gets a connection of its own`(
        method: String,
        key: Bool,
        isFresh: Bool
    ) throws {
        let run = RunSimulation([
            .init("a").with {
                $0.method = method
                $0.retry.attempts = 4
                $0.headers = key ? [HeaderField(name: "idempotency-key", value: "\"k\"")] : []
            }
        ])
        #expect(try #require(run.running[0]).requiresFreshConnection == isFresh)
    }

    @Test func `a task that cannot be read again fails and the others continue`() {
        var run = RunSimulation([.init("bad", "nonsense"), .init("good")])
        run.finish("good")
        #expect(run.record("bad")?.error?.kind == .engine)
        #expect(run.record("bad")?.outcome == .failed)
        #expect(run.machine.isFinished)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `a run without tasks is finished at once`() {
        let run = RunSimulation([])
        #expect(run.machine.isFinished)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `tasks between two attempts keep new ones from starting`() {
        let failing = tasks(1000).map { task in task.with { $0.retry = .steady } }
        var run = RunSimulation(failing, schedule: { $0.maxConcurrentTasks = 2 })
        while let id = run.runningIDs.first { run.fail(id, .connect) }
        // 64 waiting tasks, and those that ran when the 64th began to wait.
        #expect((64...66).contains(run.machine.active.count))
        run.advance(by: .seconds(1))
        // Retries come first.
        #expect(run.running.values.allSatisfy { $0.number == 2 })
        #expect(run.running.count == 2)
    }
}
