internal import Diagnostics
internal import JSON
internal import JobFile

extension Interpolator {
    /// The result of a search for a value of the row.
    enum ItemValue {
        case value(ScalarValue)
        /// This row has no such value, though another row may have it.
        case absent
        /// A fault, which is reported.
        case faulty
    }

    /// The value of `${item}` or of `${item.field}`, whose expression is in `text`; reports its
    /// fault.
    mutating func item(
        _ expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ItemValue {
        do throws(ValueFault) {
            return try find(expression, &faults)
        } catch {
            faults.report(error, of: field, at: expression.range, in: text)
            return .faulty
        }
    }

    private mutating func find(
        _ expression: Expression,
        _ faults: inout FaultReporter
    ) throws(ValueFault) -> ItemValue {
        guard let row else {
            throw ValueFault(
                .badExpression,
                "there is no `item` here: only a task with `forEach` has one"
            )
        }
        switch row.part(at: expression.name, in: faults.document) {
        case .value(let value): return .value(value)
        case .text(let text):
            return .value(ScalarValue(text: text, type: .string, isFilledIn: true))
        case .node(let node) where faults.document.kind(of: node) == .scalar:
            // Items are made before the run.
            let outer = (row, isNeededBeforeTheRun)
            (self.row, isNeededBeforeTheRun) = (nil, true)
            defer { (self.row, isNeededBeforeTheRun) = outer }
            let field = Field(name: expression.written, key: node, node: node)
            return scalar(field, &faults).map { .value($0) } ?? .faulty
        case .absent: return .absent
        case .node, .collection:
            throw ValueFault(
                .wrongType,
                "`\(expression.written)` is not a single value: name a value inside it"
            )
        case nil: throw unknownField(expression, of: row, &faults)
        }
    }

    /// Checks that the row can have the fields that the expressions of a value and of the values
    /// inside of it name.
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
                checkItems(in: Field(entry, in: faults.document), &faults)
            }
        }
    }

    /// The fault of a field that no row of the same kind has.
    private func unknownField(
        _ expression: Expression,
        of row: Row,
        _ faults: inout FaultReporter
    ) -> ValueFault {
        guard let names = row.fieldNames(in: faults.document) else {
            return ValueFault(
                .unknownField,
                "the items are single values, without fields",
                likely: "${item}"
            )
        }
        guard !expression.name.isEmpty else {
            return ValueFault(
                .unknownField,
                "`${item}` has fields: name one of them",
                help: "such as `${item.\(names.first ?? "name")}`"
            )
        }
        let message = "the items have no field `\(expression.name.excerpt)`"
        if case .record = row, names.count == 1,
            let separator = names[0].first(where: { ";\t|".contains($0) })
        {
            let words = separator == "\t" ? "tabs" : "`\(separator)`"
            return ValueFault(
                .unknownField,
                message,
                help:
                    "the file has one column, with \(words) in its name: CSV has commas between "
                    + "its fields"
            )
        }
        let nearest = faults.hints.nearest(expression.name, among: names)
        let list = names.prefix(20).map { "`\($0)`" }.joined(separator: ", ")
        return ValueFault(
            .unknownField,
            message,
            likely: nearest.map { "${item.\($0)}" },
            help: "they have \(list)"
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
            .unknownField,
            "the item has no value `\(expression.name.excerpt)`"
                + (reason.map { ": \($0)" } ?? ""),
            at: range,
            help: nearest.map { "did you mean `${item.\($0)}`?" }
                ?? "write a fallback for items without it: `${item.\(expression.name.excerpt):-…}`"
        )
    }
}
