internal import Diagnostics
internal import JSON
internal import JobFile

extension Reader {
    /// Bytes of a key.
    static let longestKey = 200

    /// What names a row among those of its source; nil after a fault, which is reported.
    ///
    /// Without `key` it is the item itself, the values of a combination with commas between them,
    /// or of an item with fields its `id`, else its `key`, else its first field without the name of
    /// a secret: never its place, so that it stays when rows come and go.
    mutating func key(of row: Row, in source: RowSource) -> String? {
        let outer = (self.values.row, values.isNeededBeforeTheRun)
        (values.row, values.isNeededBeforeTheRun) = (row, true)
        defer { (self.values.row, values.isNeededBeforeTheRun) = outer }
        let field = source.key ?? source.field
        guard let text = source.key.map({ text($0) }) ?? naturalKey(of: row, in: source) else {
            return nil
        }
        guard !text.isEmpty else {
            report(.badID, "`\(field.name)`: the key of an item is empty", at: field.node)
            return nil
        }
        guard text.utf8.count <= Self.longestKey else {
            let limit = "longer than \(Self.longestKey) bytes"
            report(
                .badID,
                "`\(field.name)`: the key `\(text.excerpt)` is \(limit)",
                at: field.node,
                help: "say with `key` what names an item"
            )
            return nil
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            report(
                .badID,
                "`\(field.name)`: the key `\(text.excerpt)` has a control character",
                at: field.node
            )
            return nil
        }
        return text
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            || (0x2028...0x2029).contains(scalar.value)
    }

    private mutating func naturalKey(of row: Row, in source: RowSource) -> String? {
        let field = source.field
        switch row {
        case .scalar(let value): return value.text
        case .combination(_, let values):
            guard !source.hasConfidentialCombinations else { return noKey(field) }
            var texts: [String] = []
            for value in values {
                guard let text = keyText(value, field) else { return nil }
                texts.append(text)
            }
            return texts.joined(separator: ",")
        case .record(_, let fields): return source.keyColumn.map { fields[$0] } ?? noKey(field)
        case .node(let node):
            guard document.kind(of: node) == .mapping else { return keyText(node, field) }
            let named =
                document.value(of: node, for: "id") ?? document.value(of: node, for: "key")
                ?? document.entries(of: node).first { !SecretName.isOne(document.text(of: $0.key)) }
            return named.map { keyText($0.value, field) } ?? noKey(field)
        case .json(let value):
            let named =
                if case .object(let members) = value {
                    value["id"] ?? value["key"]
                        ?? members.first { !SecretName.isOne($0.name) }?.value
                } else {
                    value
                }
            switch named {
            case .string(let text)?, .number(let text)?: return text
            case .bool(let bool)?: return "\(bool)"
            default: return noKey(field)
            }
        }
    }

    /// The text of a scalar of the job file, whose own expressions know no item.
    private mutating func keyText(_ node: NodeID, _ field: Field) -> String? {
        guard document.kind(of: node) == .scalar else { return noKey(field) }
        let outer = values.row
        values.row = nil
        defer { values.row = outer }
        return text(Field(name: field.name, key: field.key, node: node))
    }

    private mutating func noKey(_ field: Field) -> String? {
        report(
            .badID,
            "`\(field.name)`: nothing names the item",
            at: field.node,
            help:
                "say with `key` what does, such as `key: ${item.name}`; a field with the name of a secret does not"
        )
        return nil
    }
}
