internal import Diagnostics
internal import JSON
internal import JobFile

extension Interpolator {
    /// What came of looking for a value of the row.
    enum ItemValue {
        case value(ScalarValue)
        /// There could be one.
        case absent
        /// A fault, which is reported.
        case faulty
    }

    /// The value of `${item}` or of `${item.field}`, whose expression stands in `text`.
    mutating func item(
        _ expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ItemValue {
        guard let row else {
            return reportItem(
                expression,
                .badExpression,
                "there is no `item` here: it is known inside of a task with `forEach`",
                text,
                field,
                &faults
            )
        }
        switch row.part(at: expression.name, in: faults.document) {
        case .value(let value): return .value(value)
        case .text(let text):
            return .value(ScalarValue(text: text, type: .string, isFilledIn: true))
        case .node(let node): return itemScalar(node, of: expression, text, field, &faults)
        case .absent: return .absent
        case .collection:
            return reportItem(
                expression,
                .wrongType,
                "`\(expression.written)` is no single value: name one inside of it",
                text,
                field,
                &faults
            )
        case nil: return reportUnknownField(expression, of: row, text, field, &faults)
        }
    }

    /// Checks that the row can have what the expressions of a value, and of those inside of it, ask
    /// for.
    mutating func checkItems(in field: Field, _ faults: inout FaultReporter) {
        switch faults.document.kind(of: field.node) {
        case .scalar:
            guard faults.document.hasInterpolation(field.node) else { return }
            let text = faults.document.text(of: field.node)
            for case .expression(let expression) in Template(text).pieces
            where expression.namespace == .item {
                _ = item(expression, text, field, &faults)
            }
        case .sequence:
            for node in faults.document.elements(of: field.node) {
                checkItems(in: Field(name: field.name, key: field.key, node: node), &faults)
            }
        case .mapping:
            for entry in faults.document.entries(of: field.node) {
                let name = faults.document.text(of: entry.key)
                checkItems(in: Field(name: name, key: entry.key, node: entry.value), &faults)
            }
        }
    }

    /// The scalar of a node of the job file, whose own expressions know no item.
    private mutating func itemScalar(
        _ node: NodeID,
        of expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ItemValue {
        guard faults.document.kind(of: node) == .scalar else {
            return reportItem(
                expression,
                .wrongType,
                "`\(expression.written)` is no single value: name one inside of it",
                text,
                field,
                &faults
            )
        }
        // Items are made before the run.
        let outer = (row, isNeededBeforeTheRun)
        (row, isNeededBeforeTheRun) = (nil, true)
        defer { (row, isNeededBeforeTheRun) = outer }
        let name = expression.written
        return scalar(Field(name: name, key: node, node: node), &faults).map { .value($0) }
            ?? .faulty
    }

    // MARK: Faults

    private mutating func reportItem(
        _ expression: Expression,
        _ code: JobCode,
        _ message: String,
        _ text: String,
        _ field: Field,
        likely: String? = nil,
        help: String? = nil,
        _ faults: inout FaultReporter
    ) -> ItemValue {
        let fault = ValueFault(code, message, likely: likely, help: help)
        faults.report(
            fault,
            of: field,
            at: faults.range(of: expression.range, in: text, field.node)
        )
        return .faulty
    }

    private mutating func reportUnknownField(
        _ expression: Expression,
        of row: Row,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ItemValue {
        let names = row.fieldNames(in: faults.document)
        guard let names else {
            return reportItem(
                expression,
                .unknownField,
                "the items are single values, without fields",
                text,
                field,
                likely: "${item}",
                &faults
            )
        }
        guard !expression.name.isEmpty else {
            return reportItem(
                expression,
                .unknownField,
                "`${item}` has fields: name one of them",
                text,
                field,
                help: "such as `${item.\(names.first ?? "name")}`",
                &faults
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
                    "the file has one column, with \(words) in its name: CSV has commas between its fields",
                &faults
            )
        }
        let nearest = faults.hints.nearest(expression.name, among: names)
        let list = names.prefix(20).map { "`\($0)`" }.joined(separator: ", ")
        return reportItem(
            expression,
            .unknownField,
            "the items have no field `\(expression.name.excerpt)`",
            text,
            field,
            likely: nearest.map { "${item.\($0)}" },
            help: "they have \(list)",
            &faults
        )
    }

    /// Reports a field that this row lacks.
    mutating func reportAbsentField(
        _ expression: Expression,
        _ reason: String?,
        at range: SourceRange,
        _ faults: inout FaultReporter
    ) {
        let names = row?.fieldNames(in: faults.document) ?? []
        let nearest = faults.hints.nearest(expression.name, among: names)
        faults.log.add(
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
