internal import Diagnostics
internal import JobFile
internal import SystemKit
internal import TransferModel

extension TaskReader {
    private static let typeName = "Content-Type"
    private static let codingName = "Content-Encoding"
    private static let bytesType = HeaderField(name: typeName, value: FileMediaType.unknown)
    private static let textType = HeaderField(name: typeName, value: "text/plain; charset=utf-8")
    private static let jsonType = HeaderField(name: typeName, value: "application/json")
    private static let formType = HeaderField(
        name: typeName,
        value: "application/x-www-form-urlencoded"
    )
    private static let gzip = HeaderField(name: codingName, value: "gzip")

    private static func type(ofFile path: String) -> HeaderField {
        HeaderField(name: typeName, value: FileMediaType.of(path))
    }

    /// What a draft's body becomes, before it is compressed; nil without one or after a fault.
    func content(
        of draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) -> BodySource? {
        let formatting = draft.encoding?.value.json ?? JSONFormatting()
        switch draft.body {
        case .file(let path): return .file(path: path)
        case .text(let text): return .bytes(Array(text.utf8))
        case .json(let field):
            return reader.json(field, formatting, isSent: true).map { .bytes($0) }
        case .form(let bytes): return .bytes(bytes)
        case .multipart(let drafts):
            return parts(drafts, formatting, entry, &reader).map { .multipart($0) }
        case .stream(let stream):
            switch stream.source {
            case .command(let arguments): return .command(arguments, folder: reader.folder)
            case .pipe(let path): return .pipe(path: path)
            case nil: return nil
            }
        case nil: return nil
        }
    }

    private func parts(
        _ drafts: [PartDraft],
        _ formatting: JSONFormatting,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) -> [BodyPart]? {
        var parts: [BodyPart] = []
        var length = 0
        for draft in drafts {
            let content: BodyPart.Content
            var type = draft.contentType.map { HeaderField(name: Self.typeName, value: $0) }
            switch draft.content {
            case .text(let text): content = .bytes(Array(text.utf8))
            case .file(let path):
                content = .file(path: path)
                type = type ?? Self.type(ofFile: path)
            case .json(let field):
                guard let bytes = reader.json(field, formatting, isSent: true) else { return nil }
                content = .bytes(bytes)
                type = type ?? Self.jsonType
            default: return nil
            }
            if case .bytes(let bytes) = content { length += bytes.count }
            guard length <= Reader.largestBody else {
                reader.reportTooLarge("multipart", at: reader.key("multipart", of: entry))
                return nil
            }
            parts.append(
                BodyPart(
                    name: draft.name,
                    fileName: draft.fileName,
                    headers: (type.map { [$0] } ?? []) + draft.headers,
                    content: content
                )
            )
        }
        return parts
    }

    /// Adds what the body says of itself; a field of the job wins, where it may stand.
    func addBodyFields(of draft: TaskDraft, to headers: inout [HeaderField]) {
        let type: HeaderField
        switch draft.body {
        case .json: type = Self.jsonType
        case .text: type = Self.textType
        case .file(let path): type = Self.type(ofFile: path)
        case .form: type = Self.formType
        case .stream(let stream):
            type =
                stream.contentType.map { HeaderField(name: Self.typeName, value: $0) }
                ?? Self.bytesType
        case .multipart:
            // Whoever sends it knows its boundary.
            headers.removeAll { $0.name.lowercased() == Self.typeName.lowercased() }
            return
        case nil: return
        }
        if draft.encoding?.value.content == .gzip {
            headers.removeAll { $0.name.lowercased() == Self.codingName.lowercased() }
            headers.append(Self.gzip)
        }
        if !headers.contains(type.name) { headers.append(type) }
    }

    /// Reports keys of `encoding` that are about something that the body has not.
    func checkEncoding(
        _ encoding: TaskDraft.Encoding,
        of entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        let document = reader.document
        let has = { (key: String) in document.value(of: entry.value, for: key) != nil }
        let (takesJSON, takesCoding) = (
            has("json") || has("multipart"), has("json") || has("text") || has("form")
        )
        for setting in document.entries(of: encoding.node) {
            let isCoding = document.hasText(setting.key, equalTo: EncodingTable.contentEncoding)
            guard !(isCoding ? takesCoding : takesJSON),
                EncodingTable.table.keys.position(of: setting.key, in: document) != nil
            else { continue }
            reader.report(
                .conflictingKeys,
                "`\(document.text(of: setting.key))` in `encoding` of\(reader.context.dropFirst(3)) "
                    + "is about " + (isCoding ? "`json`, `text` or `form`" : "`json`")
                    + ", which is not there",
                at: setting.key
            )
        }
    }

    /// Reports what contradicts a body, and warns of what it makes impossible.
    func checkBody(of draft: TaskDraft, _ entry: TaskList.Entry, _ reader: inout Reader) {
        switch draft.body {
        case .multipart:
            refuse(Self.typeName, "the type comes from the parts", draft, entry, &reader)
        case .stream(let stream):
            guard case .pipe? = stream.source, reader.looksForWarnings, draft.retry.attempts > 1,
                let retry = reader.document.value(of: entry.value, for: "retry")
            else { return }
            reader.add(
                Diagnostic(
                    .warning,
                    .notRepeatable,
                    "`retry`\(reader.context) ends where its pipe is read: nobody can read it again",
                    at: reader.document.range(of: retry.key),
                    help: "a `command` can be run again"
                )
            )
        default:
            guard draft.encoding?.value.content == .gzip else { return }
            refuse(Self.codingName, "`contentEncoding` makes it", draft, entry, &reader)
            if reader.fileStatus != nil, !Gzip.isAvailable { reportGzip(entry, &reader) }
        }
    }

    /// Reports a field among the task's own that the body makes itself.
    func refuse(
        _ name: String,
        _ reason: String,
        _ draft: TaskDraft,
        _ entry: TaskList.Entry,
        _ reader: inout Reader
    ) {
        guard draft.headers.contains(name),
            let headers = reader.document.value(of: entry.value, for: "headers")?.value,
            let field = reader.document.entries(of: headers).first(where: {
                reader.document.text(of: $0.key).lowercased() == name.lowercased()
            })
        else { return }
        reader.report(
            .reservedHeader,
            "`headers`: `\(name)` cannot be set by hand: \(reason)",
            at: field.key
        )
    }

    /// Reports that nothing can be compressed here.
    func reportGzip(_ entry: TaskList.Entry, _ reader: inout Reader) {
        reader.report(
            .missingFile,
            "`\(EncodingTable.contentEncoding)`\(reader.context): "
                + "`\(Gzip.library)`, which makes gzip, cannot be loaded",
            at: reader.key("encoding", of: entry)
        )
    }
}

extension Reader {
    /// Where a key of a task stands; the task's id when it is not there.
    fileprivate func key(_ name: String, of entry: TaskList.Entry) -> NodeID {
        document.value(of: entry.value, for: name)?.key ?? entry.key
    }
}
