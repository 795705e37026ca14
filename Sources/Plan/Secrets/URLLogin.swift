internal import TransferModel

/// Finds what nobody may read in a text that should be a URL and perhaps is none.
enum URLLogin {
    /// What stands before the last `@` of a text that is no URL, or has a login; nil in a URL without one.
    ///
    /// It is often the password that makes a URL wrong: `https://user:a#b@host`. Curl's users also leave out the scheme.
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

    /// The values of a URL's query that stand behind names of secrets.
    static func secretsInQuery(of text: String) -> [String] {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
        return text[mark...].dropFirst().split(separator: "&").compactMap { part in
            guard let sign = part.utf8.firstIndex(of: UInt8(ascii: "=")),
                SecretName.isOne(String(part[..<sign]))
            else { return nil }
            let value = String(part[sign...].dropFirst())
            // Expressions tell nothing.
            return value.isEmpty || value.hasPrefix("${") ? nil : value
        }
    }

    /// A URL with the mark in the place of those values.
    static func withoutSecretsInQuery(_ text: String) -> String {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return text }
        let query = text[mark...].dropFirst()
        let parts = query.split(separator: "&", omittingEmptySubsequences: false).map { part in
            guard !secretsInQuery(of: "?\(part)").isEmpty,
                let sign = part.utf8.firstIndex(of: UInt8(ascii: "="))
            else { return String(part) }
            return String(part[...sign]) + Secret.mark
        }
        return "\(text[...mark])\(parts.joined(separator: "&"))"
    }
}
