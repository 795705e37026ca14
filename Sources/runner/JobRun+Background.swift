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
        let kept = try keptSessions(of: plan)
        let unended = kept.compactMap(\.unended)
        var journals: [BackgroundJournal?] = plan.sessions.map { _ in nil }
        // What tells that others go on is replaced last.
        for session in kept.filter({ $0.unended == nil }) + kept.filter({ $0.unended != nil }) {
            let run = BackgroundJournal.Run(
                identifier: plan.runIdentifier,
                job: job,
                startDate: clock.wall,
                taskCount: isPart ? nil : plan.sessionTasks[session.index],
                unended: Set(unended)
            )
            let journal = try keeping(session.identifier) { () throws(BackgroundJournal.Fault) in
                try BackgroundJournal(in: session.folder, name: session.file, run: run)
            }
            tell(of: journal.earlier, session.identifier)
            journals[session.index] = journal
        }
        return BackgroundSessions(
            plan.sessions,
            journals,
            redactor: redactor,
            uploads: uploads,
            durability: plan.schedule.durability
        )
    }

    /// A background session of the plan.
    private struct KeptSession {
        /// Among the plan's sessions.
        var index: Int
        var identifier: String
        var folder: String
        /// The journal's name.
        var file: String
        /// The run that was about to end its round, and perhaps those of other sessions.
        var unended: String?
    }

    private func keptSessions(of plan: Plan) throws(Obstacle) -> [KeptSession] {
        let folder: BackgroundFolder
        do throws(Exit) {
            folder = try state.background()
        } catch {
            throw Obstacle(error.message ?? "there is no state folder")
        }
        var kept: [KeptSession] = []
        for (index, session) in plan.sessions.enumerated() {
            guard let identifier = session.identifier else { continue }
            let file = BackgroundFolder.journalName(of: identifier)
            let round = try keeping(identifier) { () throws(BackgroundJournal.Fault) in
                try BackgroundJournal.read("\(folder.path)/\(file)")
            }
            let isUnended = round.map { $0.state == .open && $0.endsOnceDelivered } ?? false
            kept.append(
                KeptSession(
                    index: index,
                    identifier: identifier,
                    folder: folder.path,
                    file: file,
                    unended: isUnended ? round?.finish?.runIdentifier : nil
                )
            )
        }
        return kept
    }

    private func keeping<Result>(
        _ identifier: String,
        _ body: () throws(BackgroundJournal.Fault) -> Result
    ) throws(Obstacle) -> Result {
        do throws(BackgroundJournal.Fault) {
            return try body()
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

    /// Keeps that the run has got to its end, and tells who is to be told; until `conclude` the next run goes on with it all.
    func end(
        _ background: BackgroundSessions?,
        _ summary: RunSummary,
        _ inbox: Inbox<Scheduler.Message>
    ) throws(Exit) {
        let finish = finish(summary.exitCode)
        do throws(BackgroundJournal.Fault) {
            if let fault = background?.fault { throw fault }
            for journal in background?.all ?? [] { tell(ofDropped: try journal.end(finish)) }
        } catch {
            throw told(unkept(summary, error), inbox)
        }
        runHook(finish, inbox)
    }

    /// Keeps that everybody was told of the run's end; rounds that have nothing left are over with that.
    func conclude(_ background: BackgroundSessions?, _ summary: RunSummary) throws(Exit) {
        do throws(BackgroundJournal.Fault) {
            for journal in background?.all ?? [] { try journal.delivered() }
        } catch {
            throw unkept(summary, error)
        }
    }

    private func unkept(_ summary: RunSummary, _ fault: BackgroundJournal.Fault) -> Exit {
        Exit(
            summary.exitCode.combined(with: .environment),
            "\(fault.message): the next run may not know what has ended"
        )
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
