internal import JobFile
internal import SystemKit

// Finds secrets by the nodes beside them.
extension Document {
    /// Whether a node is a scalar without a text, such as the value of a key without one.
    func isEmptyScalar(_ node: NodeID) -> Bool {
        kind(of: node) == .scalar && withBytes(of: node) { $0.isEmpty }
    }

    /// An argument of a command that is an option, such as `--password`; nil for any other element
    /// of a list.
    func option(_ argument: NodeID) -> String? {
        guard kind(of: argument) == .scalar else { return nil }
        let text = text(of: argument)
        return text.hasBytePrefix("-") && !text.hasBytePrefix("--no-") ? text : nil
    }

    /// Whether a node is a text with a colon, as a login with a password is.
    func hasColon(_ node: NodeID) -> Bool {
        kind(of: node) == .scalar
            && withBytes(of: node) { bytes in
                bytes.indices.contains { bytes[$0] == UInt8(ascii: ":") }
            }
    }

    /// Whether a node is a JSON pointer, which reveals no secret.
    func hasPointer(_ node: NodeID) -> Bool {
        kind(of: node) == .scalar
            && withBytes(of: node) { !$0.isEmpty && $0[0] == UInt8(ascii: "/") }
    }

    /// Whether the argument behind an option is a secret, or a login with a password.
    func isSecret(_ argument: NodeID, behind option: String) -> Bool {
        SecretName.isOne(option)
            || SecretName.isLoginOption(option) && hasColon(argument)
    }
}
