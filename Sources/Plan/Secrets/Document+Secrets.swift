internal import JobFile
internal import SystemKit

// Finds secrets by the nodes beside them.
extension Document {
    /// Whether a node is a scalar without a text, such as the value of a key without one.
    func isEmptyScalar(_ node: NodeID) -> Bool {
        kind(of: node) == .scalar && withBytes(of: node) { $0.isEmpty }
    }

    /// Whether a node is a text with a private key (RFC 7468), which users paste where its file
    /// belongs.
    func isPrivateKey(_ node: NodeID) -> Bool {
        let border = Array("PRIVATE KEY-----".utf8)
        return kind(of: node) == .scalar
            && withBytes(of: node) { bytes in
                bytes.indices.dropLast(border.count - 1).contains { start in
                    bytes[start] == border[0]
                        && bytes.extracting(start..<start + border.count).equals(border.span)
                }
            }
    }

    /// Whether a node is a mapping with the name of a secret which has no value.
    func hasBareName(_ node: NodeID) -> Bool {
        guard kind(of: node) == .mapping else { return false }
        return entries(of: node).contains { entry in
            isEmptyScalar(entry.value) && SecretName.isOne(text(of: entry.key))
        }
    }

    /// An argument of a command that is an option, such as `--password`, or a header field's name
    /// behind an option for one; nil for any other element of a list.
    ///
    /// An option of curl may lack its dash.
    func option(_ argument: NodeID, behind last: String?, ofCurl isCurl: Bool) -> String? {
        guard kind(of: argument) == .scalar else { return nil }
        let text = text(of: argument)
        if last == "-H" || last == "--header" { return SecretName.isOne(text) ? text : nil }
        if text.hasBytePrefix("--no-") { return nil }
        if isCurl, ["u", "b", "user", "cookie"].contains(text) { return "-" + text }
        return text.hasBytePrefix("-") || SecretName.isLoginOption(text)
            || SecretName.isCookieOption(text) ? text : nil
    }

    /// Whether a node is a list with the word `curl`.
    func isCurl(_ command: NodeID) -> Bool {
        elements(of: command).contains { kind(of: $0) == .scalar && text(of: $0) == "curl" }
    }

    /// Whether a node is a text with a colon, as a login with a password is.
    func hasColon(_ node: NodeID) -> Bool { holds(UInt8(ascii: ":"), node) }

    private func holds(_ byte: UInt8, _ node: NodeID) -> Bool {
        kind(of: node) == .scalar
            && withBytes(of: node) { bytes in bytes.indices.contains { bytes[$0] == byte } }
    }

    /// Whether a node is a JSON pointer, which reveals no secret.
    func hasPointer(_ node: NodeID) -> Bool {
        kind(of: node) == .scalar
            && withBytes(of: node) { !$0.isEmpty && $0[0] == UInt8(ascii: "/") }
    }

    /// Whether the argument behind an option is a secret, a login with a password, or a cookie.
    func isSecret(_ argument: NodeID, behind option: String) -> Bool {
        SecretName.isOne(option)
            || SecretName.isLoginOption(option) && (hasColon(argument) || isPair(argument))
            || SecretName.isCookieOption(option) && holds(UInt8(ascii: "="), argument)
    }

    /// Whether a node is two words with a wrong sign between them: `bob;hunter2`.
    private func isPair(_ node: NodeID) -> Bool {
        guard kind(of: node) == .scalar else { return false }
        let text = text(of: node)
        let words = text.splitAtBytes(";", " ")
        return words.count == 2 && text.first.map { $0.isLetter || $0.isNumber } == true
            && words.allSatisfy {
                !$0.containsBytes("/") && !$0.containsBytes("=") && $0.first != "-"
            }
    }

    /// Whether a node behind an option for a login is a mapping: `bob: hunter2` has a blank too
    /// many.
    func isTornLogin(_ node: NodeID, behind option: String) -> Bool {
        kind(of: node) == .mapping && SecretName.isLoginOption(option)
    }

    /// Whether a value is a secret because its key is, or begins with, an option of curl: the
    /// colon is a slip (`-u: "bob:hunter2"`, `-u bob: hunter2`, `-ubob: hunter2`).
    func isSecret(_ value: NodeID, behindOptionIn key: String) -> Bool {
        let words = key.splitAtBytes(" ")
        guard let option = words.first.map(String.init) else { return false }
        if words.count > 1 { return SecretName.isLoginOption(option) }
        if isSecret(value, behind: option) { return true }
        return option.hasBytePrefix("-u") && option.utf8.count > 2
    }
}
