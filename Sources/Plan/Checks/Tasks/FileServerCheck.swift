internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Finds settings that mean nothing for a file at a server of FTP or SSH, and sessions that may not
/// reach it.
enum FileServerCheck {
    /// The keys that describe a request of HTTP.
    private static let keys = [
        "method", "headers", "redirects", "cachePolicy", "decode", "mirrors", "idempotencyKey",
        "resumable", "segments", "form", "multipart",
    ]

    static func check(
        _ draft: TaskDraft,
        of url: TransferURL,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let name = "an `\(url.origin.scheme.rawValue)` URL"
        if place.entry.kind == .upload { checkUpload(to: url, name, at: place, &log) }
        place.reportMeaningless(keys, for: name, "which is not of HTTP", &log)
        place.reportRevalidation(by: draft, "needs HTTP, and the task has \(name)", &log)
        place.reportMediaType(by: draft, for: name, "the server names no media type", &log)
        if let session { checkSession(session, of: url, name, at: place, &log) }
    }

    /// Reports a path that is not UTF-8, which a command of the server could not carry.
    private static func checkUpload(
        to url: TransferURL,
        _ name: String,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let path = url.decodedPath
        guard !String(decoding: path, as: UTF8.self).utf8.elementsEqual(path) else { return }
        place.report(
            .badURL,
            "`url`\(place.context): the path of an upload to \(name) must be UTF-8",
            at: place.setting("url")?.value ?? place.entry.key,
            &log
        )
    }

    private static func checkSession(
        _ session: SessionConfiguration,
        of url: TransferURL,
        _ name: String,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let title = "session `\(session.name.excerpt)`"
        let node = place.setting("url")?.value ?? place.entry.key
        place.reportBackground(session, for: name, &log)
        let isAllowed = url.origin.scheme == .sftp ? session.ssh != nil : session.ftp != nil
        guard isAllowed else {
            return place.report(
                .badURL,
                "`url`\(place.context): \(title) does not allow \(name)",
                at: node,
                help: url.origin.scheme == .sftp
                    ? "say under `ssh` of the session how the server is known: `knownHosts` or "
                        + "`hostKey`"
                    : "add `ftp: { tls: required }` to the session",
                &log
            )
        }
        checkLogin(of: session, at: url, title, node, place, &log)
    }

    /// Reports a login that is missing, or that others could read.
    private static func checkLogin(
        of session: SessionConfiguration,
        at url: TransferURL,
        _ title: String,
        _ node: NodeID,
        _ place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let hasLogin = session.credentials.contains { $0.space.contains(url.origin) }
        guard hasLogin || url.origin.scheme != .sftp else {
            return place.report(
                .missingKey,
                "`url`\(place.context): \(title) has no credential for `\(url.origin.text)`",
                at: node,
                help: "an SSH server needs a login: add `basic` or `publicKey`",
                &log
            )
        }
        let isReadable = !url.origin.isConfidential && session.ftp?.tls == .never
        guard isReadable, hasLogin else { return }
        place.report(
            .secretOverPlainHTTP,
            "`url`\(place.context): the login of \(title) goes over plain FTP, where others can "
                + "read it",
            at: node,
            help: "set `ftp: { tls: required }` in the session",
            &log
        )
    }
}
