import Journal
import Scheduler
import SystemKit
import TransferModel

/// Keeps the end of a run in the journals and runs the hook, so that a later run repeats the steps
/// that a crash omits.
struct RunEnding {
    /// Nil when the job has no orders with keys.
    let keys: JournalledKeys?
    /// Nil when the job has no background session.
    let background: BackgroundSessions?
    let hook: RunHook
    let signals: RunSignals

    /// Names of transfers that a warning shows.
    private static let shownTransfers = 10

    /// Runs the hook for earlier runs that ended and were killed before their hooks.
    func deliverEarlierEnds() throws(RunObstacle) {
        guard let background else { return }
        var told: Set<BackgroundRound.Finish> = []
        do throws(JournalFault) {
            for journal in background.all {
                guard let finish = journal.earlier.finish, !finish.isDelivered else { continue }
                if told.insert(finish).inserted { hook.run(finish) }
                try journal.delivered()
            }
        } catch {
            throw RunObstacle("background sessions cannot be stored: \(error.message)")
        }
    }

    /// Ends the run: background sessions first, the hook next, the round of keys, and last the
    /// delivery.
    ///
    /// - Parameters:
    ///   - summary: The end of the run.
    ///   - reportFailure: The reason why there is no report; nil when the report is published.
    /// - Throws: `Exit` when the end may not be on the disk.
    func end(_ summary: RunSummary, reportFailure: SystemError?) throws {
        guard reportFailure == nil, summary.exitCode == .success else {
            // When that fails, orders keep their keys for longer.
            try? keys?.journal.keep()
            if let reportFailure {
                let code = summary.exitCode.combined(with: .environment)
                throw hook.told(Exit(code, reportFailure.message), hasReport: false, summary)
            }
            try keepEnd(summary)
            return try conclude(summary)
        }
        try keepEnd(summary)
        // The process ends right after this: a caller that sees another exit code would repeat the
        // job with the same orders.
        try signals.withoutGivingUp { () throws(Exit) in
            do throws(Exit) { try keys?.end() } catch { throw hook.told(error, summary) }
            try conclude(summary)
            if keys != nil || background != nil { Exit(.success).leave() }
        }
    }

    /// Keeps the end of the run in the journals and runs the hook; until `conclude` the next run
    /// resumes all transfers.
    private func keepEnd(_ summary: RunSummary) throws(Exit) {
        let finish = hook.finish(summary.exitCode)
        do throws(JournalFault) {
            if let fault = background?.fault { throw fault }
            for journal in background?.all ?? [] { warn(ofDropped: try journal.end(finish)) }
        } catch {
            throw hook.told(unkept(summary, error), summary)
        }
        hook.run(finish, summary)
    }

    /// Keeps that the hook has run; this also closes rounds without open transfers.
    private func conclude(_ summary: RunSummary) throws(Exit) {
        do throws(JournalFault) {
            for journal in background?.all ?? [] { try journal.delivered() }
        } catch {
            throw unkept(summary, error)
        }
    }

    private func unkept(_ summary: RunSummary, _ fault: JournalFault) -> Exit {
        Exit(
            summary.exitCode.combined(with: .environment),
            "\(fault.message): the next run may not know which transfers have ended"
        )
    }

    private func warn(ofDropped ids: [String]) {
        guard !ids.isEmpty else { return }
        let shown = ids.prefix(Self.shownTransfers).map { "`\($0.onOneLine(limit: 80).text)`" }
        let more = ids.count > shown.count ? ", …" : ""
        StandardError.say(
            "warning: the job no longer has these transfers of an earlier run: "
                + shown.joined(separator: ", ") + more
        )
    }
}
