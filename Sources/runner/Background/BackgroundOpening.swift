import Journal
import Plan
import SystemKit
import Transfer
import TransferModel

/// Opens the journals of a job's background sessions at the beginning of a run.
struct BackgroundOpening {
    let job: FilledJob
    let request: RunRequest
    let startDate: Timestamp

    /// A background session of the plan.
    private struct KeptSession {
        /// Its index among the plan's sessions.
        var index: Int
        var identifier: String
        var folder: String
        /// The journal's name.
        var file: String
        /// The run that began to end the round of this session, and perhaps rounds of other
        /// sessions.
        var unended: String?
    }

    /// Opens all journals.
    ///
    /// - Parameter uploads: The records of cut uploads; nil without a state folder.
    /// - Returns: The sessions; nil when the job has no background session.
    /// - Throws: `RunObstacle` for a journal that cannot be read or written.
    func open(uploads: UploadStore?) throws(RunObstacle) -> BackgroundSessions? {
        let plan = job.plan
        guard !plan.sessionTasks.isEmpty else { return nil }
        guard Order.canBeDigested else {
            throw RunObstacle("background sessions need libcrypto, which cannot be loaded")
        }
        let kept = try keptSessions()
        let unended = kept.compactMap(\.unended)
        var journals: [BackgroundJournal?] = plan.sessions.map { _ in nil }
        // The journals that name an unended run are replaced last: they show that other rounds
        // continue.
        for session in kept.filter({ $0.unended == nil }) + kept.filter({ $0.unended != nil }) {
            let run = BackgroundJournal.Run(
                identifier: plan.runIdentifier,
                job: BackgroundRound.Job(
                    name: plan.name,
                    path: JobIdentity.canonicalPath(of: request.jobPath),
                    identifier: plan.identifier
                ),
                startDate: startDate,
                taskCount: request.isPart ? nil : plan.sessionTasks[session.index],
                unended: Set(unended)
            )
            let journal = try Self.keeping(session.identifier) {
                () throws(JournalFault) in
                try BackgroundJournal(in: session.folder, name: session.file, run: run)
            }
            announce(journal.earlier, of: session.identifier)
            journals[session.index] = journal
        }
        return BackgroundSessions(
            plan.sessions,
            journals,
            redactor: job.redactor,
            uploads: uploads,
            durability: plan.schedule.durability
        )
    }

    private func keptSessions() throws(RunObstacle) -> [KeptSession] {
        let folder: BackgroundFolder
        do throws(Exit) {
            folder = try request.state.background()
        } catch {
            throw RunObstacle(error.message ?? "there is no state folder")
        }
        var kept: [KeptSession] = []
        for (index, session) in job.plan.sessions.enumerated() {
            guard let identifier = session.identifier else { continue }
            let round = try Self.keeping(identifier) { () throws(JournalFault) in
                try folder.round(of: identifier)
            }
            let isUnended = round.map { $0.state == .open && $0.endsOnceDelivered } ?? false
            kept.append(
                KeptSession(
                    index: index,
                    identifier: identifier,
                    folder: folder.path,
                    file: BackgroundFolder.journalName(of: identifier),
                    unended: isUnended ? round?.finish?.runIdentifier : nil
                )
            )
        }
        return kept
    }

    private static func keeping<Result>(
        _ identifier: String,
        _ body: () throws(JournalFault) -> Result
    ) throws(RunObstacle) -> Result {
        do throws(JournalFault) {
            return try body()
        } catch {
            throw RunObstacle(
                "the background session `\(identifier)` cannot be stored: \(error.message)"
            )
        }
    }

    private func announce(_ round: BackgroundRound, of identifier: String) {
        guard !round.transfers.isEmpty, !request.isQuiet else { return }
        let ended = round.transfers.count { $0.state.end != nil }
        StandardError.say(
            "background session `\(identifier)` continues from "
                + "\(round.beginDate.rfc3339.prefix(19))Z: "
                + "\(ended) transfers have ended, \(round.transfers.count - ended) have begun"
        )
    }
}
