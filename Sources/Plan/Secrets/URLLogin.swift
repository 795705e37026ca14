internal import TransferModel

/// Finds the login in a text that should be a URL and perhaps is none.
enum URLLogin {
    /// The text before the last `@` of a text that is no URL, or has a login; nil in a URL
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
            ["http", "https", "socks5", "socks5h", "socks4", "socks4a", "ftp", "ftps", "sftp"]
                .contains(String(text[..<colon]).lowercased())
        {
            login = login[colon...].dropFirst()
        }
        login = login.drop { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
        return login.isEmpty ? nil : String(Substring(login))
    }

    /// A text that should be a URL as messages may quote it: without its login, and without values
    /// behind names of secrets.
    static func shown(_ text: String) -> String {
        var shown = text
        if let login = ofFaulty(text), let range = shown.firstRange(of: login) {
            shown.replaceSubrange(range, with: Secret.mark)
        }
        return NamedSecrets.redacted(shown)
    }
}
