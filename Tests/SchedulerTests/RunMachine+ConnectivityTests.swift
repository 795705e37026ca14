import SystemKit
import Testing
import TransferModel

@testable import Scheduler
@testable import Transfer

@Suite struct RunMachineConnectivityTests {
    static func session(
        waits: Bool = true,
        resource: Duration? = .seconds(600)
    ) -> SessionConfiguration {
        var session = SessionConfiguration(name: "s")
        session.waitsForConnectivity = waits
        session.timeoutIntervalForResource = resource
        return session
    }

    static func run(
        _ tasks: [FakeSource.Task] = [.init("a")],
        waits: Bool = true,
        resource: Duration? = .seconds(600),
        failFast: Bool = false
    ) -> RunSimulation {
        RunSimulation(tasks, sessions: [session(waits: waits, resource: resource)]) {
            $0.failFast = failFast
        }
    }

    /// An attempt that had no interface to begin over.
    ///
    /// With `isWhole` there was none for any of the session.
    static func refuse(
        _ id: String,
        in run: inout RunSimulation,
        isWhole: Bool = true,
        _ change: (inout AttemptResult) -> Void = { _ in }
    ) {
        run.finish(id) { result in
            var failure = TransferFailure(kind: .network, phase: .connect, detail: "no way")
            failure.isKnownUnprocessed = true
            failure.unavailableReason = .cellular
            failure.isOfWholeSession = isWhole
            result.failure = failure
            change(&result)
        }
    }

    /// An exchange of a task with another origin or its own.
    private static func exchange(_ result: AttemptResult) -> TransactionMetrics {
        TransactionMetrics(
            attempt: 1,
            reason: .initial,
            request: result.currentRequest,
            fetchStartDate: Timestamp(microseconds: 0)
        )
    }

    /// An attempt that has lost its interface.
    private static func lose(
        _ id: String,
        in run: inout RunSimulation,
        _ change: (inout AttemptResult) -> Void = { _ in }
    ) {
        run.finish(id) { result in
            result.transactions = [exchange(result)]
            result.failure = TransferFailure(kind: .network, phase: .receive, detail: "it is gone")
            change(&result)
        }
    }

    @Test func `a task without a path is deferred, and its dependents are skipped`() throws {
        var run = Self.run(
            [.init("a"), .init("b").with { $0.needs = [0] }, .init("c")],
            waits: false,
            failFast: true
        )
        Self.refuse("a", in: &run)
        run.finish("c")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred)
        #expect(record.attempts.isEmpty)
        #expect(record.isRetryable)
        #expect(record.error?.unavailableReason == .cellular)
        #expect(run.record("b")?.outcome == .skipped)
        #expect(run.record("b")?.error?.detail == "the task needs `a`, which was deferred")
        #expect(run.record("c")?.outcome == .succeeded)
        #expect(run.summary.exitCode == .deferred)
        // That of `c`.
        #expect(run.summary.attempts == 1)
    }

    @Test func `a task waits until the network changes, and that costs no attempt`() throws {
        var run = Self.run()
        Self.refuse("a", in: &run)
        #expect(run.running.isEmpty)
        run.advance(by: .seconds(5))
        run.networkChanges()
        #expect(run.running[0]?.number == 1)
        // That change did not help: the task keeps waiting.
        Self.refuse("a", in: &run)
        run.advance(by: .seconds(2))
        run.networkChanges()
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.attempts.map(\.number) == [1])
        #expect(record.attempts.map(\.waitReason) == [.connectivity])
        #expect(record.attempts.map(\.waitedMicroseconds) == [7_000_000])
        #expect(run.waiting == ["a"])
        #expect(run.summary.exitCode == .success)
    }

    @Test func `a waiting task looks for a path again after half a minute`() {
        var run = Self.run()
        Self.refuse("a", in: &run)
        run.advance(by: .milliseconds(29_999))
        #expect(run.running.isEmpty)
        run.advance(by: .milliseconds(1))
        #expect(run.runningIDs == ["a"])
    }

    @Test func `the wait is over with the resource timeout`() throws {
        var run = Self.run(resource: .seconds(10))
        Self.refuse("a", in: &run)
        run.advance(by: .seconds(10))
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred)
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `tasks that would wait too take no place of others`() {
        var other = Self.session(waits: false)
        other.name = "other"
        let tasks = (0..<600).map { index in
            FakeSource.Task("t\(index)").with { $0.session = index < 500 ? 0 : 1 }
        }
        var run = RunSimulation(tasks, sessions: [Self.session(), other]) {
            $0.maxConcurrentTasks = 4
        }
        for id in run.runningIDs { Self.refuse(id, in: &run) }
        var rounds = 0
        while !run.running.isEmpty, rounds < 200 {
            rounds += 1
            for id in run.runningIDs { run.finish(id) }
        }
        #expect(run.records.count == 100)
        #expect(run.waiting.count == 4)
        run.networkChanges()
        while !run.running.isEmpty {
            for id in run.runningIDs { run.finish(id) }
        }
        #expect(run.records.count == 600)
        #expect(run.records.allSatisfy { $0.outcome == .succeeded })
    }

    @Test func `the wait for a path does not count towards retry.budget`() throws {
        var run = Self.run([
            .init("a").with {
                $0.retry = .steady
                $0.retry.budget = .seconds(5)
            }
        ])
        Self.refuse("a", in: &run)
        run.advance(by: .seconds(60))
        #expect(run.runningIDs == ["a"])
        Self.refuse("a", in: &run)
        run.advance(by: .seconds(40))
        run.networkChanges()
        run.advance(by: .seconds(1))
        run.fail("a", .reset)
        run.advance(by: .seconds(1))
        #expect(run.running[0]?.number == 2)
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(record.heldMicroseconds == 100_000_000)
    }

    @Test func `an origin without a path holds back only its own tasks`() {
        var run = RunSimulation(
            [
                .init("far", "http://far.test/"), .init("next", "http://far.test/"),
                .init("near", "http://near.test/"),
            ],
            sessions: [Self.session()]
        ) { $0.maxConcurrentTasks = 1 }
        Self.refuse("far", in: &run, isWhole: false)
        #expect(run.runningIDs == ["near"])
        run.finish("near")
        #expect(run.running.isEmpty)
        run.networkChanges()
        run.finish("far")
        run.finish("next")
        #expect(run.records.map(\.outcome) == [.succeeded, .succeeded, .succeeded])
    }

    @Test func `tasks that were held back wait together, not one after the other`() {
        var run = RunSimulation(
            (0..<20).map { .init("t\($0)") },
            sessions: [Self.session(resource: .seconds(10))]
        ) { $0.maxConcurrentTasks = 2 }
        for id in run.runningIDs { Self.refuse(id, in: &run) }
        run.advance(by: .seconds(10))
        #expect(run.records.count == 20)
        #expect(run.records.allSatisfy { $0.outcome == .deferred })
        #expect(run.records.allSatisfy { $0.heldMicroseconds == 10_000_000 })
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `when a task stops waiting, the next one looks for a path`() {
        var run = Self.run([.init("a"), .init("b")], resource: .seconds(10))
        for id in run.runningIDs { Self.refuse(id, in: &run) }
        run.advance(by: .seconds(10))
        #expect(run.records.map(\.outcome) == [.deferred, .deferred])
    }

    @Test func `a stopped run cancels waiting tasks and their dependents`() {
        var run = Self.run((0..<40).map { .init("t\($0)") })
        for id in run.runningIDs { Self.refuse(id, in: &run) }
        run.signal(.terminate)
        #expect(run.records.count == 40)
        #expect(run.records.allSatisfy { $0.outcome == .cancelled })
    }

    @Test func `an attempt that has lost its interface is in the record and uses up no retry`()
        throws
    {
        var run = Self.run([.init("a").with { $0.retry = .steady }])
        for _ in 0..<6 {
            Self.lose("a", in: &run)
            run.networkChanges()
        }
        run.finish("a")
        let record = try #require(run.record("a"))
        #expect(record.outcome == .succeeded)
        #expect(
            record.attempts.map(\.outcome) == Array(repeating: .deferred, count: 6) + [.succeeded]
        )
        #expect(run.waiting == ["a"])
    }

    @Test(arguments: [true, false])
    func `an attempt that a network change overtook is retried at once`(isLost: Bool) throws {
        var run = Self.run()
        run.networkChanges()
        if isLost { Self.lose("a", in: &run) } else { Self.refuse("a", in: &run) }
        #expect(run.runningIDs == ["a"])
        #expect(run.waiting.isEmpty)
        // This one began behind the change.
        Self.refuse("a", in: &run)
        #expect(run.running.isEmpty)
        #expect(run.waiting == ["a"])
        run.networkChanges()
        run.finish("a")
        #expect(try #require(run.record("a")).outcome == .succeeded)
    }

    @Test func `without waiting a task looks for another path once after a change`() throws {
        var run = Self.run(waits: false)
        run.networkChanges()
        Self.lose("a", in: &run)
        #expect(run.runningIDs == ["a"])
        Self.refuse("a", in: &run)
        #expect(run.waiting.isEmpty)
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred)
        #expect(record.attempts.count == 1)
    }

    @Test func `an order that may have been processed is not repeated, and fails`() throws {
        var run = Self.run([.init("a").with { $0.method = "POST" }])
        Self.lose("a", in: &run)
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed)
        #expect(record.error?.isOutcomeUnknown == true)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `a network change starts no task that waits for something else`() {
        var run = Self.run([.init("a").with { $0.retry = .steady }])
        run.fail("a", .reset)
        run.networkChanges()
        #expect(run.running.isEmpty)
    }

    @Test func `a task without retries may wait before it begins, but not again`() throws {
        var run = Self.run([
            .init("a").with {
                $0.retry = .steady
                $0.retry.repeat = .never
            }
        ])
        Self.refuse("a", in: &run)
        #expect(run.waiting == ["a"])
        run.networkChanges()
        Self.lose("a", in: &run)
        run.networkChanges()
        #expect(run.running.isEmpty)
        #expect(try #require(run.record("a")).outcome == .deferred)
    }

    @Test func `a permanent failure is not retried when its link is back`() throws {
        var run = Self.run([.init("a").with { $0.retry = .steady }])
        Self.lose("a", in: &run) { $0.failure?.isPermanent = true }
        run.networkChanges()
        #expect(run.running.isEmpty)
        #expect(try #require(run.record("a")).outcome == .deferred)
    }

    @Test func `an order with a resumable upload waits`() throws {
        var run = Self.run([.init("a").with { $0.method = "POST" }])
        let left = try ResumeOutcome.upload(mayBeComplete: false)
        Self.lose("a", in: &run) {
            $0.resume = left
        }
        #expect(run.waiting == ["a"])
        run.networkChanges()
        run.finish("a")
        #expect(try #require(run.record("a")).outcome == .succeeded)
    }

    @Test func `a check of a host without a path is no attempt`() throws {
        var run = Self.run()
        for _ in 0..<3 {
            Self.refuse("a", in: &run) { $0.transactions = [Self.exchange($0)] }
            run.networkChanges()
        }
        #expect(run.running[0]?.number == 1)
        run.finish("a")
        #expect(try #require(run.record("a")).attempts.map(\.number) == [1])
    }

    @Test func `a redirect to an unreachable host holds back no other task`() {
        var run = RunSimulation(
            [.init("a"), .init("b")],
            sessions: [Self.session()]
        ) { $0.maxConcurrentTasks = 1 }
        Self.refuse("a", in: &run, isWhole: false) {
            $0.redirectCount = 1
            $0.failure?.isKnownUnprocessed = false
        }
        #expect(run.waiting == ["a"])
        #expect(run.runningIDs == ["b"])
    }

    @Test func `many redirects to an unreachable host do not fill all places`() {
        let tasks = (0..<100).map { FakeSource.Task("f\($0)", "http://far.test/") }
        var run = RunSimulation(tasks + [.init("near")], sessions: [Self.session()]) {
            $0.maxConcurrentTasks = 1
        }
        while let id = run.runningIDs.first, id != "near" {
            Self.refuse(id, in: &run, isWhole: false) { $0.redirectCount = 1 }
        }
        #expect(run.runningIDs == ["near"])
    }

    @Test func `a task to this machine is not kept back`() {
        var run = RunSimulation(
            [.init("a"), .init("b"), .init("c", "http://127.0.0.1/")],
            sessions: [Self.session()]
        ) { $0.maxConcurrentTasks = 1 }
        Self.refuse("a", in: &run)
        #expect(run.runningIDs == ["c"])
    }
}
