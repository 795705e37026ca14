package import TransferModel

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
            resolver.answer(machine.on(.tick, now: time), of: &machine, time)
            for event in machine.takeActions().events { emit(event) }
        }
        let summary = machine.summary(now())
        emit(.finished(summary))
        return summary
    }
}
