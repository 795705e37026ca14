internal import Diagnostics
internal import TransferModel

/// Finds settings that mean nothing for a task whose URL a program of the session serves.
enum CustomURLCheck {
    /// The keys that describe a connection of the runner, or the parts of responses that it keeps.
    private static let keys = [
        "cachePolicy", "decode", "mirrors", "resumable", "segments",
    ]

    static func check(
        _ draft: TaskDraft,
        of url: HTTPURL,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let scheme = url.schemeName
        let name = "the custom scheme `\(scheme)`"
        if let session {
            checkSession(session, scheme, at: place, &log)
        }
        for key in keys + NetworkAccessTable.flags.map(\.key) {
            guard let node = place.setting(key)?.key else { continue }
            place.report(
                .conflictingKeys,
                "`\(key)`\(place.context) means nothing for \(name), which a program serves",
                at: node,
                &log
            )
        }
        if draft.ifExists == .revalidate, let value = place.setting("ifExists")?.value {
            place.report(
                .conflictingKeys,
                "`ifExists: revalidate`\(place.context) needs a cache, and \(name) has none",
                at: value,
                &log
            )
        }
    }

    private static func checkSession(
        _ session: SessionConfiguration,
        _ scheme: String,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let name = "session `\(session.name.excerpt)`"
        if !session.protocolPrograms.contains(where: { $0.scheme == scheme }) {
            place.report(
                .badURL,
                "`url`\(place.context): no program of the \(name) serves the scheme `\(scheme)`",
                at: place.setting("url")?.value ?? place.entry.key,
                help: "name it in `protocolClasses` of the session, or choose another session",
                &log
            )
        }
        if session.kind == .background {
            place.report(
                .notInBackground,
                "`url`\(place.context): a URL of a custom scheme does not work with the background "
                    + name,
                at: place.key("url"),
                help: "choose another session: a later run cannot continue the program's work",
                &log
            )
        }
    }
}
