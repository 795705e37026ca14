internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

/// Finds what contradicts the body of a task.
enum BodyCheck {
    /// Errors at keys of `encoding` that are about another kind of body.
    static func faults(of encoding: TaskDraft.Encoding, at place: TaskPlace) -> [Diagnostic] {
        let document = place.document
        let has = { (key: String) in place.setting(key) != nil }
        let (takesJSON, takesCoding) = (
            has("json") || has("multipart"), has("json") || has("text") || has("form")
        )
        return document.entries(of: encoding.node).compactMap { setting in
            let isCoding = document.hasText(setting.key, equalTo: EncodingTable.contentEncoding)
            guard !(isCoding ? takesCoding : takesJSON),
                EncodingTable.table.keys.position(of: setting.key, in: document) != nil
            else { return nil }
            return place.fault(
                .conflictingKeys,
                "`\(document.text(of: setting.key))` in `encoding` of\(place.context.dropFirst(3)) "
                    + "is about " + (isCoding ? "`json`, `text` or `form`" : "`json`")
                    + ", which is not there",
                at: setting.key
            )
        }
    }

    /// Errors and warnings about settings that do not fit the body; `lacksGzip` says whether this
    /// machine cannot compress.
    static func findings(
        of draft: TaskDraft,
        at place: TaskPlace,
        lacksGzip: @autoclosure () -> Bool
    ) -> [Diagnostic] {
        switch draft.body {
        case .multipart:
            guard draft.headers.contains(BodyFields.typeName) else { return [] }
            let reason = "the type comes from the parts"
            return place.reservedHeader(BodyFields.typeName, reason).map { [$0] } ?? []
        case .stream(let stream):
            guard case .pipe? = stream.source, draft.retry.attempts > 1,
                let retry = place.setting("retry")
            else { return [] }
            return [
                Diagnostic(
                    .warning,
                    JobCode.notRepeatable,
                    "`retry`\(place.context) ends where its pipe is read: nobody can read it again",
                    at: place.document.range(of: retry.key),
                    help: "a `command` can be run again"
                )
            ]
        default:
            guard draft.encoding?.value.content == .gzip else { return [] }
            var faults: [Diagnostic] = []
            if draft.headers.contains(BodyFields.codingName),
                let fault = place.reservedHeader(
                    BodyFields.codingName,
                    "`contentEncoding` makes it"
                )
            {
                faults.append(fault)
            }
            if lacksGzip() { faults.append(missingGzip(at: place)) }
            return faults
        }
    }

    /// An error because this machine cannot compress.
    static func missingGzip(at place: TaskPlace) -> Diagnostic {
        place.fault(
            .missingFile,
            "`\(EncodingTable.contentEncoding)`\(place.context): "
                + "`\(Gzip.library)`, which makes gzip, cannot be loaded",
            at: place.key("encoding")
        )
    }
}
