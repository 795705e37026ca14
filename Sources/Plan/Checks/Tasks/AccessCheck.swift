internal import Diagnostics
internal import TransferModel

/// Finds interfaces that a task allows and its session does not, and interfaces that it forbids
/// where several paths are used at once.
enum AccessCheck {
    static func faults(
        of draft: TaskDraft,
        in session: SessionConfiguration,
        at place: TaskPlace
    ) -> [Diagnostic] {
        NetworkAccessTable.flags.compactMap { flag in
            guard let key = place.setting(flag.key)?.key else { return nil }
            let name = "session `\(session.name.excerpt)`"
            if draft.allowedAccess.contains(flag.access), !session.access.contains(flag.access) {
                let isImplied = session.isDiscretionary && flag.access == .expensive
                return place.fault(
                    .conflictingKeys,
                    "`\(flag.key)`\(place.context) "
                        + (isImplied
                            ? "cannot be true: \(name) is discretionary" : "is false in \(name)"),
                    at: key,
                    help: "a task may only forbid more than its session"
                )
            }
            guard draft.deniedAccess.contains(flag.access), session.multipathServiceType != .none
            else { return nil }
            return place.fault(
                .conflictingKeys,
                "`\(flag.key): false`\(place.context) cannot be kept with the `multipathServiceType` "
                    + "of \(name)",
                at: key,
                help: "the kernel chooses the interfaces of the other paths by itself"
            )
        }
    }
}
