internal import Diagnostics
internal import SystemKit
internal import TransferModel

/// The list of the shown parts of values: numbers, words that keys choose from, texts of a fixed
/// form, expressions, names that the job declares, and URLs up to the query.
enum PublicValues {
    /// Keys whose values are free texts that hold no credential: paths, names and patterns.
    ///
    /// Such a value is shown where a diagnostic is about it.
    private static let freeKeys: Set<String> = [
        "allowsReadAccessTo", "caFile", "certificate", "connection", "csv", "deferred",
        "description", "directory", "driver", "ended", "events", "exceptions", "extract", "failed",
        "fifo", "file", "fileName", "formatted", "fromFile", "gateway", "glob", "har", "header",
        "host", "html", "identifier", "include", "jsonLines", "junit", "key", "knownHosts", "lines",
        "macAddress", "matches", "name", "needs", "pac", "pattern", "pointer", "privateKey",
        "prometheus", "regex", "responseTo", "scheme", "session", "sessionDescription", "skipped",
        "ssid", "succeeded", "to",
    ]
    private static let namespaces = Expression.Namespace.allCases.map { Array($0.rawValue.utf8) }

    /// The bytes at the beginning of a value of a YAML file that are shown.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - place: Its place, which decides.
    ///   - names: The names that the job declares.
    ///   - isSpan: Whether a diagnostic is about exactly this value.
    ///   - mayBeLogin: Whether a login may begin in the value and end in it or after it.
    /// - Returns: A number of bytes; 0 for a value that is hidden.
    static func length(
        of text: ArraySlice<UInt8>,
        at place: ValuePlace,
        names: Set<String>,
        isSpan: Bool,
        mayBeLogin: Bool
    ) -> Int {
        let isSpan = isSpan && !mayBeLogin
        if isSpan, place.takesCapture, text.first == UInt8(ascii: "/"), behindPath(text).isEmpty {
            return text.count
        }
        guard !place.isCredential else { return 0 }
        if place.isSource, place.key == "env" {
            return text.allSatisfy(isCapital) ? text.count : 0
        }
        if isNumber(text) || isChoice(text) || isSpan && place.isChoice { return text.count }
        // Beside a credential, only text that looks like a host or a path is shown.
        let isExchanged = place.isBesideCredential && !text.contains { "./".utf8.contains($0) }
        guard place.isKnown, !isExchanged else { return 0 }
        if place.isURL { return lengthOfURL(text, mayBeLogin) }
        if place.isFixed {
            return isSpan || text.allSatisfy(isFixed) || isNumberAndUnit(text) ? text.count : 0
        }
        if place.takesSettings { return isSpan && !text.contains(32) ? text.count : 0 }
        let isShown = isSpan || names.contains(String(decoding: text, as: UTF8.self))
        return isShown && freeKeys.contains(place.key) ? text.count : 0
    }

    /// The shown bytes at the beginning of a word after a key of a file that is no YAML, where the
    /// key may belong to a form or a body.
    static func length(of word: ArraySlice<UInt8>, behind key: String, mayBeLogin: Bool) -> Int {
        let words = LanguageWords.ofJobFiles
        if !word.isEmpty, expression(in: word)?.count == word.count { return word.count }
        guard words.keys.contains(key), !SecretName.isOne(key) else { return 0 }
        // The scheme and the host of a webhook are no secret, either.
        if words.urlKeys.contains(key) { return lengthOfOrigin(word, mayBeLogin) }
        guard !words.secretKeys.contains(key) else { return 0 }
        if key == "env" { return word.allSatisfy(isCapital) ? word.count : 0 }
        let isShown = isChoice(word) || words.numberKeys.contains(key) && isNumber(word)
        return isShown ? word.count : 0
    }

    /// Whether a key looks like a name: of a header field, a variable, a task.
    static func isName(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= SecretName.longest
            && key.utf8.allSatisfy {
                $0.isUnreserved || $0 >= 0x80 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: " ")
            }
    }

    /// Whether a word is a number of few digits, perhaps with a unit.
    static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let unit = word[digits.endIndex...]
        return (1...6).contains(digits.count) && unit.count <= 3
            && unit.allSatisfy(\.isAlpha)
    }

    /// Whether all expressions of a text are without a fallback.
    static func hasNoFallback(_ text: ArraySlice<UInt8>) -> Bool {
        text.indices.allSatisfy { index in
            !text[index...].starts(with: "${".utf8) || expression(in: text[index...]) != nil
        }
    }

    /// The expression without a fallback at the beginning of a text, also one with a pair of braces
    /// or blanks too many; nil for another text.
    static func expression(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.starts(with: "${".utf8) || text.starts(with: "{{".utf8) else { return nil }
        var rest = text.dropFirst(2)
        var closing = "}"
        if text.first == UInt8(ascii: "{") || rest.first == UInt8(ascii: "{") {
            closing = "}}"
            if text.first != UInt8(ascii: "{") { rest.removeFirst() }
        }
        rest = rest.drop(while: \.isBlank)
        if rest.starts(with: "raw:".utf8) { rest = rest.dropFirst(4) }
        let space = rest.prefix(SecretName.longest).prefix(while: \.isAlpha)
        rest = rest[space.endIndex...]
        if rest.first == UInt8(ascii: "."), !space.isEmpty {
            // The name of an environment variable has no hyphen: a fallback may follow it.
            let isOfEnvironment = space.prefix(3).map { $0 | 0x20 }.elementsEqual("env".utf8)
            let name = rest.dropFirst().prefix(SecretName.longest).prefix {
                $0.isUnreserved && !(isOfEnvironment && $0 == UInt8(ascii: "-"))
            }
            guard !name.isEmpty else { return nil }
            rest = rest[name.endIndex...]
        } else if !namespaces.contains(where: { $0.elementsEqual(space) }) {
            return nil
        }
        rest = rest.drop(while: \.isBlank)
        guard rest.starts(with: closing.utf8) else { return nil }
        return text[..<(rest.startIndex + closing.utf8.count)]
    }

    /// The beginning of an expression with a fallback, up to the fallback; nil for another text.
    static func expressionHead(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let name = text.prefix(SecretName.longest).prefix { !":}\n".utf8.contains($0) }
        let sign = text[name.endIndex...].prefix(2)
        guard [":-", ":?", ":="].contains(where: { sign.elementsEqual($0.utf8) }),
            expression(in: Array(name + "}".utf8)[...]) != nil
        else { return nil }
        return text[..<sign.endIndex]
    }

    /// The bytes of a URL that are shown: its scheme; and its host, port and path if no login can
    /// be among them, also one with a mistyped `@` or with a slash.
    ///
    /// An expression may replace the scheme and the host. The scheme may be missing or have wrong
    /// signs after it.
    static func lengthOfURL(_ text: ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int {
        var rest = text
        if let expression = expression(in: text) {
            rest = text[expression.endIndex...]
        } else {
            let quote = ["“", "‘"].first { text.starts(with: $0.utf8) }?.utf8.count ?? 0
            let bare = text.dropFirst(quote)
            let letters = bare.prefix(8).prefix(while: \.isAlpha)
            let signs = bare[letters.endIndex...].prefix { ":/".utf8.contains($0) }
            let scheme = String(decoding: letters, as: UTF8.self).lowercased()
            let hasScheme =
                !signs.isEmpty && ["http", "https", "ws", "wss"].contains(scheme)
                || signs.elementsEqual("://".utf8)
            let host = hasScheme ? bare[signs.endIndex...] : bare
            let name = host.prefix(while: \.isUnreserved)
            guard hasScheme || name.contains(UInt8(ascii: ".")) else {
                return host.first == UInt8(ascii: "/") && !mayBeLogin && !endsLogin(host)
                    ? behindPath(host).startIndex - text.startIndex : 0
            }
            guard !mayBeLogin, let behind = behindHost(host), !endsLogin(behind) else {
                return hasScheme ? host.startIndex - text.startIndex : 0
            }
            rest = behind
        }
        if rest.first == UInt8(ascii: "/"), !endsLogin(rest) { rest = behindPath(rest) }
        return rest.startIndex - text.startIndex
    }

    private static func lengthOfOrigin(_ word: ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int {
        let shown = word.prefix(lengthOfURL(word, mayBeLogin))
        if let expression = expression(in: shown) { return expression.count }
        guard let slashes = shown.firstRange(of: Array("://".utf8)) else { return 0 }
        let host = shown[slashes.upperBound...]
        return host.prefix { $0 != UInt8(ascii: "/") }.endIndex - word.startIndex
    }

    /// The text after a host and its port; nil if neither the text's end nor a path, query or
    /// fragment is there: then the host may be a login.
    private static func behindHost(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        var rest = host.drop { $0.isUnreserved || $0 == UInt8(ascii: "*") }
        if rest.first == UInt8(ascii: ":") {
            let digits = rest.dropFirst().prefix(while: \.isDigit)
            guard digits.count <= 5 else { return nil }
            rest = rest[digits.endIndex...]
        }
        return rest.first.map { "/?#".utf8.contains($0) } ?? true ? rest : nil
    }

    /// Whether a path has a sign that ends a login, written in any way, and text like a host after
    /// it: then the login has a slash.
    private static func endsLogin(_ path: ArraySlice<UInt8>) -> Bool {
        path.indices.contains { index in
            let sign = ["@", "%40", "\u{FF20}", "\u{FE6B}"].first {
                path[index...].starts(with: $0.utf8)
            }
            guard let sign else { return false }
            let host = path[index...].dropFirst(sign.utf8.count)
            let name = host.prefix(while: \.isUnreserved)
            return name.contains(UInt8(ascii: ".")) || name.elementsEqual("localhost".utf8)
        }
    }

    /// The text after a path of plain characters, expressions and scopes of packages
    /// (`/@scope/name`).
    ///
    /// An encoded sign ends the path if the text after the sign is hidden.
    private static func behindPath(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var rest = text
        var last: UInt8 = 0
        while let byte = rest.first {
            if let expression = expression(in: rest) {
                rest = rest[expression.endIndex...]
            } else if beginsEncodedSign(rest) {
                break
            } else if byte.isUnreserved || "/%+*".utf8.contains(byte)
                || byte == UInt8(ascii: "@") && last == UInt8(ascii: "/")
            {
                rest.removeFirst()
            } else {
                break
            }
            last = byte
        }
        return rest
    }

    /// Whether a text begins with an encoded `?`, `#`, `=`, `&`, `;`, or with an encoded `%`.
    private static func beginsEncodedSign(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "%") else { return false }
        let digits = String(decoding: text.dropFirst().prefix(2), as: UTF8.self).uppercased()
        return ["3F", "23", "3D", "26", "3B", "25"].contains(digits)
    }

    /// Whether a word is a choice of the language's keys, or YAML does not take it for text.
    private static func isChoice(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count <= SecretName.longest else { return false }
        let word = String(decoding: word, as: UTF8.self)
        return ["true", "false", "null"].contains(word)
            || LanguageWords.ofJobFiles.choices.contains(word)
    }

    /// Whether a text is a number, a blank and a unit.
    private static func isNumberAndUnit(_ text: ArraySlice<UInt8>) -> Bool {
        let words = text.split(separator: 32, omittingEmptySubsequences: false)
        return words.count == 2 && isNumber(words[0]) && words[1].count <= 8
            && words[1].allSatisfy { $0.isAlpha || $0 == UInt8(ascii: "/") }
    }

    /// Whether values of a fixed form, such as times, checksums and media types, may have a byte.
    private static func isFixed(_ byte: UInt8) -> Bool {
        byte.isUnreserved || ":/%+*".utf8.contains(byte)
    }

    /// Whether a usual name of an environment variable may have a byte: capitals, digits and `_`.
    private static func isCapital(_ byte: UInt8) -> Bool {
        byte.isUppercase || byte.isDigit || byte == UInt8(ascii: "_")
    }
}
