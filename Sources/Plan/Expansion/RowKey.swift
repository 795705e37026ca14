internal import Diagnostics
internal import JSON
internal import JobFile

/// The keys that name the rows of a `forEach`.
enum RowKey {
    /// The limit of a key, bytes.
    static let longest = 200

    /// The key that names a row in its source; nil after the report of a fault.
    ///
    /// Without `key` it is the item itself, the values of a combination with commas between them,
    /// or of an item with fields its `id`, else its `key`, else its first field without the name of
    /// a secret. It is never the item's position, so that it stays the same when rows are added or
    /// removed.
    static func key(of row: Row, in source: RowSource, _ reader: inout Reader) -> String? {
        let field = source.key ?? source.field
        // The filled-in bytes are counted for each key alone: some passes read the keys of all
        // rows, and no task in between.
        let text = reader.with(\.row, row) {
            $0.with(\.filledIn.length, 0) {
                $0.namingTasks { reader in
                    source.key.map { reader.text($0) } ?? naturalKey(of: row, in: source, &reader)
                }
            }
        }
        guard let text else { return nil }
        guard !text.isEmpty else {
            reader.report(.badID, "`\(field.name)`: the key of an item is empty", at: field.node)
            return nil
        }
        guard text.utf8.count <= Self.longest else {
            let limit = "longer than \(Self.longest) bytes"
            reader.report(
                .badID,
                "`\(field.name)`: the key `\(text.excerpt)` is \(limit)",
                at: field.node,
                help: "set `key` to a short value that names the item"
            )
            return nil
        }
        guard !text.unicodeScalars.contains(where: Self.isControl) else {
            reader.report(
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

    private static func naturalKey(of row: Row, in source: RowSource, _ reader: inout Reader)
        -> String?
    {
        let field = source.field
        switch row {
        case .scalar(let value): return value.text
        case .combination(_, let values):
            guard !source.hasConfidentialCombinations else { return noKey(field, &reader) }
            var texts: [String] = []
            for value in values {
                guard let text = keyText(value, field, &reader) else { return nil }
                texts.append(text)
            }
            return texts.joined(separator: ",")
        case .record(_, let fields):
            return source.keyColumn.map { fields[$0] } ?? noKey(field, &reader)
        case .file(let file): return FileRows.key(of: file.relativePath, longest: longest)
        case .node(let node):
            guard reader.document.kind(of: node) == .mapping else {
                return keyText(node, field, &reader)
            }
            let named =
                reader.document.value(of: node, for: "id") ?? reader.document.value(
                    of: node,
                    for: "key"
                )
                ?? reader.document.entries(of: node).first {
                    !SecretName.isOne(reader.document.text(of: $0.key))
                }
            return named.map { keyText($0.value, field, &reader) } ?? noKey(field, &reader)
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
            default: return noKey(field, &reader)
            }
        }
    }

    /// The text of a scalar of the job file, whose own expressions know no item.
    private static func keyText(_ node: NodeID, _ field: Field, _ reader: inout Reader) -> String? {
        guard reader.document.kind(of: node) == .scalar else { return noKey(field, &reader) }
        let field = Field(name: field.name, key: field.key, node: node)
        return reader.with(\.row, nil) { $0.text(field) }
    }

    private static func noKey(_ field: Field, _ reader: inout Reader) -> String? {
        reader.report(
            .badID,
            "`\(field.name)`: the item has no key",
            at: field.node,
            help:
                "set `key`, such as `key: ${item.name}`; a field with the name of a secret cannot "
                + "be the key"
        )
        return nil
    }
}
