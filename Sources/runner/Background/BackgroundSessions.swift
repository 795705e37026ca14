import Journal
import Report
import Scheduler
import Transfer
import TransferModel

/// The background sessions of a run with their journals.
final class BackgroundSessions: BackgroundTransfers {
    private let sessions: [SessionConfiguration]
    /// In the order of the sessions; nil for other kinds.
    private let journals: [BackgroundJournal?]
    /// By session name.
    private let journalsByName: [String: BackgroundJournal]
    private let redactor: Redactor?
    /// nil without a state folder.
    private let uploads: UploadStore?
    /// Whether downloads too must be on the disk before they count as ended, although they can be
    /// repeated.
    private let keepsAll: Bool
    /// Whether a step must be on the disk before its request is sent.
    private var mustSync = false

    /// Takes the journals of a run.
    ///
    /// - Parameters:
    ///   - sessions: The sessions of the plan.
    ///   - journals: The journal of each session; nil for other kinds.
    ///   - redactor: Finds the job's secrets, which are not written to a journal.
    ///   - uploads: The records of interrupted uploads; nil without a state folder.
    ///   - durability: With `none`, the kernel decides when downloads reach the disk.
    init(
        _ sessions: [SessionConfiguration],
        _ journals: [BackgroundJournal?],
        redactor: Redactor?,
        uploads: UploadStore?,
        durability: Durability
    ) {
        self.sessions = sessions
        self.journals = journals
        let pairs = zip(sessions, journals).compactMap { session, journal in
            journal.map { (session.name, $0) }
        }
        journalsByName = Dictionary(pairs) { first, _ in first }
        self.redactor = redactor
        self.uploads = uploads
        keepsAll = durability != .none
    }

    /// All journals.
    var all: [BackgroundJournal] { journals.compactMap(\.self) }

    /// Why a step could not be written.
    var fault: JournalFault? { all.lazy.compactMap(\.fault).first }

    private func journal(of spec: TaskSpec) -> BackgroundJournal? {
        journals.indices.contains(spec.session) ? journals[spec.session] : nil
    }

    func knows(_ spec: TaskSpec) -> Bool { journal(of: spec)?.knows(spec.id) ?? false }

    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer? {
        guard let journal = journal(of: spec) else { return nil }
        // A changed secret does not make it another transfer, and leaves no trace.
        let order = try Order(
            spec,
            isBoundToPath: true,
            redact: redactor.map { redactor in { redactor.redacted($0) } }
        )
        return journal.recall(
            spec.id,
            mark: order.mark,
            isUnsafe: !spec.request.isIdempotent,
            hasKey: spec.wantsKey || spec.request.hasIdempotencyKey
        )
    }

    func leavesUpload(_ spec: TaskSpec) -> Bool {
        let identifier =
            sessions.indices.contains(spec.session)
            ? sessions[spec.session].identifier : nil
        let name = SessionConfiguration.uploadName(of: spec.id, in: identifier)
        return spec.uploadResume == .acrossRuns && uploads?.holds(name) ?? false
    }

    func attemptBegins(_ spec: TaskSpec, deadline: Timestamp?) {
        guard let journal = journal(of: spec) else { return }
        if journal.attemptBegins(spec.id, deadline: deadline) { mustSync = true }
    }

    func attemptEnded(_ spec: TaskSpec, failures: Int) {
        journal(of: spec)?.attemptEnded(spec.id, failures: failures)
    }

    func commit() throws(TransferFailure) {
        do throws(JournalFault) {
            try write(isDurable: mustSync)
        } catch {
            throw .unkept("the transfer", error)
        }
    }

    func keep(_ events: [RunEvent]) {
        var isDurable = mustSync
        for event in events {
            guard case .taskFinished(let task) = event,
                let journal = journalsByName[task.record.session]
            else { continue }
            let isUnsafe = journal.taskEnded(task.record) {
                ForeignText(redactor: redactor).open($0)
            }
            isDurable = isDurable || isUnsafe || keepsAll
        }
        // A later step or the end of the run reports a failure here.
        try? write(isDurable: isDurable)
    }

    private func write(isDurable: Bool) throws(JournalFault) {
        for journal in all { try journal.write(isDurable: isDurable) }
        mustSync = false
    }
}
