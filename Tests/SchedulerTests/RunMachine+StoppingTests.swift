import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineStoppingTests {
    private func tasks(_ count: Int) -> [FakeSource.Task] {
        (0..<count).map { FakeSource.Task("t\($0)").with { $0.retry = .steady } }
    }

    @Test func `the first required failure lets running tasks finish and cancels the rest`() {
        var run = RunSimulation(
            tasks(300),
            schedule: {
                $0.failFast = true
                $0.maxConcurrentTasks = 2
            }
        )
        run.refuse("t0", 404)
        #expect(run.runningIDs == ["t1"])
        #expect(run.cancelled.isEmpty)
        run.finish("t1")
        #expect(run.machine.isFinished)
        #expect(run.summary.failed == 1)
        #expect(run.summary.succeeded == 1)
        #expect(run.summary.cancelled == 298)
        #expect(run.summary.exitCode == .taskFailed)
        #expect(run.record("t9")?.error?.kind == .cancelled)
        #expect(run.record("t9")?.error?.detail.contains("failFast") == true)
    }

    @Test func `fail-fast ignores a failed optional task`() {
        var run = RunSimulation(
            [.init("a").with { $0.isRequired = false }, .init("b")],
            schedule: {
                $0.failFast = true
                $0.maxConcurrentTasks = 1
            }
        )
        run.refuse("a", 404)
        #expect(run.runningIDs == ["b"])
    }

    @Test func `after the stop nothing is retried`() throws {
        var run = RunSimulation(tasks(3), schedule: { $0.failFast = true })
        run.fail("t0", .reset)
        run.refuse("t1", 404)
        // Waiting for its second attempt: cancelled with the run.
        let waiting = try #require(run.record("t0"))
        #expect(waiting.outcome == .cancelled)
        #expect(waiting.attempts.count == 1)
        #expect(waiting.error?.detail.contains("attempt 1 had failed (it broke)") == true)
        run.fail("t2", .reset)
        #expect(run.record("t2")?.outcome == .cancelled)
        #expect(run.machine.isFinished)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `dependents of a failed task are skipped, not cancelled`() {
        var run = RunSimulation(
            [.init("a"), .init("b").with { $0.needs = [0] }, .init("c").with { $0.needs = [1] }],
            schedule: { $0.failFast = true }
        )
        run.refuse("a", 404)
        #expect(run.record("b")?.outcome == .skipped)
        #expect(run.machine.isFinished)
        #expect(run.records.count == 3)
    }

    @Test func `the deadline cancels running and waiting tasks`() {
        var run = RunSimulation(
            tasks(4),
            schedule: {
                $0.deadline = .seconds(10)
                $0.maxConcurrentTasks = 2
            }
        )
        run.advance(by: .seconds(9))
        run.finish("t0")
        run.advanceToNextTick()
        #expect(run.cancelled == [1, 2])
        run.obeyCancellations()
        #expect(run.machine.isFinished)
        #expect(run.summary.succeeded == 1)
        #expect(run.summary.cancelled == 3)
        #expect(run.record("t1")?.attempts.map(\.outcome) == [.cancelled])
        #expect(run.summary.exitCode == .deadline)
    }

    @Test(arguments: [true, false])
    func `after a signal an attempt that does not end is not waited for`(isSecond: Bool) throws {
        var run = RunSimulation([
            .init("get"), .init("order").with { $0.method = "POST" },
            .init("c").with { $0.needs = [0] },
        ])
        run.signal(.terminate)
        if isSecond { run.signal(.interrupt) } else { run.advanceToNextTick() }
        #expect(run.cancelled == [0, 1])
        run.finish("get")
        #expect(!run.machine.isFinished)
        run.advanceToNextTick()
        #expect(run.machine.isFinished && run.machine.hasAbandoned)
        let end = StopMachine.lastWait + (isSecond ? .zero : StopMachine.grace)
        #expect(run.now == MonotonicTime(nanoseconds: 0) + end)
        #expect(run.record("get")?.outcome == .succeeded)
        let order = try #require(run.record("order"))
        #expect(order.outcome == .cancelled)
        #expect(order.attempts.map(\.outcome) == [.cancelled])
        #expect(order.error?.isOutcomeUnknown == true)
        #expect(run.summary.exitCode == .terminated)
        // Its later result changes nothing.
        run.finish("order")
        #expect(run.records.count == 3)
    }

    @Test func `an attempt that ends a little after the second signal is kept`() {
        var run = RunSimulation([.init("a")])
        run.signal(.terminate)
        run.signal(.terminate)
        run.obeyCancellations()
        #expect(run.machine.isFinished && !run.machine.hasAbandoned)
    }

    @Test func `a deadline that passes with only optional tasks left is a success`() {
        var run = RunSimulation(
            [.init("a"), .init("b").with { $0.isRequired = false }],
            schedule: { $0.deadline = .seconds(10) }
        )
        run.finish("a")
        run.advanceToNextTick()
        run.obeyCancellations()
        #expect(run.summary.cancelled == 1)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `the deadline also ends tasks that fail-fast lets finish`() {
        var run = RunSimulation(
            tasks(2),
            schedule: {
                $0.deadline = .seconds(10)
                $0.failFast = true
            }
        )
        run.fail("t0", .resolve) { $0.isPermanent = true }
        #expect(run.cancelled.isEmpty)
        run.advanceToNextTick()
        #expect(run.cancelled == [1])
        run.obeyCancellations()
        #expect(run.summary.exitCode == .deadline)
    }

    @Test(
        arguments: [
            (.interrupt, .interrupted), (.terminate, .terminated), (.hangUp, .terminated),
        ] as [(StopSignal, ExitCode)]
    )
    func `the first signal gives running tasks a grace period`(signal: StopSignal, code: ExitCode) {
        var run = RunSimulation(tasks(200), schedule: { $0.maxConcurrentTasks = 3 })
        run.signal(signal)
        #expect(run.summary.cancelled == 197)
        #expect(run.cancelled.isEmpty)
        run.finish("t0")
        run.advance(by: .milliseconds(4999))
        #expect(run.cancelled.isEmpty)
        run.advanceToNextTick()
        #expect(run.cancelled == [1, 2])
        run.obeyCancellations()
        #expect(run.machine.isFinished)
        #expect(run.summary.succeeded == 1)
        #expect(run.summary.exitCode == code)
    }

    @Test func `a second signal cancels at once and the first one names the exit code`() {
        var run = RunSimulation(tasks(2))
        run.signal(.interrupt)
        run.signal(.terminate)
        #expect(run.cancelled == [0, 1])
        run.signal(.terminate)
        #expect(run.cancelled == [0, 1])
        run.obeyCancellations()
        #expect(run.summary.exitCode == .interrupted)
        #expect(run.machine.isFinished)
    }

    @Test(
        arguments: [
            ("POST", [], .receive, false, true), ("POST", [], .connect, true, false),
            ("GET", [], .receive, false, false),
            ("POST", [HeaderField(name: "Idempotency-Key", value: "1")], .wait, false, false),
        ] as [(String, [HeaderField], TransferFailure.Phase, Bool, Bool)]
    )
    func `a cancelled request that may have been processed is not retryable`(
        method: String,
        headers: [HeaderField],
        phase: TransferFailure.Phase,
        isUnprocessed: Bool,
        isUnknown: Bool
    ) throws {
        var run = RunSimulation(
            [
                .init("a").with {
                    $0.method = method
                    $0.headers = headers
                }
            ],
            schedule: { $0.deadline = .seconds(10) }
        )
        run.advanceToNextTick()
        run.fail("a", .cancelled) {
            $0.phase = phase
            $0.curlCode = 42
            $0.isKnownUnprocessed = isUnprocessed
        }
        let record = try #require(run.record("a"))
        let error = try #require(record.error)
        #expect(record.outcome == .cancelled)
        #expect(record.isRetryable == !isUnknown)
        #expect(error.isOutcomeUnknown == isUnknown)
        #expect(error.detail.hasPrefix("the deadline of the run passed"))
        #expect(error.detail.contains("outcome unknown") == isUnknown)
        #expect(error.phase == phase)
        #expect(error.curlCode == 42)
        #expect(run.summary.exitCode == (isUnknown ? .taskFailed : .deadline))
    }

    @Test func `a signal overrides the failures before it`() {
        var run = RunSimulation(tasks(2), schedule: { $0.failFast = true })
        run.fail("t0", .integrity) { $0.isPermanent = true }
        run.signal(.terminate)
        run.finish("t1")
        #expect(run.summary.exitCode == .terminated)
    }

    @Test func `a task between two attempts is not still running`() {
        var run = RunSimulation([.init("a").with { $0.retry = .steady }, .init("b")])
        run.fail("a", .reset)
        run.signal(.terminate)
        #expect(run.stillRunning == [1])
        #expect(run.record("a")?.outcome == .cancelled)
    }

    @Test func `a cancelled task that still succeeds has succeeded`() {
        var run = RunSimulation(tasks(1))
        run.signal(.interrupt)
        run.signal(.interrupt)
        run.finish("t0")
        #expect(run.record("t0")?.outcome == .succeeded)
    }

    @Test func `a download whose file is being checked is not started after a signal`() {
        let destination = TaskSpec.Destination(path: "/a", displayPath: "a", ifExists: .skip)
        var run = RunSimulation([.init("a").with { $0.destination = destination }])
        run.signal(.interrupt)
        run.answerCheck(0, .nothing)
        #expect(run.starts.isEmpty)
        #expect(run.record("a")?.outcome == .cancelled)
    }
}
