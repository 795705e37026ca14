package import TransferModel

/// Reads the logins for hosts in a netrc file
/// (https://www.gnu.org/software/inetutils/manual/html_node/The-_002enetrc-file.html).
package enum NetrcText {
    /// A word and its line.
    private struct Word {
        var text: String
        var line: Int
    }

    /// The logins that name their hosts, for Digest and for Basic, in the order of the file.
    ///
    /// `default` names no host and is skipped, because it would go to any host; `macdef` and
    /// `account` are of no use here.
    package static func credentials(in text: String) throws(NetrcSyntaxError) -> [Credential] {
        var words = try words(of: text)[...]
        var credentials: [Credential] = []
        while let word = words.popFirst() {
            switch word.text {
            case "machine":
                let host = try value(of: word, &words)
                let (user, password) = try login(&words)
                guard let password else { continue }
                let space = ProtectionSpace(scope: .host(host.lowercased()))
                let login = Login(user: user ?? "", password: Secret(password))
                let hasBasic = !login.user.utf8.contains(UInt8(ascii: ":"))
                var digest = Credential(space: space, proof: .digest(login))
                digest.isFallback = hasBasic
                credentials.append(digest)
                if hasBasic { credentials.append(Credential(space: space, proof: .basic(login))) }
            case "default": _ = try login(&words)
            default:
                throw NetrcSyntaxError(
                    line: word.line,
                    message: "`machine` or `default` is expected"
                )
            }
        }
        return credentials
    }

    /// Reads the words between a host and the next host.
    private static func login(
        _ words: inout ArraySlice<Word>
    ) throws(NetrcSyntaxError) -> (user: String?, password: String?) {
        var user: String?
        var password: String?
        while let word = words.first, word.text != "machine", word.text != "default" {
            words.removeFirst()
            switch word.text {
            case "login": user = try value(of: word, &words)
            case "password": password = try value(of: word, &words)
            case "account": _ = try value(of: word, &words)
            default:
                throw NetrcSyntaxError(
                    line: word.line,
                    message: "`login`, `password` or `account` is expected"
                )
            }
        }
        return (user, password)
    }

    private static func value(
        of key: Word,
        _ words: inout ArraySlice<Word>
    ) throws(NetrcSyntaxError) -> String {
        guard let value = words.popFirst() else {
            throw NetrcSyntaxError(line: key.line, message: "`\(key.text)` has no value")
        }
        guard (try? HeaderRule.checkValue(value.text)) != nil else {
            throw NetrcSyntaxError(
                line: value.line,
                message: "a control character is not allowed here"
            )
        }
        return value.text
    }

    /// The words between blanks or in quotes, without comments and macros.
    private static func words(of text: String) throws(NetrcSyntaxError) -> [Word] {
        var words: [Word] = []
        var isInMacro = false
        for (index, line) in text.split(
            omittingEmptySubsequences: false,
            whereSeparator: \.isNewline
        ).enumerated() {
            // An empty line ends a macro.
            if isInMacro {
                isInMacro = !line.isEmpty
                continue
            }
            var rest = line.unicodeScalars
            while let word = try nextWord(&rest, line: index + 1) {
                if word == "macdef" {
                    isInMacro = true
                    break
                }
                words.append(Word(text: word, line: index + 1))
            }
        }
        return words
    }

    private static func nextWord(
        _ rest: inout Substring.UnicodeScalarView,
        line: Int
    ) throws(NetrcSyntaxError) -> String? {
        rest = rest.drop { $0 == " " || $0 == "\t" }
        guard let first = rest.first, first != "#" else { return nil }
        guard first == "\"" else {
            let word = rest.prefix { $0 != " " && $0 != "\t" }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        rest = rest.dropFirst()
        var word = String.UnicodeScalarView()
        while let character = rest.popFirst() {
            switch character {
            case "\"": return String(word)
            case "\\":
                if let escaped = rest.popFirst() { word.append(escaped) }
            default: word.append(character)
            }
        }
        throw NetrcSyntaxError(line: line, message: "a quote is not closed")
    }
}

/// Why a text is no netrc file; the line counts from 1.
package struct NetrcSyntaxError: Error, Hashable {
    /// The line of the fault, from 1.
    package var line: Int
    /// The fault, without values of the file, which may be passwords.
    package var message: String
}
