internal import Diagnostics
internal import JobFile
internal import SystemKit

// Faults of expressions without a value.
extension Interpolator {
    /// Reports an expression whose value is not set, or empty where its rule forbids that.
    mutating func reportMissing(
        _ expression: Expression,
        at range: SourceRange,
        _ faults: inout FaultReporter
    ) {
        let reason: String? =
            if case .reason(let text) = expression.rule, !text.isEmpty { text } else { nil }
        switch expression.namespace {
        case .env: reportMissingEnvironment(expression.name, reason, at: range, &faults)
        case .var: reportMissingVariable(expression.name, reason, at: range, &faults)
        case .item: reportAbsentField(expression, reason, at: range, &faults)
        case .run: reportMissingRunValue(expression.name, at: range, &faults)
        case .secret, .body:
            break  // The lookup reports an unknown name.
        case .task:
            let message = "the captured value `\(expression.name.excerpt)` is empty"
            faults.log.add(
                .missingVariable,
                message + Self.because(reason),
                at: range
            )
        }
    }

    private static func because(_ reason: String?) -> String { reason.map { ": \($0)" } ?? "" }

    /// Whether a variable of the environment is not UTF-8; reports it, because no fallback replaces
    /// it.
    mutating func isForeign(
        _ expression: Expression,
        _ text: String,
        _ field: Field,
        _ faults: inout FaultReporter
    ) -> Bool {
        guard let value = environment[expression.name], value.hasForeignBytes else { return false }
        faults.log.add(
            .missingVariable,
            "the environment variable `\(expression.name.excerpt)` is not UTF-8 text",
            at: faults.range(of: expression.range, in: text, field.node)
        )
        return true
    }

    private mutating func reportMissingEnvironment(
        _ name: String,
        _ reason: String?,
        at range: SourceRange,
        _ faults: inout FaultReporter
    ) {
        let isSet = environment[name] != nil
        let nearest =
            isSet ? nil : faults.hints.nearest(name, among: environment.keys.sorted())
        let likely = nearest.map { name in
            secrets.first(ofEnvironment: name, behind: "").map { "${secret.\($0.name)}" }
                ?? "${env.\(name)}"
        }
        let set = "set it, or write a fallback: `${env.\(name.excerpt):-…}`"
        faults.log.add(
            .missingVariable,
            "the environment variable `\(name.excerpt)` is \(isSet ? "empty" : "not set")"
                + Self.because(reason),
            at: range,
            help: likely.map { "did you mean `\($0)`?" } ?? (isSet ? nil : set)
        )
    }

    private mutating func reportMissingVariable(
        _ name: String,
        _ reason: String?,
        at range: SourceRange,
        _ faults: inout FaultReporter
    ) {
        if variables.states[name] != nil || reason != nil {
            faults.log.add(
                .missingVariable,
                "the variable `\(name.excerpt)` has no value" + Self.because(reason),
                at: range,
                help: "give it with `--var \(name.excerpt)=…`"
            )
            return
        }
        let nearest = faults.hints.nearest(name, among: variables.states.keys.sorted())
        faults.log.add(
            .unknownVariable,
            "unknown variable `\(name.excerpt)`",
            at: range,
            help: nearest.map { "did you mean `${var.\($0)}`?" }
                ?? "declare it under `variables`, or give it with `--var \(name.excerpt)=…`",
            fixIt: nearest.map { .init(range: range, replacement: "${var.\($0)}") }
        )
    }

    private mutating func reportMissingRunValue(
        _ name: String,
        at range: SourceRange,
        _ faults: inout FaultReporter
    ) {
        let nearest = NearestName.find(name, among: RunValues.names)
        faults.log.add(
            .unknownVariable,
            "a run has no value `\(name.excerpt)`",
            at: range,
            help: nearest.map { "did you mean `${run.\($0)}`?" }
                ?? "it has `${run.id}`, `${run.date}` and `${run.time}`",
            fixIt: nearest.map { .init(range: range, replacement: "${run.\($0)}") }
        )
    }
}
