internal import JobFile
internal import SystemKit
internal import TransferModel

/// `multipart`: names with their parts; a list has several parts.
enum MultipartType {
    static let type = ValueType<[PartDraft]>(
        .someNamed(.either(partShape, .list(partShape)), pattern: "^")
    ) { reader, field in
        let drafts = reader.ifFaultless { $0.with(\.isReadingBody, true) { parts(field, &$0) } }
        guard drafts?.isEmpty != true else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: a body needs at least one part",
                at: field.node
            )
            return nil
        }
        return drafts
    }

    private static let partShape = Shape.either(.text(pattern: nil), .mapping(part.keys))

    static let part = SettingTable<PartDraft>(
        "part",
        [
            Setting("text", .bodyText, "The text of the part.") { $0.content = .text($1) },
            Setting("json", .field(.anything), "Any YAML value, sent as JSON.") {
                $0.content = .json($1)
            },
            Setting(
                "file",
                PathType.existingType,
                "The file to send, relative to the job file's folder."
            ) { part, file in
                part.content = .file(file.path)
                part.fileName = part.fileName ?? String(AbsolutePath.lastComponent(of: file.path))
            },
            Setting(
                "fileName",
                fileName,
                "The file name that the server gets; by default the name of "
                    + "the file."
            ) {
                $0.fileName = $1
            },
            Setting(
                "contentType",
                ValueType(pattern: MediaTypeText.pattern, parse: MediaTypeText.parse),
                "The part's `Content-Type`."
            ) { $0.contentType = $1 },
            Setting("headers", HeaderFieldsType.part, "Further header fields of the part.") {
                $0.headers = $1
            },
        ],
        exactlyOneOf: ["text", "json", "file"]
    )

    private static let fileName = ValueType<String>(.text(pattern: nil)) { reader, field in
        guard let name = reader.text(field) else { return nil }
        return reader.parsed(name, of: field, checkedName)
    }

    /// A name that is valid in `Content-Disposition`: line breaks can, escaped; other control
    /// characters cannot.
    fileprivate static func checkedName(_ name: String) throws(ValueFault) -> String {
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 10 || $0 == 13 }) else {
            throw ValueFault(.badHeader, "a control character is not allowed in the name of a part")
        }
        return name
    }
}

extension MultipartType {
    /// The parts in the order of the file; nil after a fault.
    private static func parts(_ field: Field, _ reader: inout Reader) -> [PartDraft]? {
        let help = "write `name: text` or `name: { file: path }`"
        guard reader.isMapping(field, help: help) else { return nil }
        var parts: [PartDraft] = []
        var length = 0
        for entry in reader.document.entries(of: field.node) {
            let inner = Field(entry, in: reader.document)
            Slips.warnOfExpression(inKeyOf: inner, &reader)
            do {
                _ = try MultipartType.checkedName(inner.name)
            } catch {
                reader.report(error, of: field, at: reader.document.range(of: entry.key))
                continue
            }
            for node in reader.document.items(of: entry.value) {
                let part = onePart(Field(name: inner.name, key: inner.key, node: node), &reader)
                if case .text(let text)? = part.content { length += text.utf8.count }
                guard length <= JSONBody.largestBody else {
                    JSONBody.reportTooLarge(field.name, at: field.key, &reader)
                    return nil
                }
                parts.append(part)
            }
        }
        return parts
    }

    /// A part: a scalar is its text.
    private static func onePart(_ field: Field, _ reader: inout Reader) -> PartDraft {
        var part = PartDraft(name: field.name)
        if reader.document.kind(of: field.node) == .scalar {
            Slips.warnOfPlaceholders(in: field, isBody: true, &reader)
            part.content = BodyText.bodyText(field, isPart: true, &reader).map { .text($0) }
        } else {
            reader.apply(MultipartType.part, to: &part, in: field)
        }
        return part
    }
}
