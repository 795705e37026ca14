internal import Diagnostics
internal import TransferModel

/// Checks the settings of a stream task, each right by itself, against each other.
enum StreamCheck {
    /// Reports steps that the connection of the task cannot have.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard draft.stream.isSecure else {
            return checkSecret(of: draft, at: place, &log)
        }
        if draft.stream.startsTLS {
            place.report(
                .conflictingKeys,
                "`startSecureConnection`\(place.context) and `secure: true` exclude each other",
                at: place.key("steps"),
                &log
            )
        }
        if draft.stream.steps.contains(where: { $0.action == .closeWrite }) {
            place.report(
                .conflictingKeys,
                "`closeWrite`\(place.context) and `secure: true` exclude each other",
                at: place.key("steps"),
                help: "in place of `secure: true`, begin with the step "
                    + "`startSecureConnection: true`, whose TLS ends each direction by itself",
                &log
            )
        }
    }

    /// Reports a secret that leaves before TLS begins, unless it stays on this machine.
    private static func checkSecret(
        of draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        guard draft.stream.startsTLS, let node = draft.stream.earlySecret,
            let url = draft.stream.connectionURL, !url.origin.isConfidential
        else { return }
        place.report(
            .secretOverPlainHTTP,
            "a secret\(place.context) leaves before TLS begins, so that others can read it",
            at: node,
            help: "move the step behind `startSecureConnection`",
            &log
        )
    }
}
