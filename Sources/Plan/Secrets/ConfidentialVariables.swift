internal import JobFile
internal import SystemKit

/// The job's variables that have the name of a secret, or whose values are made of such a variable.
struct ConfidentialVariables {
    private var names: Set<String> = []

    /// Looks through `variables` once, however long a chain of references is.
    init(of document: Document) {
        guard let variables = document.value(of: document.root, for: "variables")?.value else {
            return
        }
        // The variables that refer to each variable.
        var users: [String: [String]] = [:]
        var open: [String] = []
        for entry in document.entries(of: variables) {
            let name = document.text(of: entry.key)
            var isOne = SecretName.isOne(name)
            for expression in Self.expressions(of: entry.value, in: document) {
                if expression.hasSecretName { isOne = true }
                if expression.namespace == .var { users[expression.name, default: []].append(name) }
            }
            if isOne, names.insert(name).inserted { open.append(name) }
        }
        while let name = open.popLast() {
            for user in users[name] ?? [] where names.insert(user).inserted { open.append(user) }
        }
    }

    /// Whether the value of an expression is confidential by its name, or by the variable that it
    /// refers to.
    func contains(_ expression: Expression) -> Bool {
        expression.hasSecretName || expression.namespace == .var && names.contains(expression.name)
    }

    /// Whether a scalar is made of a confidential variable.
    func areIn(_ node: NodeID, of document: Document) -> Bool {
        Self.expressions(of: node, in: document).contains(where: contains)
    }

    private static func expressions(of node: NodeID, in document: Document) -> [Expression] {
        guard document.kind(of: node) == .scalar, document.hasInterpolation(node) else { return [] }
        return Template(document.text(of: node)).pieces.compactMap { piece in
            guard case .expression(let expression) = piece else { return nil }
            return expression
        }
    }
}

extension Expression {
    /// Whether its name, or a member of the path in it, is the name of a secret.
    var hasSecretName: Bool {
        SecretName.isOne(name)
            || name.splitAtBytes(".").contains(where: { SecretName.isOne(String($0)) })
    }
}
