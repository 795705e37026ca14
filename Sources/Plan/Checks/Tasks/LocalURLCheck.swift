internal import Diagnostics
internal import TransferModel

/// Finds settings that mean nothing for a task whose URL has no server.
enum LocalURLCheck {
    /// The keys that describe a request over a connection.
    private static let keys = [
        "method", "headers", "redirects", "cachePolicy", "decode", "mirrors", "resume", "segments",
        "timeoutInterval",
    ]

    static func check(
        _ draft: TaskDraft,
        of url: TransferURL,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let scheme = url.origin.scheme
        let name = "a `\(scheme.rawValue)` URL"
        if scheme == .file { checkFile(url, draft, in: session, at: place, &log) }
        guard place.entry.kind != .upload else {
            return place.report(
                .conflictingKeys,
                "`url`\(place.context): an upload cannot go to \(name), which has no server",
                at: place.key("url"),
                &log
            )
        }
        let reason = "the content needs no transfer that outlives the run"
        place.reportBackground(session, for: name, because: reason, &log)
        let flags = NetworkAccessTable.flags.map(\.key)
        place.reportMeaningless(keys + flags, for: name, "which has no server", &log)
        place.reportRevalidation(by: draft, "needs a server, and \(name) has none", &log)
        if scheme == .data, draft.destination?.isFolder == true,
            let value = place.setting("to")?.value
        {
            place.report(
                .conflictingKeys,
                "`to`\(place.context) is a folder, and \(name) has no name for a file in it",
                at: value,
                help: "add the name of the file",
                &log
            )
        }
    }

    /// Reports a file outside of the session's folders, and an expected media type.
    private static func checkFile(
        _ url: TransferURL,
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let reason = "a file has no media type"
        place.reportMediaType(by: draft, for: "a `file` URL", reason, &log)
        guard let session, let file = try? FileURL(url.text),
            !session.readableFolders.contains(where: { file.path(below: $0) != nil })
        else { return }
        let name = "session `\(session.name.excerpt)`"
        place.report(
            .pathEscape,
            session.readableFolders.isEmpty
                ? "`url`\(place.context): \(name) allows no files"
                : "`url`\(place.context): the file is outside of the folders that \(name) allows",
            at: place.setting("url")?.value ?? place.entry.key,
            help: "name its folder in `allowsReadAccessTo` of the session",
            &log
        )
    }
}

/// Finds settings that mean nothing for a task whose URL a program of the session serves.
enum CustomURLCheck {
    /// The keys that describe a connection of the runner, or the parts of responses that it keeps.
    private static let keys = [
        "cachePolicy", "decode", "mirrors", "resumable", "segments",
    ]

    static func check(
        _ draft: TaskDraft,
        of url: TransferURL,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let scheme = url.schemeName
        let name = "the custom scheme `\(scheme)`"
        if let session {
            checkSession(session, scheme, at: place, &log)
        }
        let flags = NetworkAccessTable.flags.map(\.key)
        place.reportMeaningless(keys + flags, for: name, "which a program serves", &log)
        place.reportRevalidation(by: draft, "needs a cache, and \(name) has none", &log)
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
        let reason = "a later run cannot continue the program's work"
        place.reportBackground(session, for: "a URL of a custom scheme", because: reason, &log)
    }
}
