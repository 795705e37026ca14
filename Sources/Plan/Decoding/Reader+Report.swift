internal import Diagnostics
internal import JobFile

extension Reader {
    /// Reports an error at a value or key.
    mutating func report(
        _ code: JobCode,
        _ message: String,
        at node: NodeID,
        notes: [Diagnostic.Note] = [],
        help: String? = nil
    ) {
        faults.report(code, message, at: node, notes: notes, help: help)
    }

    /// Reports a fault of the text of a field's value, or of a part of it.
    mutating func report(_ fault: ValueFault, of field: Field, at part: SourceRange? = nil) {
        faults.report(fault, of: field, at: part)
    }

    /// Reports a scalar of another type than its setting takes.
    mutating func reportType(
        _ field: Field,
        _ expected: String,
        found scalar: ScalarValue,
        likely: String?
    ) {
        let found = FaultReporter.name(of: scalar.type, scalar.text)
        let fault = ValueFault(.wrongType, "expected \(expected), found \(found)", likely: likely)
        report(fault, of: field)
    }

    /// Reports a text that is none of the names that a setting takes.
    mutating func reportChoice(_ field: Field, _ text: String, names: [String]) {
        let shown = text.excerpt
        let list = names.map { "`\($0)`" }.joined(separator: ", ")
        let fault = ValueFault(
            .badValue,
            "`\(shown)` is not one of \(list)",
            likely: Hints.likelyChoice(text, among: names)
        )
        report(fault, of: field)
    }
}
