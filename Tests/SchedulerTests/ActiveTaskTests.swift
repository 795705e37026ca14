import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct ActiveTaskTests {
    private static let start = MonotonicTime(nanoseconds: 0)

    private func task(_ change: (inout FakeSource.Task) -> Void = { _ in }) throws -> ActiveTask {
        let spec = try FakeSource(tasks: [FakeSource.Task("a").with(change)])
            .task(at: 0, captured: [:])
        return .begun(
            spec,
            session: SessionTraits(SessionConfiguration(name: "default")),
            lane: HostLanes.Lane(session: 0, origin: spec.request.url.origin),
            isRequired: true,
            clock: RunSimulation.clock,
            now: Self.start
        )
    }

    private func result(_ failure: TransferFailure? = nil, status: Int? = nil) -> AttemptResult {
        var result = AttemptResult(
            key: 0,
            startTime: Self.start,
            endTime: Self.start,
            currentRequest: .init(method: "GET", url: "http://b.test/", headers: HeaderFields())
        )
        result.failure = failure
        result.response = status.map { ResponseHead(statusCode: $0, fields: HeaderFields()) }
        return result
    }

    private func failure(_ kind: TransferFailure.Kind) -> TransferFailure {
        TransferFailure(kind: kind, phase: .receive, detail: "it broke")
    }

    @Test func `a failed URL is followed by its mirror, and the last mirror by a wait`() throws {
        var task = try task {
            $0.kind = .download
            $0.retry = .steady
            $0.mirrors = ["http://m.test/"]
        }
        let history = RetryDecision.History(attempts: 1)
        let reset = failure(.reset)
        let first = task.next(after: reset, history, part: 1, hasTime: true)
        guard case .atOnce = first else {
            Issue.record("no mirror is asked: \(first)")
            return
        }
        #expect(task.url.text == "http://m.test/" && task.lane.origin == task.url.origin)
        let second = task.next(after: reset, history, part: 1, hasTime: true)
        guard case .decided(.retry) = second else {
            Issue.record("there is no wait: \(second)")
            return
        }
        #expect(task.url.text == "http://a.test/")
    }

    @Test func `a wrong file of joined parts costs no attempt, and its own URL is asked once`()
        throws
    {
        var task = try task {
            $0.kind = .download
            $0.retry = .steady
            $0.mirrors = ["http://m.test/"]
        }
        _ = task.begin(Self.start)
        var wrong = result(failure(.integrity))
        wrong.mirrors = [try TransferURL("http://m.test/").origin]
        for isFirst in [true, false] {
            let history = task.history(after: wrong, wall: Timestamp(microseconds: 0), Self.start)
            task.end(EndedAttempt(wrong), RunSimulation.clock)
            let next = task.next(after: failure(.integrity), history, part: 1, hasTime: true)
            guard case .atOnce = next else {
                Issue.record("no URL is asked at once: \(next)")
                return
            }
            #expect(task.url.text == (isFirst ? "http://a.test/" : "http://m.test/"))
            #expect(task.count.failures == task.number - 1)
            let request = task.begin(Self.start)
            #expect(!request.mixesMirrors && request.reason == (isFirst ? .retry : .mirror))
        }
    }

    @Test func `when every other URL refuses, the task waits for a path to the last one`() throws {
        var task = try task {
            $0.kind = .download
            $0.retry = .steady
            $0.mirrors = ["http://m.test/"]
        }
        let history = RetryDecision.History(attempts: 1)
        var noWay = failure(.network)
        noWay.isKnownUnprocessed = true
        _ = task.next(after: noWay, history, part: 1, hasTime: true)
        let next = task.next(after: failure(.content), history, part: 1, hasTime: true)
        guard case .awaitWay(let unreachable) = next else {
            Issue.record("the task does not wait for a way: \(next)")
            return
        }
        #expect(unreachable.kind == .network)
    }

    @Test(arguments: [429, 503, 500])
    func `only 429 and 503 pause the origin that has answered`(status: Int) throws {
        var task = try task { $0.retry = .steady }
        _ = task.begin(Self.start)
        var history = RetryDecision.History(attempts: 1)
        history.retryAfter = .seconds(7)
        let refused = result(failure(.httpStatus), status: status)
        let pause = task.originPause(after: refused, history, part: 1)
        #expect(pause?.duration == (status == 500 ? nil : .seconds(7)))
        #expect(status == 500 || pause?.origin.host == "b.test")
    }

    @Test func `a file that must not be replaced ends its task`() throws {
        for ifExists in [TaskSpec.IfExists.fail, .skip] {
            var task = try task {
                $0.kind = .download
                $0.destination = .init(path: "/a", displayPath: "a", ifExists: ifExists)
            }
            #expect(task.meet(.nothing) == nil)
            switch task.meet(.file) {
            case .success?: #expect(ifExists == .skip)
            case .failure(let failure)?: #expect(ifExists == .fail && failure.kind == .localIO)
            case nil: Issue.record("the file does not end the task")
            }
        }
    }

    @Test func `a cancelled task tells of the attempt that had failed`() throws {
        var task = try task()
        #expect(
            task.cancellation(.cancelled("the run was interrupted")).detail
                == "the run was interrupted"
        )
        _ = task.begin(Self.start)
        task.end(EndedAttempt(result(failure(.reset))), RunSimulation.clock)
        let failure = task.cancellation(.cancelled("the run was interrupted"))
        #expect(failure.kind == .cancelled && !failure.isOutcomeUnknown)
        #expect(failure.detail.contains("attempt 1 had failed (it broke)"))
    }

    @Test func `an order whose response is lost may not be sent over another interface`() throws {
        var lost = failure(.network)
        #expect(try !task { $0.method = "POST" }.mayRepeat(after: lost, result(lost)))
        let steady = try task { $0.retry = .steady }
        #expect(steady.mayRepeat(after: lost, result(lost)))
        lost.isPermanent = true
        #expect(!steady.mayRepeat(after: lost, result(lost)))
    }
}
