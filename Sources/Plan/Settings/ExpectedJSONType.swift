internal import JSON
internal import JobFile
internal import TransferModel

/// `json` of `expect`: a mapping of JSON pointers to values, or a list of pointers that have to
/// lead somewhere.
enum ExpectedJSONType {
    static let type = ValueType<[Expectation.JSONValueAt]>(
        .either(
            .named(.anything, pattern: JSONPointer.pattern, hasFreeKeys: false),
            .list(.text(pattern: JSONPointer.pattern))
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
        case .mapping: return reader.expectedValues(field)
        case .sequence: return reader.elements(field, of: present)
        case .scalar:
            reader.report(
                .wrongType,
                "`\(field.name)`: expected a mapping or a list, found \(reader.faults.name(of: field.node))",
                at: field.node
            )
            return nil
        }
    }

    /// Pointers of one value: those of `defaults` are compared with those of every task.
    private static let mostValues = 100

    private static let present = ValueType<Expectation.JSONValueAt>(
        .text(pattern: JSONPointer.pattern)
    ) { reader, field in
        guard let text = reader.text(field) else { return nil }
        return reader.parsed(text, of: field, JSONPointerText.parse).map { .init($0) }
    }

    /// `values`, and those of `base` whose pointers they do not have.
    static func merge(
        _ values: [Expectation.JSONValueAt],
        over base: [Expectation.JSONValueAt]?
    ) -> [Expectation.JSONValueAt] {
        let inherited = base?.filter { old in !values.contains { $0.pointer == old.pointer } }
        return values + (inherited ?? [])
    }
}

extension Reader {
    /// The values of a mapping in its order; nil when one of them has a fault.
    fileprivate mutating func expectedValues(_ field: Field) -> [Expectation.JSONValueAt]? {
        let errors = faults.log.errorCount
        var values: [Expectation.JSONValueAt] = []
        for entry in document.entries(of: field.node) {
            let name = document.text(of: entry.key)
            let inner = Field(name: name, key: entry.key, node: entry.value)
            warnOfExpression(inKeyOf: inner)
            do {
                let pointer = try JSONPointerText.parse(name)
                guard let value = jsonValue(inner) else { continue }
                values.append(Expectation.JSONValueAt(pointer, value: value))
            } catch {
                report(error, of: field, at: document.range(of: entry.key))
            }
        }
        return faults.log.errorCount == errors ? values : nil
    }

    /// A value as an upload would send it.
    private mutating func jsonValue(_ field: Field) -> JSONValue? {
        guard let bytes = json(field, JSONFormatting()) else { return nil }
        do throws(JSONValue.Fault) {
            return try JSONValue(bytes: bytes)
        } catch {
            report(.badJSON, "`\(field.name)`: \(error.reason)", at: field.node)
            return nil
        }
    }
}
