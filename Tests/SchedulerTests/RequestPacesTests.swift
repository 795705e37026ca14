import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// `limits.requests` of a session.
@Suite struct RequestPacesTests {
    private func session(
        _ count: Int64,
        per time: Duration,
        at night: RequestRate? = nil,
        connections: Int = 6
    ) -> SessionConfiguration {
        var session = SessionConfiguration(name: "default")
        session.httpMaximumConnectionsPerHost = connections
        session.limits.rates.requests = .rate(RequestRate(count: count, time: time))
        if let night {
            var rates = SessionLimits.Rates()
            rates.requests = .rate(night)
            session.limits.timetable = [
                .init(window: DailyWindow(start: 0, end: 60), rates: rates)
            ]
        }
        return session
    }

    private func tasks(_ ids: String) -> [FakeSource.Task] { ids.map { FakeSource.Task("\($0)") } }

    private let exchange = TransactionMetrics(
        attempt: 1,
        reason: .initial,
        request: .init(method: "GET", url: "http://h/", headers: HeaderFields()),
        fetchStartDate: RunSimulation.clock.wall
    )

    @Test func `requests start evenly spaced, in the order of the plan`() {
        var run = RunSimulation(tasks("abcd"), sessions: [session(2, per: .seconds(1))])
        #expect(run.starts == ["a"])
        run.advance(by: .milliseconds(499))
        #expect(run.starts == ["a"])
        run.advanceToNextTick()
        #expect(run.starts == ["a", "b"])
        #expect(run.now == MonotonicTime(nanoseconds: 500_000_000))
        run.advanceToNextTick()
        run.advanceToNextTick()
        #expect(run.starts == ["a", "b", "c", "d"])
        #expect(run.now == MonotonicTime(nanoseconds: 1_500_000_000))
        for id in ["a", "b", "c", "d"] { run.finish(id) }
        #expect(run.summary.succeeded == 4)
    }

    @Test func `the wait and its reason are in the record`() {
        var run = RunSimulation(tasks("ab"), sessions: [session(1, per: .seconds(60))])
        run.advanceToNextTick()
        run.finish("a")
        run.finish("b")
        #expect(run.record("a")?.attempts.first?.waitReason == nil)
        #expect(run.record("b")?.attempts.first?.waitReason == .requestLimit)
        #expect(run.record("b")?.attempts.first?.waitedMicroseconds == 60_000_000)
    }

    @Test func `another session does not wait`() {
        var other = SessionConfiguration(name: "other")
        other.httpMaximumConnectionsPerHost = 6
        var run = RunSimulation(
            tasks("ab") + [FakeSource.Task("c").with { $0.session = 1 }],
            sessions: [session(1, per: .seconds(1)), other]
        )
        #expect(run.starts == ["a", "c"])
        run.advanceToNextTick()
        #expect(run.starts == ["a", "c", "b"])
    }

    @Test func `a retry waits for its turn and starts before new tasks`() {
        var run = RunSimulation(
            [FakeSource.Task("a").with { $0.retry.attempts = 2 }] + tasks("bc"),
            sessions: [session(1, per: .seconds(100))]
        )
        run.finish("a") {
            $0.transactions = [exchange]
            $0.failure = TransferFailure(kind: .reset, phase: .receive, detail: "it broke")
        }
        run.advance(by: .seconds(99))
        #expect(run.starts == ["a"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "a"])
        run.advance(by: .seconds(100))
        #expect(run.starts == ["a", "a", "b"])
    }

    @Test func `redirects count as requests, and a stored response as none`() {
        var run = RunSimulation(tasks("abc"), sessions: [session(1, per: .seconds(1))])
        run.finish("a") { $0.transactions = [exchange, exchange, exchange] }
        run.advance(by: .seconds(2))
        #expect(run.starts == ["a"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "b"])
        // Without an exchange nothing was sent.
        run.finish("b")
        #expect(run.starts == ["a", "b", "c"])
    }

    @Test func `requests for parts take turns from tasks, and count once`() throws {
        let session = session(1, per: .seconds(1))
        let turns = try #require(
            RequestTurns(session.limits, now: MonotonicTime(nanoseconds: 0))
        )
        var run = RunSimulation(tasks("ab"), sessions: [session], requestTurns: [turns])
        #expect(turns.take(run.now) == .later(run.now + .seconds(1)))
        run.advanceToNextTick()
        #expect(run.starts == ["a", "b"])
        var other = RunSimulation(tasks("ab"), sessions: [session], requestTurns: [turns])
        #expect(other.starts == [])
        other.advance(by: .seconds(2))
        #expect(other.starts == ["a"])
        // The engine's request for a part, of which the attempt tells at its end.
        turns.charge(1, other.now)
        other.finish("a") {
            $0.transactions = [exchange, exchange]
            $0.partRequests = 1
        }
        other.advance(by: .milliseconds(1999))
        #expect(other.starts == ["a"])
        other.advance(by: .milliseconds(1))
        #expect(other.starts == ["a", "b"])
    }

    @Test func `a turn that comes free on another thread does not let a waiting task be forgotten`()
        throws
    {
        let session = session(1, per: .seconds(1))
        let turns = try #require(
            RequestTurns(session.limits, now: MonotonicTime(nanoseconds: 0))
        )
        var run = RunSimulation(tasks("ab"), sessions: [session], requestTurns: [turns])
        #expect(run.starts == ["a"])
        turns.charge(-1, run.now)
        #expect(run.machine.nextTick != nil)
        run.advanceToNextTick()
        #expect(run.starts == ["a", "b"])
    }

    @Test func `a paused origin keeps back tasks whose turn comes meanwhile`() {
        var run = RunSimulation(
            [FakeSource.Task("a").with { $0.retry.attempts = 2 }] + tasks("b"),
            sessions: [session(1, per: .seconds(1))]
        )
        run.refuse("a", 503, [HeaderField(name: "Retry-After", value: "10")])
        run.advance(by: .seconds(9))
        #expect(run.starts == ["a"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "a"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "a", "b"])
    }

    @Test func `the rate follows the time of day, and a clock that is set`() {
        var run = RunSimulation(
            tasks("abcd"),
            sessions: [
                session(1, per: .seconds(3600), at: RequestRate(count: 1, time: .seconds(1)))
            ],
            minuteOfDay: 120
        )
        run.advance(by: .seconds(60))
        #expect(run.starts == ["a"])
        run.minuteOfDay = 30
        run.advanceToNextTick()
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "b"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["a", "b", "c"])
    }

    @Test func `a stopping run starts no task that waits for its turn`() {
        var run = RunSimulation(tasks("ab"), sessions: [session(1, per: .seconds(1))])
        run.signal(.terminate)
        run.finish("a")
        #expect(run.starts == ["a"])
        #expect(run.machine.isFinished)
    }

    @Test func `a machine with a free place and a waiting task does not spin`() {
        let run = RunSimulation(tasks("ab"), sessions: [session(1, per: .seconds(1))])
        #expect(run.machine.nextTick == MonotonicTime(nanoseconds: 1_000_000_000))
    }
}
