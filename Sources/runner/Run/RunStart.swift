import Diagnostics
import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

/// The moment at which a run begins, and the random wait before its first request.
struct RunStart {
    let clock: RunClock
    /// A random part of `startJitter`; zero at a terminal, where a person waits.
    let jitter: Duration

    /// Reads the clocks and draws the jitter.
    init(of schedule: ScheduleConfiguration) {
        clock = .now()
        let longest = schedule.startJitter.nanoseconds
        jitter =
            longest > 0 && !TerminalTraits.ofStandardError().isTerminal
            ? .nanoseconds(Int64.random(in: 0..<longest)) : .zero
    }

    /// Waits for the jitter; the run's deadline or a signal ends the wait.
    ///
    /// - Throws: `RunObstacle` for a signal.
    func wait(
        for request: RunRequest,
        hearing inbox: Inbox<Scheduler.Message>
    ) throws(RunObstacle) {
        guard jitter > .zero else { return }
        if !request.isQuiet {
            let time = Quantity.duration(microseconds: jitter.microseconds)
            StandardError.say("the run starts in \(time) (startJitter)")
        }
        let end = clock.monotonic + min(jitter, request.plan.schedule.deadline ?? jitter)
        try inbox.obeySignal(until: end.nanoseconds)
    }

    /// Refuses a run outside the window of its job.
    func requireWindow(of schedule: ScheduleConfiguration) throws(RunObstacle) {
        guard let window = schedule.window, !window.contains(LocalTime.minuteOfDay) else { return }
        throw RunObstacle(
            .window(window),
            "outside the window \(window.text): every task is deferred"
        )
    }

    /// Makes the header of the run's report.
    ///
    /// - Parameters:
    ///   - request: The run.
    ///   - engine: The libraries that transfer; nil for a run that does not begin.
    ///   - keyRoundBeginDate: The beginning of the round of idempotency keys; nil without keys.
    /// - Returns: The header.
    func header(
        of request: RunRequest,
        engine: RunHeader.Engine?,
        keyRoundBeginDate: Timestamp? = nil
    ) -> RunHeader {
        let digest = Engine.sha256(of: request.source.bytes)
        var header = RunHeader(of: request.plan, jobSHA256: digest, engine: engine, at: clock)
        header.shard = request.plan.shard
        header.selection = request.selection
        header.startJitterMicroseconds = jitter.microseconds
        header.keyRoundBeginDate = keyRoundBeginDate
        return header
    }
}

extension RunHeader {
    /// The header of a plan's run that begins at that reading of the clocks.
    init(of plan: Plan, jobSHA256: String?, engine: Engine?, at clock: RunClock) {
        self.init(
            jobName: plan.name,
            jobFile: plan.fileName,
            jobSHA256: jobSHA256,
            runIdentifier: plan.runIdentifier,
            startDate: clock.wall,
            runnerVersion: RunnerVersion.current,
            host: ProcessContext.hostName,
            engine: engine,
            clock: .init(
                wall: clock.wall,
                monotonicMicroseconds: clock.monotonic.nanoseconds / 1000,
                maximumSkewMicroseconds: clock.maximumSkewMicroseconds
            ),
            taskCount: plan.taskCount
        )
    }
}

extension RunClock {
    /// Reads both clocks together: the wall clock between two monotonic readings.
    static func now() -> RunClock {
        let before = Clock.monotonicNanoseconds()
        let wall = Clock.wallNanoseconds()
        let after = Clock.monotonicNanoseconds()
        return RunClock(
            wall: Timestamp(microseconds: wall / 1000),
            monotonic: MonotonicTime(nanoseconds: before + (after - before) / 2),
            maximumSkewMicroseconds: (after - before) / 1000 + 1
        )
    }
}

extension RunValues {
    /// The values of a run that begins now.
    static func present() -> RunValues {
        let now = RunClock.now().wall
        return RunValues(id: RunIdentifier.make(at: now), startDate: now)
    }
}

extension Inbox<Scheduler.Message> {
    /// Passes a signal to the scheduler.
    func pass(_ signal: StopSignal) -> StopSignalListener.Hearing {
        let turn = push(.signal(signal, at: .present()))
        return { self.isTaken(turn) }
    }

    /// Waits for messages until a monotonic time, in nanoseconds; a signal among them ends the run
    /// before it begins.
    func obeySignal(until deadline: Int64 = 0) throws(RunObstacle) {
        for message in takeAll(until: deadline) {
            if case .signal(let signal, _) = message { throw RunObstacle(.signal(signal)) }
        }
    }
}

/// The reason why a run cannot begin; its report names it.
struct RunObstacle: Error {
    var reason: StopReason
    /// A message for people; nil when it was printed already.
    var message: String?

    /// A fault of the environment.
    init(_ message: String) {
        reason = .environment(message)
        self.message = message
    }

    init(_ reason: StopReason, _ message: String? = nil) {
        self.reason = reason
        self.message = message
    }
}
