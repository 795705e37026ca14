internal import Diagnostics
internal import JSON
internal import JobFile
internal import SystemKit
internal import TransferModel

/// `json` of `expect`: a mapping of JSON pointers to values, or a list of pointers that have to
/// lead somewhere.
enum ExpectedJSONType {
    static let type = ValueType<[Expectation.JSONValueAt]>(
        .either(
            .named(.anything, pattern: JSONPointer.pattern, hasFreeKeys: false),
            .list(present.shape)
        )
    ) { reader, field in
        guard reader.document.count(of: field.node) <= mostValues else {
            reader.report(
                .outOfRange,
                "`\(field.name)`: there are more than \(mostValues) pointers",
                at: field.key
            )
            return nil
        }
        switch reader.document.kind(of: field.node) {
        case .mapping: return reader.ifFaultless { expectedValues(field, &$0) }
        case .sequence: return reader.elements(field, of: present)
        case .scalar:
            _ = reader.isKind(.mapping, "a mapping or a list", field)
            return nil
        }
    }

    /// The most pointers of one value: the pointers of `defaults` are compared with those of every
    /// task.
    private static let mostValues = 100

    private static let present = ValueType<Expectation.JSONValueAt>(
        .text(pattern: JSONPointer.pattern, example: "/id")
    ) { reader, field in
        let help =
            "to compare values, write a mapping: each pointer is a key, with its value behind it"
        guard reader.isKind(.scalar, "a pointer", field, help: help), let text = reader.text(field)
        else { return nil }
        return reader.parsed(text, of: field, JSONPointerText.parse).map { .init($0) }
    }

    /// `values`, then the values of `base` at other pointers.
    static func merge(
        _ values: [Expectation.JSONValueAt],
        over base: [Expectation.JSONValueAt]?
    ) -> [Expectation.JSONValueAt] {
        let inherited = base?.filter { old in !values.contains { $0.pointer == old.pointer } }
        return values + (inherited ?? [])
    }
}

extension ExpectedJSONType {
    /// The values of a mapping in its order, without those that have a fault.
    private static func expectedValues(_ field: Field, _ reader: inout Reader)
        -> [Expectation.JSONValueAt]
    {
        var values: [Expectation.JSONValueAt] = []
        for entry in reader.document.entries(of: field.node) {
            let inner = Field(entry, in: reader.document)
            Slips.warnOfExpression(inKeyOf: inner, &reader)
            do {
                let pointer = try JSONPointerText.parse(inner.name)
                guard let value = jsonValue(inner, &reader) else { continue }
                values.append(Expectation.JSONValueAt(pointer, value: value))
            } catch {
                reader.report(error, of: field, at: reader.document.range(of: entry.key))
            }
        }
        return values
    }

    /// A value as an upload would send it.
    private static func jsonValue(_ field: Field, _ reader: inout Reader) -> JSONValue? {
        guard let bytes = JSONBody.json(field, JSONFormatting(), &reader) else { return nil }
        do throws(JSONSyntaxError) {
            return try JSONValue(bytes: bytes)
        } catch {
            reader.report(.badJSON, "`\(field.name)`: \(error.reason)", at: field.node)
            return nil
        }
    }
}

/// Paths to values of a JSON document (RFC 6901).
enum JSONPointerText {
    static func parse(_ text: String) throws(ValueFault) -> JSONPointer {
        if let pointer = JSONPointer(text) { return pointer }
        throw ValueFault(
            .badPointer,
            "`\(text.excerpt)` is not a JSON pointer",
            likely: likely(text),
            help: "write a path such as `/items/0/id`, with `~0` for `~` and `~1` for `/`"
        )
    }

    /// A path without its first slash, or one as JSONPath and jq write it: `$.items[0].id`.
    private static func likely(_ text: String) -> String? {
        let path = text.withoutBytePrefix("$") ?? text[...]
        guard !path.containsBytes("~"), !path.isEmpty else { return nil }
        if path.containsBytes("/") { return path.hasBytePrefix("/") ? nil : "/" + path }
        let separators: [Character] = [".", "[", "]"]
        return path.split { separators.contains($0) }.map { "/" + $0 }.joined()
    }
}
