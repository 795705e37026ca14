import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

/// Keeps every event as a line of text.
private final class TextSink: RunEventSink {
    private(set) var lines: [String] = []

    func receive(_ event: RunEvent) {
        switch event {
        case .started(let header): lines.append("run \(header.jobName)")
        case .taskStarted(let task): lines.append("start \(task.id)")
        case .progress(let tasks):
            let bytes = tasks.map { "\($0.id) \($0.countOfBytesReceived)" }
            lines.append("progress \(bytes.joined(separator: ","))")
        case .taskWillRetry(let id, let attempt, _, _, _, _): lines.append("retry \(id) \(attempt)")
        case .taskWaiting(let id, _): lines.append("wait \(id)")
        case .taskWrote(let id, let bytes, let isLast):
            let text = String(decoding: bytes, as: UTF8.self)
            lines.append("wrote \(id) \(text)\(isLast ? "." : "")")
        case .taskFinished(let task): lines.append("\(task.record.outcome) \(task.record.id)")
        case .stopping(let reason, _, _): lines.append("stopping: \(reason)")
        case .finished(let summary): lines.append("exit \(summary.exitCode.rawValue)")
        }
    }
}

@Suite struct SchedulerTests {
    private static let header = RunHeader(
        jobName: "job",
        jobFile: "job.yaml",
        jobSHA256: "",
        runIdentifier: "",
        startDate: Timestamp(microseconds: 0),
        runnerVersion: "0",
        host: "localhost",
        engine: RunHeader.Engine(libcurl: "8.0.0", tls: nil, http2: false, http3: false),
        clock: RunHeader.Clock(
            wall: Timestamp(microseconds: 0),
            monotonicMicroseconds: 0,
            maximumSkewMicroseconds: 0
        ),
        taskCount: 0
    )

    /// Runs the tasks against a scripted runner by a clock that advances by 300 ms at every look.
    private func run(
        _ tasks: [FakeSource.Task],
        progressInterval: Duration? = nil,
        inbox: Inbox<Scheduler.Message> = Inbox(),
        schedule: ScheduleConfiguration = ScheduleConfiguration(),
        files: Set<String> = [],
        orderKeys: FakeKeys? = nil,
        script: @escaping @Sendable (AttemptRequest) -> FakeRunner.Answer
    ) -> (lines: [String], summary: RunSummary) {
        let sink = TextSink()
        var time = MonotonicTime(nanoseconds: 0)
        var surroundings = Scheduler.Surroundings()
        surroundings.occupant = { files.contains($0) ? .file : .nothing }
        surroundings.dice = { 0.5 }
        surroundings.now = {
            time = time + .milliseconds(300)
            return time
        }
        let scheduler = Scheduler(
            TaskResolver(
                FakeSource(tasks: tasks),
                sessions: [SessionConfiguration(name: "default")],
                clock: RunSimulation.clock,
                orderKeys: orderKeys
            ),
            schedule: schedule,
            header: Self.header,
            runner: FakeRunner(inbox, script),
            inbox: inbox,
            sinks: [sink],
            progressInterval: progressInterval,
            surroundings: surroundings
        )
        let summary = scheduler.run()
        return (sink.lines, summary)
    }

    @Test func `a run reports its beginning, each task and its end`() {
        let (lines, summary) = run([.init("a"), .init("b").with { $0.needs = [0] }]) { _ in .success
        }
        #expect(
            lines == ["run job", "start a", "succeeded a", "start b", "succeeded b", "exit 0"]
        )
        #expect(summary.succeeded == 2)
    }

    @Test func `orders are synced together before any of them is sent, and once`() {
        let keys = FakeKeys()
        let order = { (id: String) in
            FakeSource.Task(id).with {
                $0.kind = .upload
                $0.method = "POST"
                $0.wantsKey = true
            }
        }
        let sent = Lock(0)
        let (lines, _) = run([order("a"), order("b"), .init("c")], orderKeys: keys) { _ in
            sent.withLock { $0 += 1 }
            return .success
        }
        #expect(keys.commits == 1)
        #expect(sent.withLock { $0 } == 3)
        #expect(lines.contains("succeeded b"))
    }

    @Test func `orders that cannot be journalled are not sent, and fail for good`() {
        var fault = TransferFailure(kind: .localIO, phase: .prepare, detail: "full")
        fault.isPermanent = true
        let keys = FakeKeys(fault: fault)
        let order = FakeSource.Task("a").with {
            $0.kind = .upload
            $0.method = "POST"
            $0.wantsKey = true
            $0.retry = .steady
        }
        let sent = Lock<[Int]>([])
        let (lines, summary) = run([order, .init("b")], orderKeys: keys) { request in
            sent.withLock { $0.append(request.key) }
            return .success
        }
        #expect(sent.withLock { $0 } == [1])
        #expect(lines.contains("failed a"))
        #expect(lines.contains("succeeded b"))
        #expect(summary.failed == 1)
    }

    @Test func `a failed attempt is reported and retried`() {
        let failure = TransferFailure(kind: .reset, phase: .receive, detail: "gone")
        let (lines, _) = run([.init("a").with { $0.retry = .steady }]) { request in
            request.number < 3 ? .failure(failure) : .success
        }
        #expect(
            lines == ["run job", "start a", "retry a 1", "retry a 2", "succeeded a", "exit 0"]
        )
    }

    @Test func `progress is requested and reported`() {
        let (lines, _) = run([.init("a")], progressInterval: .milliseconds(200)) { _ in .nothing }
        #expect(lines == ["run job", "start a", "progress a 2", "succeeded a", "exit 0"])
    }

    @Test func `two signals cancel running and waiting tasks`() {
        let inbox = Inbox<Scheduler.Message>()
        var schedule = ScheduleConfiguration()
        schedule.maxConcurrentTasks = 1
        let (lines, summary) = run(
            [.init("a"), .init("b")],
            inbox: inbox,
            schedule: schedule
        ) { _ in
            inbox.push(.signal(.terminate, at: .present()))
            inbox.push(.signal(.terminate, at: .present()))
            return .nothing
        }
        #expect(
            lines == [
                "run job", "start a", "stopping: the run was told to terminate", "cancelled b",
                "cancelled a", "exit 143",
            ]
        )
        #expect(summary.exitCode == .terminated)
    }

    @Test func `an existing file is left alone when the job says so`() {
        let task = { (id: String) in
            FakeSource.Task(id).with {
                $0.destination = TaskSpec.Destination(
                    path: "/out/\(id)",
                    displayPath: "out/\(id)",
                    ifExists: .skip
                )
            }
        }
        let (lines, _) = run([task("a"), task("b")], files: ["/out/a"]) { _ in .success }
        #expect(lines == ["run job", "unchanged a", "start b", "succeeded b", "exit 0"])
    }

    @Test(arguments: [
        (StopReason.environment("no key"), "skipped", 4), (.signal(.terminate), "cancelled", 143),
    ])
    func `a run that does not begin ends every task`(reason: StopReason, outcome: String, code: Int)
    {
        let sink = TextSink()
        let summary = Scheduler.endUnbegun(
            TaskResolver(
                FakeSource(tasks: [.init("a"), .init("b").with { $0.needs = [0] }]),
                sessions: [SessionConfiguration(name: "s")],
                clock: RunSimulation.clock
            ),
            schedule: ScheduleConfiguration(),
            header: Self.header,
            reason: reason,
            now: { MonotonicTime(nanoseconds: 0) },
            sinks: [sink]
        )
        let lines = sink.lines.filter { !$0.hasPrefix("stopping") }
        #expect(lines == ["run job", "\(outcome) a", "\(outcome) b", "exit \(code)"])
        #expect(summary.exitCode.rawValue == code)
    }

    @Test func `a program's output is reported before its task ends`() {
        let inbox = Inbox<Scheduler.Message>()
        let (lines, _) = run([.init("a"), .init("b")], inbox: inbox) { attempt in
            let bytes = Array("x\n".utf8)
            inbox.push(.said(ErrorText(key: attempt.key, bytes: bytes, isLast: attempt.key == 1)))
            return .success
        }
        #expect(
            lines == [
                "run job", "start a", "start b", "wrote a x\n", "wrote b x\n.", "succeeded a",
                "succeeded b", "exit 0",
            ]
        )
    }

    @Test func `an empty plan ends at once`() {
        let (lines, _) = run([]) { _ in .success }
        #expect(lines == ["run job", "exit 0"])
    }
}
