import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// Sessions that a user suspends and resumes while a run goes on.
@Suite struct RunMachineSuspendingTests {
    private static func run(_ tasks: [FakeSource.Task], places: Int = 16) -> RunSimulation {
        var nightly = SessionConfiguration(name: "nightly")
        nightly.kind = .background
        nightly.identifier = "nightly.1"
        return RunSimulation(tasks, sessions: [nightly, SessionConfiguration(name: "own")]) {
            $0.maxConcurrentTasks = places
        }
    }

    @Test func `a suspension cancels the running attempts of its session alone`() throws {
        var run = Self.run([.init("a"), .init("b").with { $0.session = 1 }])
        run.suspensionsChange([0])
        #expect(run.cancelled == [0])
        run.obeyCancellations()
        let record = try #require(run.record("a"))
        #expect(record.outcome == .deferred)
        #expect(record.error?.kind == .suspended)
        #expect(record.error?.detail == "the background session `nightly.1` is suspended")
        #expect(record.isRetryable)
        #expect(run.runningIDs == ["b"])
        run.finish("b")
        #expect(run.summary.exitCode == .deferred)
    }

    @Test func `tasks that wait for a place or another attempt end, and the others begin`() throws {
        var run = Self.run(
            [
                .init("a").with { $0.retry = .steady }, .init("b"),
                .init("c").with { $0.session = 1 },
                .init("d").with { $0.needs = [0] },
            ],
            places: 1
        )
        run.fail("a", .reset)
        #expect(run.runningIDs == ["b"])
        run.suspensionsChange([0])
        run.obeyCancellations()
        #expect(run.runningIDs == ["c"])
        run.finish("c")
        #expect(["a", "b"].map { run.record($0)?.outcome } == [.deferred, .deferred])
        #expect(run.record("d")?.error?.detail == "the task needs `a`, which was deferred")
        #expect(run.machine.isFinished)
    }

    @Test func `an attempt that ends before its cancellation counts`() {
        var run = Self.run([.init("a")])
        run.suspensionsChange([0])
        run.finish("a")
        #expect(run.record("a")?.outcome == .succeeded)
    }

    @Test func `tasks that begin after a resume begin as usual`() {
        var run = Self.run([.init("a"), .init("b").with { $0.needs = [0] }])
        run.suspensionsChange([0])
        run.suspensionsChange([])
        run.finish("a")
        #expect(run.runningIDs == ["b"])
    }

    @Test func `an order that may have arrived is not deferred but fails`() throws {
        var run = Self.run([
            .init("a").with {
                $0.method = "POST"
                $0.retry = .steady
            }
        ])
        run.suspensionsChange([0])
        run.obeyCancellations()
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed)
        #expect(record.error?.isOutcomeUnknown == true)
    }

    @Test func `a stopping run defers what a suspension has cancelled`() {
        var run = Self.run([.init("a")])
        run.suspensionsChange([0])
        run.signal(.terminate)
        run.obeyCancellations()
        #expect(run.record("a")?.outcome == .deferred)
        #expect(run.machine.isFinished)
    }
}
