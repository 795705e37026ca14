import Journal
import Report
import Scheduler
import Transfer
import TransferModel

/// What is kept of the background sessions of a run, each in its journal.
final class BackgroundSessions: BackgroundTransfers {
    private let sessions: [SessionConfiguration]
    /// In the order of the sessions; nil for one that is none.
    private let journals: [BackgroundJournal?]
    /// By the names of the sessions.
    private let journalsByName: [String: BackgroundJournal]
    private let redactor: Redactor?
    /// nil without a state folder.
    private let uploads: UploadStore?
    /// Whether downloads, which can be had again, are on the disk too before they count as ended.
    private let keepsAll: Bool
    /// Whether something was said that has to be on the disk before it is sent.
    private var mustSync = false

    /// Takes the journals of a run.
    ///
    /// - Parameters:
    ///   - sessions: Those of the plan.
    ///   - journals: Of each of them; nil for one that is no background session.
    ///   - redactor: Finds the secrets of the job, which no journal gets.
    ///   - uploads: The records of uploads that were cut; nil without a state folder.
    ///   - durability: With `none` downloads are on the disk when the kernel likes.
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

    /// All of them.
    var all: [BackgroundJournal] { journals.compactMap(\.self) }

    /// Why something that has happened is not kept.
    var fault: BackgroundJournal.Fault? { all.lazy.compactMap(\.fault).first }

    private func journal(of spec: TaskSpec) -> BackgroundJournal? {
        journals.indices.contains(spec.session) ? journals[spec.session] : nil
    }

    func knows(_ spec: TaskSpec) -> Bool { journal(of: spec)?.knows(spec.id) ?? false }

    func recall(_ spec: TaskSpec) throws(TransferFailure) -> EarlierTransfer? {
        guard let journal = journal(of: spec) else { return nil }
        // A secret that was given another value does not make it another transfer, and leaves no
        // trace.
        let order = try Order(spec, redact: redactor.map { redactor in { redactor.redacted($0) } })
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
        do throws(BackgroundJournal.Fault) {
            try write(isDurable: mustSync)
        } catch {
            throw .unkept("the transfer", error)
        }
    }

    func keep(_ events: [RunEvent]) {
        var isDurable = mustSync
        for event in events {
            guard case .taskFinished(let record) = event,
                let journal = journalsByName[record.session]
            else { continue }
            let isUnsafe = journal.taskEnded(record) { ForeignText(redactor: redactor).open($0) }
            isDurable = isDurable || isUnsafe || keepsAll
        }
        // What fails here is told at the end of the run, and by whatever is to begin before that.
        try? write(isDurable: isDurable)
    }

    private func write(isDurable: Bool) throws(BackgroundJournal.Fault) {
        for journal in all { try journal.write(isDurable: isDurable) }
        mustSync = false
    }
}
