internal import Diagnostics
internal import JobFile
internal import TransferModel

extension TaskReader {
    /// Reports what a task allows and its session does not, and what it forbids where several paths
    /// are used at once.
    func checkAccess(of draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        guard let session = draft.session.map({ sessions[$0] }) else { return }
        for flag in NetworkAccessTable.flags {
            guard let key = reader.document.value(of: entry.value, for: flag.key)?.key else {
                continue
            }
            if draft.allowedAccess.contains(flag.access), !session.access.contains(flag.access) {
                let isImplied = session.isDiscretionary && flag.access == .expensive
                let name = "session `\(session.name.excerpt)`"
                reader.report(
                    .conflictingKeys,
                    "`\(flag.key)`\(reader.context) "
                        + (isImplied
                            ? "cannot be true: \(name) is discretionary" : "is false in \(name)"),
                    at: key,
                    help: "a task may only forbid more than its session"
                )
            } else if draft.deniedAccess.contains(flag.access),
                session.multipathServiceType != .none
            {
                reader.report(
                    .conflictingKeys,
                    "`\(flag.key): false`\(reader.context) cannot be kept with the `multipathServiceType` "
                        + "of session `\(session.name.excerpt)`",
                    at: key,
                    help: "the kernel chooses the interfaces of the other paths by itself"
                )
            }
        }
    }
}
