internal import JSON
internal import JobFile
internal import SystemKit

// Values under names of secrets, and the values made of them.
extension Reader {
    /// The values of variables, of the job and of the environment, that have names of secrets, and
    /// those of rows that were found wrong: messages may quote what they were filled into.
    var confidentialValues: [String] {
        let variables = self.values.variables.states.compactMap { name, state -> String? in
            guard SecretName.isOne(name), case .value(let value) = state else { return nil }
            return value.text
        }
        let asked = NeededNames(document).environment.filter(SecretName.isOne)
        return variables + asked.compactMap { values.environment[$0] } + valuesOfRows
    }

    /// Notes the hidden values of a row that a message is about.
    mutating func noteConfidential(of row: Row) {
        switch row {
        case .record(let columns, let fields):
            for (column, field) in zip(columns, fields) where SecretName.isOne(column) {
                valuesOfRows.append(field)
            }
        case .json(let value): note(value, isSecret: false)
        // They stand in the job file, or are paths.
        case .scalar, .node, .combination, .file: break
        }
    }

    private mutating func note(_ value: JSONValue, isSecret: Bool) {
        switch value {
        case .object(let members):
            for member in members {
                note(member.value, isSecret: isSecret || SecretName.isOne(member.name))
            }
        case .array(let elements):
            for element in elements { note(element, isSecret: isSecret) }
        case .string(let text), .number(let text):
            if isSecret { valuesOfRows.append(text) }
        case .null, .bool: break
        }
    }

    /// Whether the value of an expression has the name of a secret, or is made of a variable that
    /// has one.
    func isConfidential(_ expression: Expression, _ variables: ConfidentialVariables) -> Bool {
        if variables.contains(expression) { return true }
        guard expression.namespace == .item,
            let node = values.row.flatMap({ self.node(of: $0, at: expression.name) })
        else { return false }
        return variables.areIn(node, of: document)
    }

    /// The place of an item's value in the job file.
    private func node(of row: Row, at path: String) -> NodeID? {
        switch row {
        case .node(let node): child(of: node, at: path)
        case .combination(let names, let values): names.firstIndex(of: path).map { values[$0] }
        case .scalar, .record, .json, .file: nil
        }
    }

    private func child(of node: NodeID, at path: String) -> NodeID? {
        guard !path.isEmpty else { return node }
        guard document.kind(of: node) == .mapping else { return nil }
        if let found = document.value(of: node, for: path) { return found.value }
        guard let (name, rest) = path.cut(atFirst: "."),
            let inner = document.value(of: node, for: String(name))?.value
        else { return nil }
        return child(of: inner, at: String(rest))
    }
}
