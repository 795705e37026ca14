internal import Diagnostics
internal import JobFile
internal import SystemKit

// What is said of expressions that stand for nothing.
extension Reader {
    /// Reports an expression whose value is not set, or empty where its rule forbids that.
    mutating func reportMissing(_ expression: Expression, at range: SourceRange) {
        let reason: String? =
            if case .reason(let text) = expression.rule, !text.isEmpty { text } else { nil }
        switch expression.namespace {
        case .env: reportMissingEnvironment(expression.name, reason, at: range)
        case .var: reportMissingVariable(expression.name, reason, at: range)
        case .item: reportAbsentField(expression, reason, at: range)
        case .run: reportMissingRunValue(expression.name, at: range)
        case .secret:
            break  // A secret is known or not: that is told where it is looked up.
        case .task:
            let message = "the captured value `\(expression.name.excerpt)` is empty"
            log.add(Diagnostic(.error, .missingVariable, message + Self.because(reason), at: range))
        }
    }

    private static func because(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }

    /// Whether a variable of the environment is no text, which is reported: no fallback takes its
    /// place.
    mutating func isForeign(
        _ expression: Expression,
        _ text: String,
        _ field: Field
    ) -> Bool {
        guard let value = environment[expression.name], value.hasForeignBytes else { return false }
        log.add(
            Diagnostic(
                .error,
                .missingVariable,
                "the environment variable `\(expression.name.excerpt)` is not UTF-8 text",
                at: range(of: expression.range, in: text, field.node)
            )
        )
        return true
    }

    private mutating func reportMissingEnvironment(
        _ name: String,
        _ reason: String?,
        at range: SourceRange
    ) {
        let isSet = environment[name] != nil
        let nearest =
            isSet ? nil : nearest(name, among: { $0.environment.keys.sorted() })
        let likely = nearest.map { name in
            secrets.first(ofEnvironment: name, behind: "").map { "${secret.\($0.name)}" }
                ?? "${env.\(name)}"
        }
        let set = "set it, or write a fallback: `${env.\(name.excerpt):-…}`"
        log.add(
            Diagnostic(
                .error,
                .missingVariable,
                "the environment variable `\(name.excerpt)` is \(isSet ? "empty" : "not set")"
                    + Self.because(reason),
                at: range,
                help: likely.map { "did you mean `\($0)`?" } ?? (isSet ? nil : set)
            )
        )
    }

    private mutating func reportMissingVariable(
        _ name: String,
        _ reason: String?,
        at range: SourceRange
    ) {
        if variables.states[name] != nil || reason != nil {
            log.add(
                Diagnostic(
                    .error,
                    .missingVariable,
                    "the variable `\(name.excerpt)` has no value" + Self.because(reason),
                    at: range,
                    help: "give it with `--var \(name.excerpt)=…`"
                )
            )
            return
        }
        let nearest = nearest(name, among: { $0.variables.states.keys.sorted() })
        log.add(
            Diagnostic(
                .error,
                .unknownVariable,
                "unknown variable `\(name.excerpt)`",
                at: range,
                help: nearest.map { "did you mean `${var.\($0)}`?" }
                    ?? "declare it under `variables`, or give it with `--var \(name.excerpt)=…`",
                fixIt: nearest.map { .init(range: range, replacement: "${var.\($0)}") }
            )
        )
    }

    private mutating func reportMissingRunValue(_ name: String, at range: SourceRange) {
        let nearest = NearestName.find(name, among: RunValues.names)
        log.add(
            Diagnostic(
                .error,
                .unknownVariable,
                "a run has no value `\(name.excerpt)`",
                at: range,
                help: nearest.map { "did you mean `${run.\($0)}`?" }
                    ?? "it has `${run.id}`, `${run.date}` and `${run.time}`",
                fixIt: nearest.map { .init(range: range, replacement: "${run.\($0)}") }
            )
        )
    }
}
