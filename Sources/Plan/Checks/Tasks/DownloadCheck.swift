internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// Finds settings that contradict how a task gets and keeps its file.
enum DownloadCheck {
    /// Checks a task; `session` is its session, if that is known, and `lacksArchives` says whether
    /// this machine cannot extract.
    static func check(
        _ draft: TaskDraft,
        in session: SessionConfiguration?,
        at place: TaskPlace,
        lacksArchives: @autoclosure () -> Bool,
        _ log: inout DiagnosticLog
    ) {
        // A file that is kept causes no request, so there is no response to capture from.
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
        if draft.archive != nil, lacksArchives() {
            place.report(
                .missingLibrary,
                "`extract`\(place.context): the library `\(ArchiveReader.library)` cannot be loaded",
                at: place.key("extract"),
                help: "install the package `libarchive13`",
                &log
            )
        }
        // Each mirror would carry out the POST.
        if !draft.mirrors.isEmpty, let method = draft.method, method != "GET", method != "HEAD" {
            place.report(
                .conflictingKeys,
                "`mirrors`\(place.context) work only with the method GET or HEAD, not \(method)",
                at: place.key("mirrors"),
                &log
            )
        }
        checkRules(of: draft, at: place, &log)
        if draft.ifExists == .revalidate, draft.mixedReplace != nil,
            let value = place.setting("ifExists")?.value
        {
            place.report(
                .conflictingKeys,
                "`ifExists: revalidate`\(place.context) does not work with `mixedReplace`, whose "
                    + "responses are not stored",
                at: value,
                &log
            )
        } else if draft.ifExists == .revalidate, let session, session.keptCache == nil,
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

    /// Reports settings that contradict `mixedReplace` and `becomeDownload`.
    private static func checkRules(
        of draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        if draft.mixedReplace != nil {
            for name in ["segments", "resume"] {
                guard let key = place.setting(name)?.key else { continue }
                place.report(
                    .conflictingKeys,
                    "`\(name)`\(place.context) means nothing beside `mixedReplace`: a part has no "
                        + "ranges",
                    at: key,
                    &log
                )
            }
        }
        if draft.sizeToExceed != nil, let key = place.setting("responseTo")?.key {
            place.report(
                .conflictingKeys,
                "`responseTo`\(place.context) writes every body, and `becomeDownload` only a large "
                    + "one",
                at: key,
                help: "remove one of both",
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

/// Finds settings that need a file in one piece, beside `segments`.
enum SegmentsCheck {
    static func check(_ draft: TaskDraft, at place: TaskPlace, _ log: inout DiagnosticLog) {
        guard let segments = draft.segments, segments != .count(1) else { return }
        if let method = draft.method, method != "GET" {
            report("`method: \(method)`", "method", at: place, "only a GET fetches a file", &log)
        }
        if draft.decodesBody == true {
            report("`decode: true`", "decode", at: place, "parts cannot be decoded", &log)
        }
        if draft.headers.contains(where: { ["range", "if-range"].contains($0.name.lowercased()) }) {
            let reason = "runner sets the range of each request itself"
            report("a `Range` in `headers`", "headers", at: place, reason, &log)
        }
        if draft.expectation.textEncoding != nil || draft.expectation.looksIntoBody {
            let key = place.setting("expect") == nil ? "capture" : "expect"
            let reason = "the content is checked while it arrives in order"
            report("a check of the content by `\(key)`", key, at: place, reason, &log)
        }
    }

    private static func report(
        _ what: String,
        _ key: String,
        at place: TaskPlace,
        _ reason: String,
        _ log: inout DiagnosticLog
    ) {
        place.report(
            .conflictingKeys,
            "\(what)\(place.context) does not work with `segments`: \(reason)",
            at: place.key(key),
            help: "remove one of them, or write `segments: 1`",
            &log
        )
    }
}
