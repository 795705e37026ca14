internal import JSON
internal import JobFile
internal import SystemKit

/// The values of `${item…}` in one task of a `forEach`.
enum Row: Sendable {
    /// A value without fields: a line, or a number of a range.
    case scalar(ScalarValue)
    /// An element of `items`.
    case node(NodeID)
    /// A row of a CSV file.
    case record(columns: [String], fields: [String])
    /// A found file.
    case file(FileRows.File)
    /// A line of JSON.
    case json(JSONValue)
    /// One value of each name of a `matrix`.
    case combination(names: [String], values: [NodeID])

    /// A part of a row.
    enum Part {
        case value(ScalarValue)
        case text(String)
        case node(NodeID)
        case collection
        case absent
    }

    /// The part of a name; nil where the row cannot have one of that name.
    func part(at name: String, in document: Document) -> Part? {
        switch self {
        case .scalar(let value): name.isEmpty ? .value(value) : nil
        case .node(let node): Self.part(of: node, at: name, in: document)
        case .json(let value): Self.part(of: value, at: name)
        case .record(let columns, let fields):
            columns.firstIndex(of: name).map { .text(fields[$0]) }
        case .file(let file): FileRows.columns.firstIndex(of: name).map { .text(file.fields[$0]) }
        case .combination(let names, let values):
            names.firstIndex(of: name).map { .node(values[$0]) }
        }
    }

    /// The value at names between dots, in a value of the job file.
    private static func part(
        of node: NodeID,
        at path: String,
        in document: Document
    ) -> Part? {
        guard !path.isEmpty else { return .node(node) }
        guard document.kind(of: node) == .mapping else { return nil }
        if let found = document.value(of: node, for: path) { return .node(found.value) }
        guard let (name, rest) = path.cut(atFirst: "."),
            let inner = document.value(of: node, for: String(name))?.value
        else { return .absent }
        return part(of: inner, at: String(rest), in: document) ?? .absent
    }

    /// The value at names and positions between dots, in a JSON value.
    private static func part(of value: JSONValue, at path: String) -> Part? {
        guard !path.isEmpty else { return scalar(of: value) }
        switch value {
        case .object, .array: break
        default: return nil
        }
        if let found = child(path, of: value) { return scalar(of: found) }
        guard let (name, rest) = path.cut(atFirst: "."), let inner = child(String(name), of: value)
        else { return .absent }
        return part(of: inner, at: String(rest)) ?? .absent
    }

    private static func child(_ name: String, of value: JSONValue) -> JSONValue? {
        if case .array = value { return Int(name).flatMap { value[$0] } }
        return value[name]
    }

    private static func scalar(of value: JSONValue) -> Part {
        switch value {
        case .null: .value(ScalarValue(text: "", type: .null, isFilledIn: true))
        case .bool(let bool):
            .value(ScalarValue(text: "\(bool)", type: .bool(bool), isFilledIn: true))
        case .number(let text):
            .value(ScalarValue(text: text, type: Scalar(plain: text), isFilledIn: true))
        case .string(let text): .text(text)
        case .array, .object: .collection
        }
    }

    /// The names that `${item.…}` can have; nil for a row without fields.
    func fieldNames(in document: Document) -> [String]? {
        switch self {
        case .scalar: nil
        case .record(let columns, _): columns
        case .file: FileRows.columns
        case .combination(let names, _): names
        case .json(let value):
            if case .object(let members) = value { members.map(\.name) } else { nil }
        case .node(let node):
            document.kind(of: node) == .mapping
                ? document.entries(of: node).prefix(Hints.comparedNames).map {
                    document.text(of: $0.key)
                } : nil
        }
    }
}
