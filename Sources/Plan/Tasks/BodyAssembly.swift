internal import JobFile
internal import TransferModel

/// Makes the body of a task from its settings.
enum BodyAssembly {
    /// The body of a draft, before it is compressed; nil without one or after a fault.
    static func content(
        of draft: TaskDraft,
        at place: TaskPlace,
        _ reader: inout Reader
    ) -> BodySource? {
        let formatting = draft.encoding?.value.json ?? JSONFormatting()
        switch draft.body {
        case .file(let path): return .file(path: path, within: root(of: path, reader))
        case .text(let text): return .bytes(Array(text.utf8))
        case .textFile(let field):
            return TemplateBody.text(field, &reader).map { .bytes(Array($0.utf8)) }
        case .json(let field):
            return JSONBody.json(field, formatting, isSent: true, &reader).map { .bytes($0) }
        case .form(let bytes): return .bytes(bytes)
        case .multipart(let drafts):
            return parts(drafts, formatting, at: place, &reader).map { .multipart($0) }
        case .stream(let stream):
            switch stream.source {
            case .command(let arguments): return .command(arguments, folder: reader.folder)
            case .pipe(let path): return .pipe(path: path)
            case nil: return nil
            }
        case nil: return nil
        }
    }

    /// The folder that a file of a `glob` may not lead out of; nil for other files.
    private static func root(of path: String, _ reader: Reader) -> String? {
        guard case .file(let file)? = reader.values.row, file.path == path else { return nil }
        return file.root
    }

    private static func parts(
        _ drafts: [PartDraft],
        _ formatting: JSONFormatting,
        at place: TaskPlace,
        _ reader: inout Reader
    ) -> [BodyPart]? {
        var parts: [BodyPart] = []
        var length = 0
        for draft in drafts {
            let content: BodyPart.Content
            var type = draft.contentType.map { BodyFields.type($0) }
            switch draft.content {
            case .text(let text): content = .bytes(Array(text.utf8))
            case .file(let path):
                content = .file(path: path, within: root(of: path, reader))
                type = type ?? BodyFields.type(ofFile: path)
            case .json(let field):
                guard let bytes = JSONBody.json(field, formatting, isSent: true, &reader) else {
                    return nil
                }
                content = .bytes(bytes)
                type = type ?? BodyFields.jsonType
            default: return nil
            }
            if case .bytes(let bytes) = content { length += bytes.count }
            guard length <= JSONBody.largestBody else {
                JSONBody.reportTooLarge("multipart", at: place.key("multipart"), &reader)
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
}

/// The header fields that describe the body of a request.
enum BodyFields {
    static let typeName = "Content-Type"
    static let codingName = "Content-Encoding"
    static let jsonType = type("application/json")
    private static let bytesType = type(FileMediaType.unknown)
    private static let textType = type("text/plain; charset=utf-8")
    private static let formType = type("application/x-www-form-urlencoded")
    private static let gzip = HeaderField(name: codingName, value: "gzip")

    static func type(_ value: String) -> HeaderField { HeaderField(name: typeName, value: value) }

    static func type(ofFile path: String) -> HeaderField { type(FileMediaType.of(path)) }

    /// Adds the fields of a task's body; an allowed field of the job takes precedence.
    static func add(of draft: TaskDraft, to headers: inout [HeaderField]) {
        let type: HeaderField
        switch draft.body {
        case .json: type = jsonType
        case .text, .textFile: type = textType
        case .file(let path): type = self.type(ofFile: path)
        case .form: type = formType
        case .stream(let stream): type = stream.contentType.map { self.type($0) } ?? bytesType
        case .multipart:
            // The sender of the body chooses its boundary.
            headers.removeAll { $0.name.lowercased() == typeName.lowercased() }
            return
        case nil: return
        }
        if draft.encoding?.value.content == .gzip {
            headers.removeAll { $0.name.lowercased() == codingName.lowercased() }
            headers.append(gzip)
        }
        if !headers.contains(type.name) { headers.append(type) }
    }
}
