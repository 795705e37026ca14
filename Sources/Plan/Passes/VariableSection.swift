internal import Diagnostics
internal import JobFile

/// The variables of `variables` and of `--var`.
enum VariableSection {
    /// Declares the variables of the file and the `given` ones, none of them resolved.
    static func declare(_ given: [String: String], _ reader: inout Reader) {
        for (name, text) in given {
            let value = ScalarValue(text: text, type: Scalar(plain: text), isFilledIn: true)
            reader.values.variables.states[name] = .value(value)
            reader.values.variables.unused.insert(name)
        }
        let document = reader.document
        guard let (key, node) = document.value(of: document.root, for: "variables"),
            reader.isMapping(Field(name: "variables", key: key, node: node))
        else { return }
        for entry in document.entries(of: node) where !reader.document.isFree(entry.key) {
            declare(document.text(of: entry.key), entry.key, entry.value, &reader)
        }
    }

    private static func declare(
        _ name: String,
        _ key: NodeID,
        _ node: NodeID,
        _ reader: inout Reader
    ) {
        guard Expression.isVariableName(name) else {
            return reader.report(
                .badID,
                "`\(name)` is not a variable name",
                at: key,
                help: "a name has letters, digits, `_` and `-`, and does not begin with a digit"
            )
        }
        reader.values.variables.unused.remove(name)
        guard case .value(var given)? = reader.values.variables.states[name] else {
            reader.values.variables.names.append(name)
            reader.values.variables.states[name] = .pending(Field(name: name, key: key, node: node))
            return
        }
        let document = reader.document
        // Declared as a string, it stays one: `--var id=00123` and `--var id=123` are both text.
        if document.kind(of: node) == .scalar, document.scalar(of: node) == .string {
            given.type = .string
            reader.values.variables.states[name] = .value(given)
        }
    }

    /// Warns of variables of `--var` that nothing has used.
    static func warnOfUnused(_ reader: inout Reader) {
        for name in reader.values.variables.unused.sorted() {
            let nearest = NearestName.find(name, among: reader.values.variables.names)
            reader.faults.log.warn(
                .unusedVariable,
                "the variable `\(name)` from `--var` is not used",
                at: SourceRange(reader.document.range(of: reader.document.root).start),
                help: nearest.map { "did you mean `\($0)`?" }
            )
        }
    }
}
