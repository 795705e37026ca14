internal import TransferModel

/// Finds what nobody may read in a text that should be a URL and perhaps is none.
enum URLLogin {
    /// What stands before the last `@` of a text that is no URL, or has a login; nil in a URL
    /// without one.
    ///
    /// It is often the password that makes a URL wrong: `https://user:a#b@host`. Curl's users also
    /// leave out the scheme.
    static func ofFaulty(_ text: String) -> String? {
        guard let at = text.utf8.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        // An expression may stand for a host, a port or a part of the path.
        let filled = Template(text).pieces.map { piece in
            switch piece {
            case .literal(let literal): literal
            case .expression: "1"
            }
        }
        if let url = try? HTTPURL(filled.joined()), !url.hasUserInformation { return nil }
        var login = text.utf8[..<at]
        if let colon = login.firstIndex(of: UInt8(ascii: ":")),
            ["http", "https", "socks5", "socks5h", "socks4", "socks4a", "ftp"]
                .contains(String(text[..<colon]).lowercased())
        {
            login = login[colon...].dropFirst()
        }
        login = login.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return login.isEmpty ? nil : String(Substring(login))
    }

    /// The texts in a query behind names of secrets: literals, and the fallbacks of expressions.
    static func secretsInQuery(of text: String) -> [String] {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return text[mark...].dropFirst().split(separator: "&").flatMap { part -> [String] in
            guard let value = secretValue(of: part) else { return [] }
            return Template(value).pieces.compactMap { piece in
                switch piece {
                case .literal(let literal): literal.isEmpty ? nil : literal
                case .expression(let expression): expression.fallback
                }
            }
        }
    }

    /// A URL with the mark in the place of those texts.
    static func withoutSecretsInQuery(_ text: String) -> String {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let query = text[mark...].dropFirst()
        let parts = query.split(separator: "&", omittingEmptySubsequences: false).map { part in
            guard let value = secretValue(of: part), !value.isEmpty else { return String(part) }
            let shown = Template(value).pieces.map { piece in
                switch piece {
                case .literal(let literal): literal.isEmpty ? "" : Secret.mark
                case .expression(let expression): expression.writtenWithoutFallback(in: value)
                }
            }
            return part.dropLast(value.count) + shown.joined()
        }
        return "\(text[...mark])\(parts.joined(separator: "&"))"
    }

    /// The value of a query's part that has the name of a secret, as it is written; nil for another
    /// name.
    private static func secretValue(of part: Substring) -> String? {
        guard let sign = part.utf8.firstIndex(of: UInt8(ascii: "=")) else { return nil }
        let name = PercentCoding.decodeLeniently(part[..<sign].utf8)
        guard SecretName.isOne(String(decoding: name, as: UTF8.self)) else { return nil }
        return String(part[sign...].dropFirst())
    }
}
