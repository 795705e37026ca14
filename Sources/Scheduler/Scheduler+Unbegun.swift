package import TransferModel

extension Scheduler {
    /// Reports a run that does not begin: `started`, each task's end for that reason, `finished`.
    ///
    /// - Parameters:
    ///   - resolver: The tasks.
    ///   - schedule: The limits of the run.
    ///   - header: The first event for the sinks.
    ///   - reason: Why the run does not begin.
    ///   - now: The monotonic clock.
    ///   - sinks: The listeners.
    /// - Returns: The sums.
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
            resolver.answer(machine.on(.tick, now: time), of: &machine, time)
            for event in machine.takeActions().events { emit(event) }
        }
        let summary = machine.summary(now())
        emit(.finished(summary))
        return summary
    }
}
