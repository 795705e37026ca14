import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineKeysTests {
    private func order(_ id: String, retry: RetryPolicy = .none) -> FakeSource.Task {
        FakeSource.Task(id).with {
            $0.kind = .upload
            $0.method = "POST"
            $0.wantsKey = true
            $0.retry = retry
        }
    }

    private func keys(of request: RequestSpec?) -> [String] {
        request?.headers.filter { $0.name == "Idempotency-Key" }.map(\.value) ?? []
    }

    @Test func `a key is made once, and every attempt and the record have it`() {
        var made = 0
        var run = RunSimulation(
            [order("a", retry: .steady)],
            orderKeys: FakeKeys { (spec: TaskSpec) throws(TransferFailure) in
                made += 1
                return OrderKey(text: "\"\(spec.id)-\(made)\"")
            }
        )
        #expect(keys(of: run.running[0]?.request) == ["\"a-1\""])
        // Without a key this POST would not be repeated.
        run.fail("a", .reset)
        run.advanceToNextTick()
        #expect(keys(of: run.running[0]?.request) == ["\"a-1\""])
        run.finish("a")
        #expect(made == 1)
        #expect(run.record("a")?.originalRequest.headers["Idempotency-Key"] == "\"a-1\"")
        #expect(run.record("a")?.outcome == .succeeded)
    }

    @Test func `a task that never begins has no idempotency key`() {
        var run = RunSimulation(
            [order("a"), order("b"), FakeSource.Task("c")],
            schedule: {
                $0.maxConcurrentTasks = 1
                $0.failFast = true
            },
            orderKeys: FakeKeys()
        )
        run.fail("a", .reset)
        #expect(run.record("a")?.originalRequest.headers["Idempotency-Key"] == "\"a\"")
        #expect(run.record("b")?.originalRequest.headers["Idempotency-Key"] == nil)
    }

    @Test func `an order without its key is not sent, and frees its place`() {
        var run = RunSimulation(
            [order("a"), FakeSource.Task("b")],
            schedule: { $0.maxConcurrentTasks = 1 },
            orderKeys: FakeKeys { (_: TaskSpec) throws(TransferFailure) in
                throw TransferFailure(kind: .localIO, phase: .prepare, detail: "no file")
            }
        )
        #expect(run.starts == ["b"])
        #expect(run.record("a")?.error?.kind == .localIO)
        run.finish("b")
        #expect(run.summary.failed == 1)
    }
}
