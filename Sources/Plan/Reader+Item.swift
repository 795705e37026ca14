internal import Diagnostics
internal import JSON
internal import JobFile

extension Reader {
    /// What came of looking for a value of the row.
    enum ItemValue {
        case value(ScalarValue)
        /// There could be one.
        case absent
        /// A fault, which is reported.
        case faulty
    }

    /// The value of `${item}` or of `${item.field}`, whose expression stands in `text`.
    mutating func item(_ expression: Expression, _ text: String, _ field: Field) -> ItemValue {
        guard let row else {
            return reportItem(
                expression,
                .badExpression,
                "there is no `item` here: it is known inside of a task with `forEach`",
                text,
                field
            )
        }
        let found: ItemPart?
        switch row {
        case .scalar(let value): found = expression.name.isEmpty ? .value(value) : nil
        case .node(let node): found = part(of: node, at: expression.name)
        case .json(let value): found = Self.part(of: value, at: expression.name)
        case .record(let columns, let fields):
            found = columns.firstIndex(of: expression.name).map { .text(fields[$0]) }
        case .combination(let names, let values):
            found = names.firstIndex(of: expression.name).map { .node(values[$0]) }
        }
        switch found {
        case .value(let value): return .value(value)
        case .text(let text):
            return .value(ScalarValue(text: text, type: .string, isFilledIn: true))
        case .node(let node): return itemScalar(node, of: expression, text, field)
        case .absent: return .absent
        case .collection:
            return reportItem(
                expression,
                .wrongType,
                "`\(expression.written)` is no single value: name one inside of it",
                text,
                field
            )
        case nil: return reportUnknownField(expression, of: row, text, field)
        }
    }

    /// Checks that the row can have what the expressions of a value, and of those inside of it, ask
    /// for.
    mutating func checkItems(in field: Field) {
        switch document.kind(of: field.node) {
        case .scalar:
            guard document.hasInterpolation(field.node) else { return }
            let text = document.text(of: field.node)
            for case .expression(let expression) in Template(text).pieces
            where expression.namespace == .item {
                _ = item(expression, text, field)
            }
        case .sequence:
            for node in document.elements(of: field.node) {
                checkItems(in: Field(name: field.name, key: field.key, node: node))
            }
        case .mapping:
            for entry in document.entries(of: field.node) {
                let name = document.text(of: entry.key)
                checkItems(in: Field(name: name, key: entry.key, node: entry.value))
            }
        }
    }

    /// A part of a row, nil where the row cannot have one of that name.
    private enum ItemPart {
        case value(ScalarValue)
        case text(String)
        case node(NodeID)
        case collection
        case absent
    }

    /// The scalar of a node of the job file, whose own expressions know no item.
    private mutating func itemScalar(
        _ node: NodeID,
        of expression: Expression,
        _ text: String,
        _ field: Field
    ) -> ItemValue {
        guard document.kind(of: node) == .scalar else {
            return reportItem(
                expression,
                .wrongType,
                "`\(expression.written)` is no single value: name one inside of it",
                text,
                field
            )
        }
        // Items are made before the run.
        let outer = (row, isNeededBeforeTheRun)
        (row, isNeededBeforeTheRun) = (nil, true)
        defer { (row, isNeededBeforeTheRun) = outer }
        let name = expression.written
        return scalar(Field(name: name, key: node, node: node)).map { .value($0) } ?? .faulty
    }

    /// The value at names between dots, in a value of the job file.
    private func part(of node: NodeID, at path: String) -> ItemPart? {
        guard !path.isEmpty else { return .node(node) }
        guard document.kind(of: node) == .mapping else { return nil }
        if let found = document.value(of: node, for: path) { return .node(found.value) }
        guard let dot = path.firstIndex(of: "."),
            let inner = document.value(of: node, for: String(path[..<dot]))?.value
        else { return .absent }
        return part(of: inner, at: String(path[path.index(after: dot)...])) ?? .absent
    }

    /// The value at names and positions between dots, in a JSON value.
    private static func part(of value: JSONValue, at path: String) -> ItemPart? {
        guard !path.isEmpty else { return scalar(of: value) }
        switch value {
        case .object, .array: break
        default: return nil
        }
        if let found = child(path, of: value) { return scalar(of: found) }
        guard let dot = path.firstIndex(of: "."),
            let inner = child(String(path[..<dot]), of: value)
        else { return .absent }
        return part(of: inner, at: String(path[path.index(after: dot)...])) ?? .absent
    }

    private static func child(_ name: String, of value: JSONValue) -> JSONValue? {
        if case .array = value { return Int(name).flatMap { value[$0] } }
        return value[name]
    }

    private static func scalar(of value: JSONValue) -> ItemPart {
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

    // MARK: Faults

    private mutating func reportItem(
        _ expression: Expression,
        _ code: JobCode,
        _ message: String,
        _ text: String,
        _ field: Field,
        likely: String? = nil,
        help: String? = nil
    ) -> ItemValue {
        let fault = ValueFault(code, message, likely: likely, help: help)
        report(fault, of: field, at: range(of: expression.range, in: text, field.node))
        return .faulty
    }

    private mutating func reportUnknownField(
        _ expression: Expression,
        of row: Row,
        _ text: String,
        _ field: Field
    ) -> ItemValue {
        let names = fieldNames(of: row)
        guard let names else {
            return reportItem(
                expression,
                .unknownField,
                "the items are single values, without fields",
                text,
                field,
                likely: "${item}"
            )
        }
        guard !expression.name.isEmpty else {
            return reportItem(
                expression,
                .unknownField,
                "`${item}` has fields: name one of them",
                text,
                field,
                help: "such as `${item.\(names.first ?? "name")}`"
            )
        }
        if case .record = row, names.count == 1,
            let separator = names[0].first(where: { ";\t|".contains($0) })
        {
            let words = separator == "\t" ? "tabs" : "`\(separator)`"
            return reportItem(
                expression,
                .unknownField,
                "the items have no field `\(expression.name.excerpt)`",
                text,
                field,
                help:
                    "the file has one column, with \(words) in its name: CSV has commas between its fields"
            )
        }
        let nearest = nearest(expression.name, among: { _ in names })
        let list = names.prefix(20).map { "`\($0)`" }.joined(separator: ", ")
        return reportItem(
            expression,
            .unknownField,
            "the items have no field `\(expression.name.excerpt)`",
            text,
            field,
            likely: nearest.map { "${item.\($0)}" },
            help: "they have \(list)"
        )
    }

    /// The names that `${item.…}` can have in a row; nil when it has no fields.
    private func fieldNames(of row: Row) -> [String]? {
        switch row {
        case .scalar: nil
        case .record(let columns, _): columns
        case .combination(let names, _): names
        case .json(let value):
            if case .object(let members) = value { members.map(\.name) } else { nil }
        case .node(let node):
            document.kind(of: node) == .mapping
                ? document.entries(of: node).prefix(Self.comparedNames).map {
                    document.text(of: $0.key)
                } : nil
        }
    }

    /// Reports a field that this row lacks.
    mutating func reportAbsentField(
        _ expression: Expression,
        _ reason: String?,
        at range: SourceRange
    ) {
        let names = row.flatMap { fieldNames(of: $0) } ?? []
        let nearest = nearest(expression.name, among: { _ in names })
        log.add(
            Diagnostic(
                .error,
                .unknownField,
                "the item has no value `\(expression.name.excerpt)`"
                    + (reason.map { ": \($0)" } ?? ""),
                at: range,
                help: nearest.map { "did you mean `${item.\($0)}`?" }
                    ?? "write a fallback for items without it: `${item.\(expression.name.excerpt):-…}`"
            )
        )
    }
}

extension Expression {
    /// The expression without its rule.
    var written: String {
        name.isEmpty ? "${\(namespace.rawValue)}" : "${\(namespace.rawValue).\(name)}"
    }
}
