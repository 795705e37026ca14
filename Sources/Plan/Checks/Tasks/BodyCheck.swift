internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Finds the settings that contradict the body of a task.
enum BodyCheck {
    /// Reports keys of `encoding` that are about another kind of body.
    static func check(
        _ encoding: TaskDraft.Encoding,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let document = place.document
        let has = { (key: String) in place.setting(key) != nil }
        let (takesJSON, takesCoding) = (
            has("json") || has("multipart"), has("json") || has("text") || has("form")
        )
        for setting in document.entries(of: encoding.node) {
            let isCoding = document.hasText(setting.key, equalTo: EncodingTable.contentEncoding)
            guard !(isCoding ? takesCoding : takesJSON),
                EncodingTable.table.keys.position(of: setting.key, in: document) != nil
            else { continue }
            place.report(
                .conflictingKeys,
                "`\(document.text(of: setting.key))` in `encoding` of\(place.context.dropFirst(3)) "
                    + "needs " + (isCoding ? "`json`, `text` or `form`" : "`json`")
                    + ", which is missing",
                at: setting.key,
                &log
            )
        }
    }

    /// Reports settings that do not fit the body; `lacksGzip` says whether this machine cannot
    /// compress.
    static func check(
        _ draft: TaskDraft,
        at place: TaskPlace,
        lacksGzip: @autoclosure () -> Bool,
        _ log: inout DiagnosticLog
    ) {
        switch draft.body {
        case .multipart:
            let reason = "the type comes from the parts"
            place.reserve(BodyFields.typeName, reason, among: draft.headers, &log)
        case .stream(let stream):
            guard case .pipe? = stream.source, draft.retry.attempts > 1, log.takesWarnings,
                let retry = place.setting("retry")
            else { return }
            log.warn(
                .notRepeatable,
                "`retry`\(place.context) has no effect once the body is sent: a named pipe can be "
                    + "read only once",
                at: place.document.range(of: retry.key),
                help: "use a `command`, which runner can start again"
            )
        default:
            guard draft.encoding?.value.content == .gzip else { return }
            let reason = "`contentEncoding` sets it"
            place.reserve(BodyFields.codingName, reason, among: draft.headers, &log)
            if lacksGzip() { reportMissingGzip(at: place, &log) }
        }
    }

    /// Reports a header field with a digest of a body that is not known before it is sent.
    static func checkDigests(
        _ draft: TaskDraft,
        at place: TaskPlace,
        _ log: inout DiagnosticLog
    ) {
        let reason: String
        switch draft.body {
        case .stream: reason = "its `stream` is not known before it is sent"
        case nil: reason = "it has no body"
        default: return
        }
        guard let field = draft.headers.first(where: { !$0.bodyDigests.isEmpty }) else { return }
        place.report(
            .conflictingKeys,
            "`\(field.name)` needs a digest of the body\(place.context), but \(reason)",
            at: place.key("headers"),
            &log
        )
    }

    /// Reports that this machine cannot compress.
    static func reportMissingGzip(at place: TaskPlace, _ log: inout DiagnosticLog) {
        place.report(
            .missingFile,
            "`\(EncodingTable.contentEncoding)`\(place.context): "
                + "the library `\(Gzip.library)` cannot be loaded",
            at: place.key("encoding"),
            &log
        )
    }
}
