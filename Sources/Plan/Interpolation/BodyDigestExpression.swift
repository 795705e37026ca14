internal import Diagnostics
internal import JobFile
internal import TransferModel

/// Expressions for the digests of a task's body, which are known only when an attempt has the body.
enum BodyDigestExpression {
    /// The expression itself, for which an attempt writes the digest; reports a wrong name or
    /// place.
    ///
    /// `isAllowed` says whether the text is the value of a header field.
    static func read(
        _ expression: Expression,
        _ isAllowed: Bool,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ScalarValue? {
        let fault: ValueFault
        if isAllowed, case .task = faults.owner {
            if let form = BodyDigest.Form(rawValue: expression.name) {
                let written = expression.written
                var value = ScalarValue(text: written, type: .string, isFilledIn: true)
                value.bodyDigests = [BodyDigest(form: form, range: 0..<written.utf8.count)]
                return value
            }
            let names = BodyDigest.Form.allCases.map(\.rawValue)
            fault = ValueFault(
                .badExpression,
                "a body has no value `\(expression.name.excerpt)`",
                likely: NearestName.find(expression.name, among: names).map { "${body.\($0)}" },
                help: "it has " + names.map { "`\($0)`" }.joined(separator: ", ")
            )
        } else {
            fault = ValueFault(
                .badExpression,
                "the digest of a body can only be in the `headers` of its task"
            )
        }
        faults.report(fault, of: field, at: expression.range, in: text)
        return nil
    }
}
