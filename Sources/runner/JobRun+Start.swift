import Plan
import Report
import Scheduler
import SystemKit
import TransferModel

extension JobRun {
    /// A random part of `startJitter`; none when somebody sits at a terminal and waits.
    func drawnJitter() -> Duration {
        let longest = plan.schedule.startJitter.nanoseconds
        guard longest > 0, !TerminalTraits.ofStandardError().isTerminal else { return .zero }
        return .nanoseconds(Int64.random(in: 0..<longest))
    }

    /// Says that nothing outlives the run, of a job that needs nothing to.
    func warnOfAbsentState(of plan: Plan) {
        guard let absence = state.absence, plan.sessions.contains(where: { $0.kind != .ephemeral })
        else { return }
        say(
            "warning: \(absence): cookies and records of cut uploads are not kept; name a state folder with --state-dir"
        )
    }

    /// Waits before anything is sent; the deadline, or a signal, which is thrown, ends the wait.
    func wait(
        for jitter: Duration,
        since clock: RunClock,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Obstacle) {
        guard jitter > .zero else { return }
        if progress != .none {
            let time = Quantity.duration(microseconds: jitter.microseconds)
            say("starts in \(time) (startJitter)")
        }
        let end = clock.monotonic + min(jitter, plan.schedule.deadline ?? jitter)
        for message in inbox.takeAll(until: end.nanoseconds) {
            if case .signal(let signal) = message { throw Obstacle(.signal(signal)) }
        }
    }
}
