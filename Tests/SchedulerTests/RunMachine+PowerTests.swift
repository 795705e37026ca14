import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// Discretionary sessions on a machine that is on battery at times.
@Suite struct RunMachinePowerTests {
    private static func session(
        isDiscretionary: Bool = true,
        resource: Duration? = .seconds(600)
    ) -> SessionConfiguration {
        var session = SessionConfiguration(name: isDiscretionary ? "nightly" : "other")
        session.kind = isDiscretionary ? .background : .default
        session.isDiscretionary = isDiscretionary
        session.waitsForConnectivity = true
        session.timeoutIntervalForResource = resource
        return session
    }

    private static func run(
        _ tasks: [FakeSource.Task] = [.init("a")],
        isExternal: Bool = false,
        resource: Duration? = .seconds(600),
        places: Int = 16
    ) -> RunSimulation {
        RunSimulation(
            tasks,
            sessions: [session(resource: resource), session(isDiscretionary: false)],
            hasExternalPower: isExternal
        ) { $0.maxConcurrentTasks = places }
    }

    @Test func `a task on battery waits, is reported once, and begins with external power`() throws
    {
        var run = Self.run()
        #expect(run.starts.isEmpty)
        #expect(run.waiting == ["a"])
        run.advance(by: .seconds(90))
        run.powerChanges(isExternal: false)
        run.networkChanges()
        #expect(run.starts.isEmpty)
        #expect(run.waiting == ["a"])
        run.advance(by: .seconds(10))
        run.powerChanges(isExternal: true)
        #expect(run.runningIDs == ["a"])
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(record.attempts.map(\.number) == [1])
        #expect(record.attempts.map(\.waitReason) == [.power])
        #expect(record.attempts.map(\.waitedMicroseconds) == [100_000_000])
    }

    @Test func `no task waits while external power is present`() {
        let run = Self.run(isExternal: true)
        #expect(run.runningIDs == ["a"])
        #expect(run.waiting.isEmpty)
    }

    @Test func `the wait is over with the resource timeout, and the task is deferred`() throws {
        var run = Self.run(
            [.init("a"), .init("b").with { $0.needs = [0] }],
            resource: .seconds(10)
        )
        run.advance(by: .seconds(10))
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred)
        #expect(record.attempts.isEmpty)
        #expect(record.isRetryable)
        #expect(record.error?.kind == .power)
        #expect(run.record("b")?.error?.detail == "the task needs `a`, which was deferred")
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `a running attempt continues without power, and the next attempt waits`() throws {
        var run = Self.run([.init("a").with { $0.retry = .steady }], isExternal: true)
        run.powerChanges(isExternal: false)
        #expect(run.runningIDs == ["a"])
        run.fail("a", .reset)
        run.advance(by: .seconds(5))
        #expect(run.running.isEmpty)
        #expect(run.waiting == ["a"])
        run.powerChanges(isExternal: true)
        #expect(run.running[0]?.number == 2)
        run.finish("a")
        #expect(try #require(run.record("a")).outcome == .succeeded)
    }

    @Test func `tasks that wait for power take no place of others`() {
        let tasks = (0..<600).map { index in
            FakeSource.Task("t\(index)").with { $0.session = index < 500 ? 0 : 1 }
        }
        var run = Self.run(tasks, places: 4)
        var rounds = 0
        while !run.running.isEmpty, rounds < 200 {
            rounds += 1
            for id in run.runningIDs { run.finish(id) }
        }
        #expect(run.records.count == 100)
        run.networkChanges()
        #expect(run.waiting == ["t0"])
        run.powerChanges(isExternal: true)
        while !run.running.isEmpty {
            for id in run.runningIDs { run.finish(id) }
        }
        #expect(run.records.count == 600)
        #expect(run.records.allSatisfy { $0.outcome == .succeeded })
    }

    @Test func `tasks behind a waiting one wait no longer than that one`() {
        var run = Self.run([.init("a"), .init("b")], resource: .seconds(10))
        run.advance(by: .seconds(10))
        #expect(run.records.map(\.outcome) == [.deferred, .deferred])
        #expect(run.records.map(\.heldMicroseconds) == [10_000_000, 10_000_000])
    }

    @Test func `a stopped run cancels waiting tasks`() {
        var run = Self.run([.init("a"), .init("b")])
        run.signal(.terminate)
        #expect(run.records.map(\.outcome) == [.cancelled, .cancelled])
    }
}
