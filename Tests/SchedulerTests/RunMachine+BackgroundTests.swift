import SystemKit
import Testing
import TransferModel

@testable import Scheduler
@testable import Transfer

@Suite struct RunMachineBackgroundTests {
    private static let hour = Duration.seconds(3600)

    private var session: SessionConfiguration {
        var session = SessionConfiguration(name: "nightly")
        session.kind = .background
        session.identifier = "nightly"
        session.timeoutIntervalForResource = Self.hour
        return session
    }

    private func run(
        _ tasks: [FakeSource.Task],
        _ background: FakeBackground,
        orderKeys: FakeKeys? = nil,
        schedule: (inout ScheduleConfiguration) -> Void = { _ in }
    ) -> RunSimulation {
        RunSimulation(
            tasks,
            sessions: [session, SessionConfiguration(name: "other")],
            schedule: schedule,
            orderKeys: orderKeys,
            background: background
        )
    }

    private func task(
        _ id: String,
        _ method: String = "GET",
        _ change: (inout FakeSource.Task) -> Void = { _ in }
    ) -> FakeSource.Task {
        FakeSource.Task(id).with {
            $0.kind = method == "GET" ? .download : .upload
            $0.method = method
            $0.retry = .steady
            change(&$0)
        }
    }

    /// The wall clock at the run's start, so much later.
    private static func date(in duration: Duration) -> Timestamp {
        let start = RunSimulation.clock.wall.microseconds
        return Timestamp(microseconds: start + duration.microseconds)
    }

    private static func ended(_ outcome: TaskOutcome) -> EarlierTransfer {
        var end = EarlierTransfer.End(
            runIdentifier: "earlier",
            date: Timestamp(microseconds: 1),
            outcome: outcome
        )
        if outcome == .failed {
            end.error = TransferFailure(kind: .httpStatus, phase: .wait, detail: "status 402")
        }
        return EarlierTransfer(attempts: 2, end: end)
    }

    @Test(arguments: [TaskOutcome.succeeded, .unchanged, .failed])
    func `a transfer that an earlier run ended is not sent again`(outcome: TaskOutcome) throws {
        let background = FakeBackground(["a": Self.ended(outcome)])
        var run = run(
            [task("a"), task("b") { $0.needs = [0] }, task("c")],
            background
        )
        let record = try #require(run.record("a"))
        #expect(record.outcome == outcome)
        #expect(!record.changed)
        #expect(record.attempts.isEmpty)
        #expect(record.earlier?.attempts == 2)
        #expect(record.earlier?.end?.runIdentifier == "earlier")
        #expect(run.starts == (outcome == .failed ? ["c"] : ["b", "c"]))
        #expect(run.summary.exitCode == (outcome == .failed ? .taskFailed : .success))
        run.finish("c")
        #expect(run.record("c")?.earlier == nil)
    }

    @Test func `a failure of an earlier run does not stop this one`() {
        let background = FakeBackground(["a": Self.ended(.failed)])
        let run = run([task("a"), task("b")], background) { $0.failFast = true }
        #expect(run.record("a")?.outcome == .failed)
        #expect(run.starts == ["b"])
    }

    @Test func `a task of another session is not looked up`() {
        let background = FakeBackground(["a": Self.ended(.succeeded)])
        let run = run([task("a") { $0.session = 1 }], background)
        #expect(run.starts == ["a"])
        #expect(background.begun.isEmpty)
    }

    @Test func `attempts without a network are not counted in a later run`() {
        let background = FakeBackground()
        var run = run([task("a") { $0.retry.attempts = 9 }], background)
        for hasNetwork in [false, true, false] {
            run.fail("a", hasNetwork ? .connect : .network) {
                $0.symptom = hasNetwork ? nil : .connect
            }
            run.advanceToNextTick()
        }
        let ends = background.steps.filter { $0 != .began("a") }
        #expect(
            ends == [
                .ended("a", failures: 0), .ended("a", failures: 1), .ended("a", failures: 1),
            ]
        )
    }

    @Test func `each attempt is journalled before it is sent, with its deadline`() throws {
        let background = FakeBackground()
        var run = run([task("a")], background)
        run.fail("a", .reset)
        run.advanceToNextTick()
        #expect(background.begun.map(\.id) == ["a", "a"])
        #expect(
            background.begun.map(\.deadline) == [
                Self.date(in: Self.hour), Self.date(in: Self.hour),
            ]
        )
    }

    @Test func `the end of an attempt is reported before the next one in a turn`() {
        let background = FakeBackground()
        var run = run([task("a", "POST") { $0.retry.backoff.initial = .zero }], background)
        run.refuse("a", 429)
        #expect(background.steps == [.began("a"), .ended("a", failures: 1), .began("a")])
    }

    /// The response to a complete upload is lost; only a later run with its record can ask for the
    /// outcome.
    private func loseAnswer(
        to id: String,
        isKept: Bool = false,
        _ kind: TransferFailure.Kind = .reset,
        in run: inout RunSimulation
    ) throws {
        let left = try ResumeOutcome.upload(mayBeComplete: true, isKept: isKept)
        run.finish(id) { result in
            result.failure = TransferFailure(kind: kind, phase: .connect, detail: "it broke")
            result.failure?.isKnownUnprocessed = kind == .connect
            result.resume = left
        }
    }

    @Test(arguments: [(true, [FakeBackground.Step.ended("a", failures: 1)]), (false, [])])
    func `the journal notes a possibly arrived order if only this run can ask`(
        isKept: Bool,
        told: [FakeBackground.Step]
    ) throws {
        let background = FakeBackground()
        var run = run([task("a", "POST")], background)
        try loseAnswer(to: "a", isKept: isKept, in: &run)
        #expect(run.retries.map(\.id) == ["a"])
        #expect(background.steps == [.began("a")] + told)
        // The run is stopped before it can ask.
        run.signal(.terminate)
        let record = try #require(run.record("a"))
        #expect(record.error?.isOutcomeUnknown == !isKept)
        #expect(record.error?.detail.contains("outcome unknown") == !isKept)
        #expect(record.isRetryable == isKept)
    }

    @Test(arguments: [true, false])
    func `an unanswered offset request does not mark an order as never sent`(
        isAsked: Bool
    ) throws {
        let background = FakeBackground()
        var run = run([task("a", "POST") { $0.retry.attempts = 2 }], background)
        try loseAnswer(to: "a", in: &run)
        run.advanceToNextTick()
        if isAsked {
            try loseAnswer(to: "a", .connect, in: &run)
        } else {
            run.fail("a", .localIO) { $0.phase = .prepare }
        }
        let record = try #require(run.record("a"))
        #expect(record.error?.isOutcomeUnknown == true)
        #expect(!record.isRetryable)
        #expect(run.summary.exitCode == .taskFailed)
        #expect(background.steps == [.began("a"), .began("a")])
    }

    @Test func `failed attempts of earlier runs count`() {
        let earlier = EarlierTransfer(attempts: 7, failures: 3)
        var run = run([task("a")], FakeBackground(["a": earlier]))
        run.fail("a", .reset)
        #expect(run.record("a")?.outcome == .failed)
        #expect(run.record("a")?.earlier?.attempts == 7)
        #expect(run.record("a")?.attempts.map(\.number) == [1])
    }

    @Test(arguments: [(10, 10), (3600, 3600), (90_000, 3600)])
    func `the time of a transfer counts from its first run, and is never longer than the interval`(
        left: Int,
        expected: Int
    ) {
        // More is left than there ever was when the wall clock was set back.
        let earlier = EarlierTransfer(attempts: 1, deadline: Self.date(in: .seconds(left)))
        let background = FakeBackground(["a": earlier])
        let run = run([task("a")], background)
        #expect(run.running[0]?.deadline == run.now + .seconds(expected))
        #expect(background.begun.map(\.deadline) == [Self.date(in: .seconds(expected))])
    }

    @Test func `a transfer whose time ended before the run has failed for good`() throws {
        let earlier = EarlierTransfer(attempts: 1, deadline: Self.date(in: .seconds(-1)))
        let run = run([task("a")], FakeBackground(["a": earlier]))
        let record = try #require(run.record("a"))
        #expect(record.error?.kind == .timeout)
        #expect(record.error?.urlError?.code == -1001)
        #expect(!record.isRetryable)
        #expect(run.starts.isEmpty)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `a transfer whose time ends in the run has failed for good`() throws {
        var run = run([task("a")], FakeBackground())
        run.advance(by: Self.hour)
        run.fail("a", .timeout)
        #expect(run.record("a")?.isRetryable == false)
    }

    @Test func `a wall clock that is set while the run lasts changes no wait and no deadline`() {
        let tasks = [task("a") { $0.earliestBeginDate = .delay(.seconds(5)) }, task("b")]
        let background = FakeBackground()
        var run = run(tasks, background)
        run.fail("b", .reset)
        for step in [90_000, -200_000, 3600] {
            run.stepWallClock(by: .seconds(step))
            run.settle()
        }
        #expect(run.starts == ["b"])
        run.advance(by: .seconds(1))
        #expect(run.starts == ["b", "b"])
        run.advance(by: .seconds(4))
        #expect(run.starts == ["b", "b", "a"])
        #expect(run.running[0]?.deadline == run.now + Self.hour)
        #expect(background.begun.last?.deadline == Self.date(in: Self.hour + .seconds(5)))
    }

    @Test func `an order that was running when its run was cut is not sent again`() throws {
        let earlier = EarlierTransfer(attempts: 1, wasCut: true)
        let run = run([task("a", "POST")], FakeBackground(["a": earlier]))
        let record = try #require(run.record("a"))
        #expect(record.outcome == .failed)
        #expect(record.error?.isOutcomeUnknown == true)
        #expect(record.error?.urlError?.code == -997)
        #expect(!record.isRetryable)
        #expect(run.summary.exitCode == .taskFailed)
    }

    @Test func `an upload that its server knows resumes and replaces no other upload`()
        throws
    {
        let earlier = EarlierTransfer(attempts: 1, wasCut: true)
        let tasks = [
            task("a", "POST") { $0.uploadResume = .acrossRuns },
            task("b", "PUT") { $0.uploadResume = .acrossRuns },
            task("c", "POST") { $0.uploadResume = .acrossRuns },
        ]
        let background = FakeBackground(["a": earlier, "b": earlier], uploads: ["a", "b"])
        let run = run(tasks, background)
        #expect(run.starts.sorted() == ["a", "b", "c"])
        #expect((0..<3).map { run.running[$0]?.upload?.mayReplace } == [false, true, true])
    }

    @Test(arguments: [true, false])
    func `a key that an order gets after it was cut says nothing of the try without it`(
        isMade: Bool
    ) throws {
        let earlier = EarlierTransfer(attempts: 1, wasCut: true)
        let order = task("a", "POST") {
            if isMade {
                $0.wantsKey = true
            } else {
                $0.headers = [HeaderField(name: "Idempotency-Key", value: "\"1\"")]
            }
        }
        let run = run([order], FakeBackground(["a": earlier]), orderKeys: FakeKeys())
        #expect(run.record("a")?.error?.isOutcomeUnknown == true)
        #expect(run.starts.isEmpty)
    }

    @Test func `repeatable and unsent requests are sent again`() {
        let cut = EarlierTransfer(attempts: 1, wasCut: true)
        let keyed = EarlierTransfer(attempts: 1, wasCut: true, hadKey: true)
        let waiting = EarlierTransfer(attempts: 1)
        let background = FakeBackground([
            "get": cut, "put": cut, "keyed": keyed, "key": keyed, "always": cut, "waiting": waiting,
        ])
        let run = run(
            [
                task("get"), task("put", "PUT"), task("keyed", "POST") { $0.wantsKey = true },
                task("key", "POST") {
                    $0.headers = [HeaderField(name: "Idempotency-Key", value: "\"1\"")]
                },
                task("always", "POST") { $0.retry.repeat = .always }, task("waiting", "POST"),
            ],
            background,
            orderKeys: FakeKeys()
        )
        #expect(run.starts.sorted() == ["always", "get", "key", "keyed", "put", "waiting"])
    }

    @Test func `the key of an order that an earlier run ended is requested and used up`() {
        var asked: [String] = []
        let keys = FakeKeys { (spec: TaskSpec) throws(TransferFailure) in
            asked.append(spec.id)
            return OrderKey(text: "\"\(spec.id)\"")
        }
        let background = FakeBackground([
            "a": Self.ended(.succeeded), "b": Self.ended(.failed),
        ])
        let run = run(
            [
                task("a", "POST") { $0.wantsKey = true },
                task("b", "POST") { $0.wantsKey = true },
            ],
            background,
            orderKeys: keys
        )
        #expect(asked == ["a", "b"])
        #expect(run.records.count == 2)
    }

    @Test func `a transfer whose journal lookup fails is not sent`() {
        let failure = TransferFailure(kind: .localIO, phase: .prepare, detail: "no file")
        let run = run(
            [task("a")],
            FakeBackground(["a": EarlierTransfer(attempts: 1)], fault: failure)
        )
        #expect(run.starts.isEmpty)
        #expect(run.record("a")?.error?.detail == "no file")
    }
}
