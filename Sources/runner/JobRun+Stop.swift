import Plan
import Scheduler
import SystemKit
import Transfer
import TransferModel

extension JobRun {
    /// Hands a signal to the scheduler.
    static func pass(
        _ signal: StopSignal,
        to inbox: Inbox<Scheduler.Message>
    ) -> StopSignalListener.Hearing {
        let turn = inbox.push(.signal(signal))
        return { inbox.isTaken(turn) }
    }

    /// Ends what only the cache still waits for; a signal or the deadline ends it at once, and changes nothing else.
    func stop(
        _ engine: Engine,
        after summary: RunSummary,
        _ clock: RunClock,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Exit) {
        if [.interrupted, .terminated].contains(summary.exitCode) { engine.endRefreshes() }
        try signals.hear { _ in
            engine.endRefreshes()
            return { true }
        }
        engine.stop(refreshingUntil: plan.schedule.deadline.map { clock.monotonic + $0 })
        try signals.hear { Self.pass($0, to: inbox) }
    }
}
