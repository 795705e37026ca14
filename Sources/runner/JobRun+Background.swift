import Journal
import Plan
import Report
import Scheduler
import SystemKit
import Transfer
import TransferModel

extension JobRun {
    /// What is kept of the job's background sessions; nil when it has none.
    func background(
        of plan: Plan,
        _ redactor: Redactor?,
        _ uploads: UploadStore?,
        _ clock: RunClock
    ) throws(Obstacle) -> BackgroundSessions? {
        guard !plan.sessionTasks.isEmpty else { return nil }
        guard Order.canBeDigested else {
            throw Obstacle("background sessions take libcrypto, which cannot be loaded")
        }
        let job = BackgroundRound.Job(
            name: plan.name,
            path: StateFolder.canonicalPath(of: path)
        )
        var journals: [BackgroundJournal?] = []
        for (session, count) in zip(plan.sessions, plan.sessionTasks) {
            guard let identifier = session.identifier else {
                journals.append(nil)
                continue
            }
            let run = BackgroundJournal.Run(
                identifier: plan.runIdentifier,
                job: job,
                startDate: clock.wall,
                taskCount: isPart ? nil : count
            )
            let journal = try journal(of: identifier, run)
            tell(of: journal.earlier, identifier)
            journals.append(journal)
        }
        return BackgroundSessions(
            plan.sessions,
            journals,
            redactor: redactor,
            uploads: uploads,
            durability: plan.schedule.durability
        )
    }

    private func journal(
        of identifier: String,
        _ run: BackgroundJournal.Run
    ) throws(Obstacle) -> BackgroundJournal {
        let folder: BackgroundFolder
        do throws(Exit) {
            folder = try state.background()
        } catch {
            throw Obstacle(error.message ?? "there is no state folder")
        }
        do throws(BackgroundJournal.Fault) {
            return try BackgroundJournal(
                in: folder.path,
                name: BackgroundFolder.journalName(of: identifier),
                run: run
            )
        } catch {
            throw Obstacle(
                "the background session `\(identifier)` cannot be kept: \(error.message)"
            )
        }
    }

    private func tell(of round: BackgroundRound, _ identifier: String) {
        guard !round.transfers.isEmpty, progress != .none else { return }
        let ended = round.transfers.count { $0.state.end != nil }
        say(
            "background session `\(identifier)` goes on since \(round.beginDate.rfc3339.prefix(19))Z: "
                + "transfers that have ended: \(ended), that have begun: \(round.transfers.count - ended)"
        )
    }

    /// Tells of runs that had got to their ends and could not tell any more.
    func deliver(_ background: BackgroundSessions?, _ inbox: Inbox<Scheduler.Message>)
        throws(Obstacle)
    {
        guard let background else { return }
        var told: Set<BackgroundRound.Finish> = []
        do throws(BackgroundJournal.Fault) {
            for journal in background.all {
                guard let finish = journal.earlier.finish, !finish.isDelivered else { continue }
                if told.insert(finish).inserted { runHook(finish, inbox) }
                try journal.delivered()
            }
        } catch {
            throw Obstacle("background sessions cannot be kept: \(error.message)")
        }
    }

    /// Keeps that the run has got to its end, and tells who is to be told.
    func end(
        _ background: BackgroundSessions?,
        _ summary: RunSummary,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Exit) {
        let finish = finish(summary.exitCode)
        do throws(BackgroundJournal.Fault) {
            if let fault = background?.fault { throw fault }
            for journal in background?.all ?? [] { tell(ofDropped: try journal.end(finish)) }
            runHook(finish, inbox)
            if !finish.isDelivered {
                for journal in background?.all ?? [] { try journal.delivered() }
            }
        } catch {
            throw Exit(
                summary.exitCode.combined(with: .environment),
                "\(error.message): the next run may not know what has ended"
            )
        }
    }

    /// Names of transfers that are shown.
    private static let shownTransfers = 10

    private func tell(ofDropped ids: [String]) {
        guard !ids.isEmpty else { return }
        let shown = ids.prefix(Self.shownTransfers).map { "`\($0.onOneLine(limit: 80).text)`" }
        let more = ids.count > shown.count ? ", …" : ""
        say(
            "warning: transfers that an earlier run has begun are not in the job any more: "
                + shown.joined(separator: ", ") + more
        )
    }
}
