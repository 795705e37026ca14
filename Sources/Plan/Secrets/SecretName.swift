/// Knows names under which people write secrets: keys of job files, header fields, members of JSON and of forms.
enum SecretName {
    /// Whole names, in small letters, without `-` and `_`.
    private static let names: Set<String> = [
        "authorization", "proxyauthorization", "cookie", "setcookie", "credential", "pass", "pw",
        "pwd", "bearer",
    ]
    /// Their ends: `dbPassword` is one, and `X-Auth-Token`.
    private static let endings = [
        "password", "passwd", "passphrase", "secret", "token", "apikey", "secretkey", "privatekey",
        "secretaccesskey",
    ]

    /// Whether what stands under a name is probably a secret.
    static func isOne(_ name: String) -> Bool {
        let folded = String(decoding: name.utf8.compactMap(folded), as: UTF8.self)
        return names.contains(folded) || endings.contains { folded.hasSuffix($0) }
    }

    /// Whether a text beside an expression is only the word for how the secret is used (RFC 9110 §11.1).
    static func isScheme(_ text: String) -> Bool {
        ["bearer ", "basic ", "token ", "apikey "].contains(text.lowercased())
    }

    /// The byte in small letters; nil for what is neither a letter nor a digit.
    private static func folded(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57, 97...122: byte
        case 65...90: byte | 0x20
        default: nil
        }
    }
}
