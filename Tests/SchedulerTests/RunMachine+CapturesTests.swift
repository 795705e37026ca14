import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct RunMachineCapturesTests {
    private static let login = FakeSource.Task("login")
    private static func user(_ id: String, needs: [Int], uses: [Int]) -> FakeSource.Task {
        FakeSource.Task(id, "http://a.test/$").with {
            $0.needs = needs
            $0.uses = uses
        }
    }

    @Test func `a task uses captured values of its direct and indirect needs`() throws {
        var run = RunSimulation([
            Self.login, .init("middle").with { $0.needs = [0] },
            Self.user("next", needs: [1], uses: [0]),
        ])
        run.finish("login") { $0.captured = [CapturedValue("token", "t0k3n")] }
        run.finish("middle")
        #expect(run.running[2]?.request.url.text == "http://a.test/t0k3n")
        #expect(run.record("login")?.captures == [.init(name: "token", size: 5)])
        run.finish("next")
        #expect(run.machine.captures.values.isEmpty)
        #expect(run.summary.exitCode == .success)
    }

    @Test func `only the attempt that succeeded counts`() throws {
        var run = RunSimulation([
            Self.login.with { $0.retry = .steady }, Self.user("next", needs: [0], uses: [0]),
        ])
        run.fail("login", .reset)
        run.advanceToNextTick()
        run.finish("login") { $0.captured = [CapturedValue("token", "second")] }
        #expect(run.running[1]?.request.url.text == "http://a.test/second")
    }

    @Test func `a value that does not fit fails the task for good before it starts`() throws {
        var run = RunSimulation([
            Self.login, Self.user("next", needs: [0], uses: [0]).with { $0.retry = .steady },
            .init("last").with { $0.needs = [1] },
        ])
        run.finish("login") { $0.captured = [CapturedValue("token", "a b\r\n")] }
        let record = try #require(run.record("next"))
        #expect(record.outcome == .failed)
        #expect(record.error?.kind == .protocolViolation)
        #expect(record.error?.phase == .prepare)
        #expect(!record.isRetryable)
        #expect(record.attempts.isEmpty)
        #expect(record.session == "default")
        #expect(record.source.line == 2)
        #expect(record.originalRequest.url == "http://a.test/$")
        #expect(run.record("last")?.outcome == .skipped)
        #expect(run.machine.isFinished)
        #expect(run.machine.captures.values.isEmpty)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `a skipped task with captured values has its outline in its record`()
        throws
    {
        var run = RunSimulation([Self.login, Self.user("next", needs: [0], uses: [0])])
        run.fail("login", .tls) { $0.isPermanent = true }
        let record = try #require(run.record("next"))
        #expect(record.outcome == .skipped)
        #expect(record.originalRequest.url == "http://a.test/$")
        #expect(record.session == "default")
        #expect(run.machine.isFinished)
    }
}
