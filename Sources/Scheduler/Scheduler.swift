package import SystemKit
package import Transfer
package import TransferModel

/// Runs the tasks of a plan on the calling thread.
///
/// A thin loop: it waits for results, signals and timers, asks a `RunMachine` what to do, and does
/// it. The runner's and the signals' threads only put messages into the inbox.
package final class Scheduler {
    /// How long running attempts continue after the first signal.
    package static let grace = StopMachine.grace

    /// A message from another thread.
    package enum Message: Sendable {
        case attempts([AttemptEvent])
        case said(ErrorText)
        case signal(StopSignal, at: MonotonicTime)
        case networkChanged
        case powerChanged(isExternal: Bool)
        /// The positions of the sessions that are suspended now.
        case suspensionsChanged(Set<Int>)
    }

    /// The clocks, the dice and the disk; a test has its own.
    package struct Surroundings {
        /// The monotonic clock; waits are always by `CLOCK_MONOTONIC`.
        package var now: () -> MonotonicTime = MonotonicTime.present
        /// The wall clock, read for a window and for dates.
        package var wall: () -> WallReading = WallReading.present
        /// Gives numbers from 0 up to but not including 1.
        package var dice: () -> Double = { .random(in: 0..<1) }
        /// Finds the occupant of an absolute path, for the destinations of downloads.
        package var occupant: (String) -> PathOccupant = PathOccupant.init(at:)

        /// The effects of the real machine.
        package init() {}
    }

    private let resolver: TaskResolver
    private let header: RunHeader
    private let runner: any AttemptRunner
    private let inbox: Inbox<Message>
    private let sinks: [any RunEventSink]
    /// The shortest time between two `progress` events; nil for none.
    private let progressInterval: Duration?
    private let surroundings: Surroundings
    private var machine: RunMachine
    /// The facts of the last actions: to ask the machine would copy it.
    private var nextTick: MonotonicTime?
    private var watchesWallClock: Bool
    private var nextProgress: MonotonicTime

    /// Prepares a run.
    ///
    /// - Parameters:
    ///   - resolver: The tasks, and the answers about them.
    ///   - schedule: The limits of the run.
    ///   - header: The first event for the sinks.
    ///   - runner: Puts its events into `inbox`; its owner stops it after the run.
    ///   - inbox: The messages of other threads.
    ///   - sinks: The listeners.
    ///   - progressInterval: The shortest time between two `progress` events; nil for none.
    ///   - hasExternalPower: Whether the machine has external power at the start.
    ///   - suspended: The positions of the sessions that are suspended at the start.
    ///   - requestTurns: The limits of requests that the runner of attempts obeys, too, by session;
    ///     nil for limits of the scheduler alone.
    ///   - surroundings: The clocks, the dice and the disk.
    package init(
        _ resolver: TaskResolver,
        schedule: ScheduleConfiguration,
        header: RunHeader,
        runner: any AttemptRunner,
        inbox: Inbox<Message>,
        sinks: [any RunEventSink],
        progressInterval: Duration?,
        hasExternalPower: Bool = true,
        suspended: Set<Int> = [],
        requestTurns: [RequestTurns?]? = nil,
        surroundings: Surroundings = Surroundings()
    ) {
        self.resolver = resolver
        self.header = header
        self.runner = runner
        self.inbox = inbox
        self.sinks = sinks
        self.progressInterval = progressInterval
        self.surroundings = surroundings
        nextProgress = surroundings.now() + (progressInterval ?? .zero)
        machine = RunMachine(
            overview: resolver.source,
            sessions: resolver.sessions,
            schedule: schedule,
            clock: resolver.clock,
            now: resolver.clock.monotonic,
            keepsTransfers: resolver.background != nil,
            hasExternalPower: hasExternalPower,
            requestTurns: requestTurns
        )
        machine.sessions.suspended = suspended
        watchesWallClock = machine.watchesWallClock
    }

    /// Whether the run has ended while some attempts have not: their runner cannot be stopped.
    package var leavesAttempts: Bool { machine.hasAbandoned }

    /// Runs every task to its end and returns the sums; to be called once.
    ///
    /// The sinks get `started`, then for each task its events and exactly one `taskFinished`, then
    /// `finished`.
    package func run() -> RunSummary {
        emit(.started(header))
        let start = surroundings.now()
        if watchesWallClock { machine.read(surroundings.wall(), now: start) }
        tell(.tick, start)
        var answers = perform(machine.takeActions())
        while !machine.isFinished {
            let messages = inbox.takeAll(until: wakeTime(hasAnswers: !answers.isEmpty))
            let time = surroundings.now()
            if watchesWallClock { machine.read(surroundings.wall(), now: time) }
            for event in answers { tell(event, time) }
            for message in messages { take(message, time) }
            tell(.tick, time)
            askForProgress(time)
            answers = perform(machine.takeActions())
        }
        let summary = machine.summary(surroundings.now())
        emit(.finished(summary))
        return summary
    }

    private func tell(_ event: RunMachine.Event, _ time: MonotonicTime) {
        resolver.answer(machine.on(event, now: time), of: &machine)
    }

    private func take(_ message: Message, _ time: MonotonicTime) {
        switch message {
        case .signal(let signal, let arrival): tell(.signal(signal, at: arrival), time)
        case .networkChanged: tell(.networkChanged, time)
        case .powerChanged(let isExternal): tell(.powerChanged(isExternal: isExternal), time)
        case .suspensionsChanged(let sessions): tell(.suspensionsChanged(sessions), time)
        case .said(let text):
            let id = resolver.source.id(of: text.key)
            emit(.taskWrote(id: id, bytes: text.bytes, isLast: text.isLast))
        case .attempts(let events):
            for event in events {
                switch event {
                case .finished(let ended):
                    // A server may send a date in `Retry-After` and no `Date` of its own.
                    if ended.result.failure != nil { machine.read(surroundings.wall(), now: time) }
                    let question = machine.attemptFinished(
                        ended,
                        now: time,
                        dice: surroundings.dice
                    )
                    resolver.answer(question, of: &machine)
                case .progress(let progress): emit(.progress(progress.map(named)))
                }
            }
        }
    }

    /// Carries out actions and returns the machine's events about them.
    ///
    /// The runner goes first: it works while the sinks write.
    private func perform(_ actions: RunActions) -> [RunMachine.Event] {
        (nextTick, watchesWallClock) = (actions.nextTick, actions.watchesWallClock)
        if !actions.starts.isEmpty { runner.start(actions.starts) }
        // One wait for the disk: ended and beginning transfers are kept together. Without an event,
        // too: a try that was taken back must not wait for one.
        resolver.keep(actions.journalSteps)
        resolver.background?.keep(actions.events)
        if !actions.orders.isEmpty { startOrders(actions.orders) }
        if !actions.cancellations.isEmpty { runner.cancel(actions.cancellations) }
        for event in actions.events { emit(event) }
        return actions.destinationChecks.map {
            .destinationChecked(task: $0.task, surroundings.occupant($0.path))
        }
    }

    /// Starts attempts after their beginning is recorded; without the record, a later run would
    /// ignore them.
    private func startOrders(_ requests: [AttemptRequest]) {
        do throws(TransferFailure) {
            try resolver.orderKeys?.commit()
            try resolver.background?.commit()
            runner.start(requests)
        } catch {
            let time = surroundings.now()
            let results = requests.map { request in
                var result = AttemptResult(
                    key: request.key,
                    startTime: time,
                    endTime: time,
                    currentRequest: request.request.sent
                )
                result.failure = error
                return AttemptEvent.finished(result)
            }
            inbox.push(.attempts(results))
        }
    }

    private func emit(_ event: RunEvent) {
        for sink in sinks { sink.receive(event) }
    }

    /// When the next turn begins even without a message; nil when only a message can begin it.
    private func wakeTime(hasAnswers: Bool) -> Int64? {
        if hasAnswers { return .min }
        let tick = nextTick?.nanoseconds
        guard progressInterval != nil, !machine.active.isEmpty else { return tick }
        return min(tick ?? .max, nextProgress.nanoseconds)
    }

    private func askForProgress(_ time: MonotonicTime) {
        // Tasks that wait between two attempts are shown, too.
        guard let progressInterval, !machine.active.isEmpty, time >= nextProgress else { return }
        nextProgress = time + progressInterval
        runner.reportProgress()
    }

    private func named(_ attempt: AttemptProgress) -> TaskProgress {
        var progress = TaskProgress(
            id: resolver.source.id(of: attempt.key),
            kind: resolver.source.kind(of: attempt.key)
        )
        progress.countOfBytesSent = attempt.countOfBytesSent
        progress.countOfBytesReceived = attempt.countOfBytesReceived
        progress.countOfBytesExpected = attempt.countOfBytesExpected
        progress.countOfBytesResumed = attempt.countOfBytesResumed
        progress.isAwaitingBandwidth = attempt.isAwaitingBandwidth
        progress.phase = attempt.phase
        return progress
    }
}

extension Scheduler {
    /// Reports a run that does not begin: `started`, each task's end for that reason, `finished`.
    ///
    /// The parameters are those of `init`. Returns the sums.
    package static func endUnbegun(
        _ resolver: TaskResolver,
        schedule: ScheduleConfiguration,
        header: RunHeader,
        reason: StopReason,
        now: () -> MonotonicTime = MonotonicTime.present,
        sinks: [any RunEventSink]
    ) -> RunSummary {
        var machine = RunMachine(
            overview: resolver.source,
            sessions: resolver.sessions,
            schedule: schedule,
            clock: resolver.clock,
            now: now()
        )
        func emit(_ event: RunEvent) { for sink in sinks { sink.receive(event) } }
        emit(.started(header))
        machine.stop(reason, now())
        while !machine.isFinished {
            let time = now()
            resolver.answer(machine.on(.tick, now: time), of: &machine)
            for event in machine.takeActions().events { emit(event) }
        }
        let summary = machine.summary(now())
        emit(.finished(summary))
        return summary
    }
}

extension MonotonicTime {
    /// The current reading of the monotonic clock.
    package static func present() -> MonotonicTime {
        MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
    }
}
