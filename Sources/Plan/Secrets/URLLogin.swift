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
        if let url = try? HTTPURL(filled.joined()), !url.hasUserInformation, !url.mayBeTornLogin,
            !isTornBehindPort(text)
        {
            return nil
        }
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

    /// Whether a URL has a word for its host, a port, and an `@` which a name of a host follows:
    /// `http://bob:12/ab@example.com` may be a login or a server and its path.
    ///
    /// The names of npm's packages, such as `http://localhost:4873/@scope/name`, are no login.
    private static func isTornBehindPort(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let slashes = bytes.firstRange(of: Array("//".utf8)),
            let at = bytes.lastIndex(of: UInt8(ascii: "@")), at >= slashes.upperBound
        else { return false }
        return isTornBehindPort(bytes[slashes.upperBound...], at)
    }

    /// As above, from the text behind the slashes and the index of the last `@`.
    private static func isTornBehindPort(_ text: ArraySlice<UInt8>, _ at: Int) -> Bool {
        let user = text[..<at].prefix(while: isNameByte)
        let port = text[user.endIndex..<at].dropFirst().prefix { (48...57).contains($0) }
        guard text[user.endIndex] == UInt8(ascii: ":"), !port.isEmpty, at - port.endIndex > 1,
            !(user.count == 9 && user.map { $0 | 0x20 }.elementsEqual("localhost".utf8))
        else { return false }
        return text[at...].dropFirst().first.map(isNameByte) ?? false
            && user.contains { !(48...57).contains($0) }
    }

    /// The login in a text which is a login and a host in any place, such as `user:password@host`;
    /// nil for any other text.
    static func ofBareAddress(_ text: String) -> String? {
        let bytes = text.utf8
        guard let at = bytes.lastIndex(of: UInt8(ascii: "@")), bytes.allSatisfy({ $0 > 32 }),
            bytes[..<at].contains(UInt8(ascii: ":")),
            bytes[at...].dropFirst().first.map(isNameByte) ?? false
        else { return nil }
        return ofFaulty(text)
    }

    /// The part of a login in a URL that a comma has torn off its rest, which has the `@`; empty
    /// for a URL that ends with a secret of its query; nil for any other text.
    static func open(in text: String, before rest: String) -> String? {
        guard let slashes = text.utf8.firstRange(of: Array("//".utf8)) else { return nil }
        let authority = text.utf8[slashes.upperBound...]
        if rest.utf8.contains(UInt8(ascii: "@")), authority.contains(UInt8(ascii: ":")),
            !authority.contains(UInt8(ascii: "/")), !authority.contains(UInt8(ascii: "@"))
        {
            return String(Substring(authority))
        }
        let last = authority.split { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "&") }.last
        let name = last?.split(separator: UInt8(ascii: "=")).first.map { String(Substring($0)) }
        return authority.contains(UInt8(ascii: "?")) && SecretName.isOne(name ?? "") ? "" : nil
    }

    /// The bytes between the slashes of a URL and the last `@` of a line, if a blank, a quotation
    /// mark or a comma among them has torn a login with a password; nil for any other line.
    static func torn(in line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let at = line.lastIndex(of: UInt8(ascii: "@")) else { return nil }
        let lastBlank = line[..<at].lastIndex { $0 <= 32 } ?? line.startIndex - 1
        var index = line.startIndex
        while index + 1 < at {
            guard line[index] == UInt8(ascii: "/"), line[index + 1] == UInt8(ascii: "/") else {
                index += 1
                continue
            }
            let login = line[(index + 2)..<at]
            // The host ends at a slash; a login has a colon before it.
            let authority = login.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            if let colon = authority.firstIndex(of: UInt8(ascii: ":")),
                authority[..<colon].allSatisfy({ $0 > 32 }),
                !isPort(authority[(colon + 1)...])
                    || lastBlank < login.startIndex && isTornBehindPort(line[(index + 2)...], at)
            {
                return login
            }
            index += 2
        }
        return nil
    }

    /// Whether the bytes behind a host's colon are a port.
    private static func isPort(_ bytes: ArraySlice<UInt8>) -> Bool {
        let digits = bytes.prefix { (48...57).contains($0) }
        guard !digits.isEmpty, digits.count <= 5 else { return false }
        return bytes[digits.endIndex...].first.map { byte in
            byte != UInt8(ascii: "@") && byte != UInt8(ascii: "#") && !isNameByte(byte)
        } ?? true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte & 0xDF)
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
