internal import Diagnostics
internal import TransferModel

/// Finds settings that contradict how a task gets and keeps its file.
enum DownloadCheck {
    /// Checks a task; `session` is its session, if that is known.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        // A file that is kept brings no response.
        if draft.ifExists == .skip, !draft.expectation.captures.isEmpty,
            let key = place.setting("capture")?.key
        {
            place.report(
                .conflictingKeys,
                "`capture`\(place.context) gets no response when `ifExists: skip` keeps the file",
                at: key,
                &log
            )
        }
        // Each mirror would carry out what a POST asks for.
        if !draft.mirrors.isEmpty, let method = draft.method, method != "GET", method != "HEAD" {
            place.report(
                .conflictingKeys,
                "`mirrors`\(place.context) work only with the method GET or HEAD, not \(method)",
                at: place.key("mirrors"),
                &log
            )
        }
        if draft.ifExists == .revalidate, let session, session.keptCache == nil,
            let value = place.setting("ifExists")?.value
        {
            place.report(
                .conflictingKeys,
                "`ifExists: revalidate`\(place.context) needs a cache, and session "
                    + "`\(session.name.excerpt)` has none",
                at: value,
                help: "\(advice(for: session)), or choose `replace`",
                &log
            )
        }
    }

    /// How a session gets a cache.
    private static func advice(for session: SessionConfiguration) -> String {
        switch session.urlCache {
        case URLCacheRule.none?: "remove `urlCache: none` from the session"
        case nil where session.kind == .background: "give the session a `urlCache`"
        default: "give its cache a capacity, and remove credentials with `negotiate`"
        }
    }
}
