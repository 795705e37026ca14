internal import JobFile
internal import SystemKit

// Values made of others under names of secrets.
extension Reader {
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
