internal import Diagnostics
internal import JSON
internal import JobFile

/// Bodies that are made of a file: `{ fromFile: … }`.
enum TemplateBody {
    /// A `fromFile` mapping while it is read.
    struct Draft: Sendable {
        var file: (path: PathValue, field: Field)?
    }

    static let table = SettingTable<Draft>(
        "template",
        [
            Setting(
                "fromFile",
                PathType.existingType.neededBeforeTheRun().withField,
                isRequired: true,
                "The file with the content, relative to the job file's folder; its expressions are "
                    + "filled in."
            ) { $0.file = ($1.value, $1.field) }
        ]
    )

    /// Whether a value of `json` is a mapping with `fromFile` alone.
    static func isMeant(by node: NodeID, in document: Document) -> Bool {
        guard document.kind(of: node) == .mapping, document.count(of: node) == 1,
            let file = document.value(of: node, for: "fromFile")?.value
        else { return false }
        return document.kind(of: file) == .scalar
    }

    /// The text of a template with its expressions filled in; nil after a fault.
    static func text(_ field: Field, _ reader: inout Reader) -> String? {
        guard let (path, inner) = file(field, &reader) else { return nil }
        switch reader.templates.text(path.path) {
        case .failure(let fault):
            report(fault, path, inner, &reader)
            return nil
        case .success(let text):
            guard text.utf8.contains(UInt8(ascii: "$")) else { return text }
            let name = "in `\(path.text.excerpt)`"
            return explaining(name, &reader) { reader in
                let scalar = reader.sentTemplate(text, of: inner)
                return scalar?.isKnownLater == true ? "" : scalar?.text
            }
        }
    }

    /// Writes a JSON template; a string that is one expression keeps the type of its value.
    ///
    /// `scalar` writes a value that was filled in.
    static func write(
        _ field: Field,
        to writer: inout JSONWriter,
        _ formatting: JSONFormatting,
        _ reader: inout Reader,
        scalar: (ScalarValue, Field, inout JSONWriter, inout Reader) -> Void
    ) {
        guard let (path, inner) = file(field, &reader) else { return }
        switch reader.templates.json(path.path) {
        case .failure(let fault): report(fault, path, inner, &reader)
        case .success(let value):
            let filling = Filling(file: path.text.excerpt, field: inner, formatting: formatting)
            filling.write(value, at: "", to: &writer, &reader, scalar: scalar)
        }
    }

    private static func file(_ field: Field, _ reader: inout Reader) -> (PathValue, Field)? {
        var draft = Draft()
        reader.apply(table, to: &draft, in: field)
        return draft.file.map { ($0.path, $0.field) }
    }

    private static func report(
        _ fault: TemplateFileFault,
        _ path: PathValue,
        _ field: Field,
        _ reader: inout Reader
    ) {
        let name = "`\(path.text.excerpt)`"
        let (code, reason): (JobCode, String) =
            switch fault {
            case .unreadable: (.missingFile, "the file \(name) cannot be read")
            case .tooLarge:
                (
                    .outOfRange,
                    "\(name) is larger than 16 MiB, or all such files together than 64 MiB"
                )
            case .notUTF8: (.badValue, "\(name) is not UTF-8")
            case .notJSON(let reason, let line, let column, _):
                (.badJSON, "\(name) is not JSON: \(reason) in line \(line), column \(column)")
            }
        var help: String?
        if case .notJSON(_, _, _, isExpression: true) = fault {
            help = "write an expression in quotes: the value keeps its type"
        }
        reader.report(code, "`\(field.name)`: \(reason)", at: field.node, help: help)
    }

    /// Adds a note to the faults that `body` finds.
    fileprivate static func explaining<Result>(
        _ note: String,
        _ reader: inout Reader,
        _ body: (inout Reader) -> Result
    ) -> Result {
        let mark = reader.faults.log.mark
        defer { reader.faults.log.explain(since: mark, .init(note)) }
        return body(&reader)
    }
}

/// The writing of one JSON template.
private struct Filling {
    /// The file as messages name it.
    let file: String
    /// `fromFile`, at which faults are reported.
    let field: Field
    let formatting: JSONFormatting

    func write(
        _ value: JSONValue,
        at pointer: String,
        to writer: inout JSONWriter,
        _ reader: inout Reader,
        scalar: (ScalarValue, Field, inout JSONWriter, inout Reader) -> Void
    ) {
        guard writer.count <= TemplateFiles.largestFile, !reader.faults.log.isFull else { return }
        switch value {
        case .string(let text) where text.utf8.contains(UInt8(ascii: "$")):
            TemplateBody.explaining("in `\(file)` at `\(pointer.excerpt)`", &reader) { reader in
                guard let filled = reader.sentTemplate(text, of: field), !filled.isKnownLater
                else { return writer.null() }
                scalar(filled, field, &writer, &reader)
            }
        case .array(let elements):
            writer.beginArray()
            for (index, element) in elements.enumerated() {
                write(element, at: "\(pointer)/\(index)", to: &writer, &reader, scalar: scalar)
            }
            writer.endArray()
        case .object(let members):
            writer.beginObject()
            for (name, value) in named(members) {
                writer.key(name)
                write(value, at: "\(pointer)/\(name)", to: &writer, &reader, scalar: scalar)
            }
            writer.endObject()
        case .null, .bool, .number, .string: writer.value(value)
        }
    }

    /// The members with the names and in the order of the written JSON.
    private func named(_ members: [JSONValue.Member]) -> [(String, JSONValue)] {
        var named = members.map { member in
            let name =
                formatting.keys == .convertToSnakeCase
                ? SnakeCase.convert(member.name) : member.name
            return (name, member.value)
        }
        if formatting.sortsKeys { named.sort { $0.0 < $1.0 } }
        return named
    }
}
