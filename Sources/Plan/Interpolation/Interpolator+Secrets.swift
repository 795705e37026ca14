internal import Diagnostics
internal import JobFile

// Expressions that name secrets, and secrets in forbidden places.
extension Interpolator {
    /// A secret by its name, with its value or a stand-in; reports an unknown name.
    mutating func secret(
        _ expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> ScalarValue? {
        if let position = secrets.names.firstIndex(of: expression.name) {
            var value = ScalarValue(
                text: secrets.text(of: position),
                type: .string,
                isFilledIn: true
            )
            value.secrets = SecretSet(position)
            return value
        }
        let name = expression.name
        let nearest = faults.hints.nearest(name, among: secrets.names)
        let range = faults.range(of: expression.range, in: text, field.node)
        faults.log.add(
            .unknownSecret,
            "unknown secret `\(name.excerpt)`",
            at: range,
            help: nearest.map { "did you mean `${secret.\($0)}`?" }
                ?? "declare it under `secrets`",
            fixIt: nearest.map { .init(range: range, replacement: "${secret.\($0)}") }
        )
        return nil
    }

    /// Whether a variable of the environment, or one of the job that it sets, is the value of a
    /// secret; reports it, because the report would show the variable.
    mutating func isSecret(
        _ variable: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> Bool {
        let prefix = variable.namespace == .var ? PlanOptions.variablePrefix : ""
        guard let secret = secrets.first(ofEnvironment: variable.name, behind: prefix) else {
            return false
        }
        let range = faults.range(of: variable.range, in: text, field.node)
        let expression = "${secret.\(secret.name)}"
        faults.log.add(
            .secretExposed,
            "`${\(variable.namespace.rawValue).\(variable.name.excerpt)}` is the secret "
                + "`\(secret.name)`, but runner would not redact it here",
            at: range,
            notes: [.init("it is declared here", at: secret.range)],
            help: "write `\(expression)`",
            fixIt: .init(range: range, replacement: expression)
        )
        return true
    }

    /// Reports secrets in a value that is shown to people.
    mutating func reportMisplaced(
        _ secrets: SecretSet,
        _ field: Field,
        _ faults: inout FaultReporter
    ) {
        faults.report(
            .secretMisplaced,
            "`\(field.name.excerpt)` may not contain the \(self.secrets.words(for: secrets)): "
                + "its value appears in reports and messages",
            at: field.node,
            help: "a secret is allowed in the values of `headers`, in a body, "
                + "and with `allowInURL: true` in a URL"
        )
    }
}
