import Journal
import Plan
import SystemKit
import Transfer

/// The files that the runs of a job wrote under names of peers, and their folders of archives, as
/// the job's journal keeps them.
///
/// A fault fails no run: its files are not replaced later, and a warning says so.
final class RecordedFiles: WrittenFileRecord {
    private let files: WrittenFiles
    private let plan: Plan
    /// The first fault of a note.
    private let fault = Lock(JournalFault?.none)

    private init(_ files: WrittenFiles, of plan: Plan) {
        self.files = files
        self.plan = plan
    }

    /// Reads the record of a job; a read-only one is not repaired.
    ///
    /// - Returns: nil when no task replaces only its own files, without a state folder, and for an
    ///   unusable record.
    static func open(
        for plan: Plan,
        of job: JobIdentity,
        in state: StateFolder,
        isReadOnly: Bool = false
    ) -> RecordedFiles? {
        guard plan.replacesOwnFiles, let place = state.writtenFiles(of: job) else { return nil }
        do throws(JournalFault) {
            return RecordedFiles(
                try WrittenFiles(in: place.folder, name: place.name, isReadOnly: isReadOnly),
                of: plan
            )
        } catch {
            warn("the record of the job's own files is not used", error)
            return nil
        }
    }

    func has(_ path: String, _ file: InputFile.Identity, of task: Int) -> Bool {
        files.has(path, file, of: plan.id(of: task))
    }

    func note(_ path: String, _ file: InputFile.Identity, of task: Int) {
        do throws(JournalFault) {
            try files.note(path, file, of: plan.id(of: task))
        } catch {
            fault.withLock { $0 = $0 ?? error }
        }
    }

    func has(_ path: String, _ content: FolderContent, of task: Int) -> Bool {
        files.has(path, content, of: plan.id(of: task))
    }

    func note(_ path: String, _ content: FolderContent, of task: Int) {
        do throws(JournalFault) {
            try files.note(path, content, of: plan.id(of: task))
        } catch {
            fault.withLock { $0 = $0 ?? error }
        }
    }

    /// Warns if a later run will not replace files of this run; called when no transfer runs any
    /// more.
    func warnOfLostNotes() {
        guard let fault = fault.withLock({ $0 }) else { return }
        Self.warn("the job's own files are not recorded", fault)
    }

    private static func warn(_ text: String, _ fault: JournalFault) {
        StandardError.say(
            "warning: \(text): \(fault.message): without `ifExists` no later run replaces them"
        )
    }
}
