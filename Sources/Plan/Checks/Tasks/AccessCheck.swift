internal import Diagnostics
internal import TransferModel

/// Finds interfaces that a task allows and its session does not, and interfaces that it forbids
/// where several paths are used at once.
enum AccessCheck {
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let name = "session `\(session.name.excerpt)`"
        for flag in NetworkAccessTable.flags {
            guard let key = place.setting(flag.key)?.key else { continue }
            if draft.allowedAccess.contains(flag.access), !session.access.contains(flag.access) {
                let isImplied = session.isDiscretionary && flag.access == .expensive
                place.report(
                    .conflictingKeys,
                    "`\(flag.key)`\(place.context) "
                        + (isImplied
                            ? "cannot be true: \(name) is discretionary" : "is false in \(name)"),
                    at: key,
                    help: "a task may only forbid more than its session",
                    &log
                )
            } else if draft.deniedAccess.contains(flag.access),
                session.multipathServiceType != .none
            {
                place.report(
                    .conflictingKeys,
                    "`\(flag.key): false`\(place.context) does not work with the "
                        + "`multipathServiceType` of \(name)",
                    at: key,
                    help: "the kernel alone chooses the interfaces of the other paths",
                    &log
                )
            }
        }
    }
}
