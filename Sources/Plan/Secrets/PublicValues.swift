internal import Diagnostics
internal import TransferModel

/// Knows the values that are shown of a job file, by their keys.
enum PublicValues {
    /// Keys whose values are paths, ids and names.
    private static let paths: Set<String> = [
        "allowsReadAccessTo", "caFile", "certificate", "csv", "directory", "extract", "fifo",
        "file", "fileName", "fromFile", "glob", "har", "host", "html", "identifier", "jsonLines",
        "junit", "key", "knownHosts", "lines", "name", "needs", "pac", "privateKey", "prometheus",
        "responseTo", "session", "to",
    ]
    /// Bytes of the longest text that is too short for a secret.
    private static let longestHarmless = 3
    /// Bytes of the longest subprotocol that is shown; the usual ones are shorter.
    private static let longestProtocol = 20
    /// Keys whose values are patterns.
    private static let patterns: Set<String> = ["matches", "pattern", "pointer", "regex"]

    /// The bytes at the beginning of a word which are shown behind a key of a file that is no YAML:
    /// the whole word or, of a URL, the part before its path.
    ///
    /// A path or a name is hidden: the key may be one of a form or of a body, where it means
    /// something else.
    ///
    /// - Parameters:
    ///   - word: The text behind the key up to a blank or a sign of YAML.
    ///   - key: The key.
    ///   - mayBeLogin: Whether a login may begin in the word and end behind it.
    /// - Returns: A number of bytes; 0 for a word that is hidden.
    static func length(of word: ArraySlice<UInt8>, behind key: String, mayBeLogin: Bool) -> Int {
        let words = LanguageWords.ofJobFiles
        // An expression alone is a name, whatever its value.
        if !word.isEmpty, expression(in: word)?.count == word.count { return word.count }
        // The name of an anchor: a slip of a secret is not behind any other key.
        if let first = word.first, first == UInt8(ascii: "*") || first == UInt8(ascii: "&"),
            word.dropFirst().allSatisfy(isPlain), !SecretName.isOne(key)
        {
            return word.count
        }
        guard words.keys.contains(key), !SecretName.isOne(key) else { return 0 }
        // The scheme and the host of a webhook are no secret, either.
        if words.urlKeys.contains(key) { return lengthOfOrigin(word, mayBeLogin) }
        guard !words.secretKeys.contains(key) else { return 0 }
        if key == "env" { return word.allSatisfy(isCapital) ? word.count : 0 }
        let isShown =
            words.numberKeys.contains(key) && isNumber(word)
            || ["true", "false"].contains { word.elementsEqual($0.utf8) }
            || word.count <= SecretName.longest
                && words.choices.contains(String(decoding: word, as: UTF8.self))
        return isShown ? word.count : 0
    }

    /// The bytes at the beginning of a value that are shown of a file which is YAML.
    ///
    /// A wrong value is shown, too, if its key has none that are secret: the author looks for the
    /// mistake there.
    ///
    /// - Parameters:
    ///   - text: The value.
    ///   - shape: What the value's place accepts; anything, if the language does not know its key.
    ///   - key: The key.
    ///   - isKnown: Whether the key is one of the language.
    ///   - mayBeLogin: Whether a login may begin in the value and end in it or behind it.
    /// - Returns: A number of bytes; 0 for a value that is hidden.
    static func length(
        ofValue text: ArraySlice<UInt8>,
        of shape: Shape,
        behind key: String,
        isKnown: Bool,
        mayBeLogin: Bool
    ) -> Int {
        if !text.isEmpty, expression(in: text)?.count == text.count { return text.count }
        // A pointer in the place of a capture.
        if shape.isMapping, !shape.isAnything, !shape.holdsCredentials,
            text.first == UInt8(ascii: "/"), plainPath(text).isEmpty
        {
            return text.count
        }
        guard !shape.isCredential, !SecretName.isOne(key) else { return 0 }
        if text.count <= longestHarmless || isNumber(text) || isChoice(text) {
            return text.count
        }
        guard isKnown else { return 0 }
        if shape.isURL || LanguageWords.ofJobFiles.urlKeys.contains(key)
            || paths.contains(key) && text.isURL
        {
            return lengthOfAddress(text, mayBeLogin)
        }
        switch shape.disclosure {
        // Some servers of WebSockets take a token in the place of a subprotocol.
        case .fixed where key == "protocols" && text.count > longestProtocol: return 0
        case .fixed: return lengthOfNumber(text) ?? text.prefix(while: isFixed).count
        case .free where patterns.contains(key): return text.count
        case .free where paths.contains(key):
            return text.count - plainPath(text, isPlain: { isPlain($0) || $0 >= 0x80 }).count
        case .free:
            // A body's file in the place of the body.
            let isFile =
                key == "json" && [".json", ".yaml", ".yml"].contains { text.hasEnding($0) }
            let path = text.first == UInt8(ascii: "@") ? text.dropFirst() : text
            return isFile && plainPath(path).isEmpty ? text.count : 0
        }
    }

    /// Whether all texts are shown that stand behind a key of the language.
    static func hasPublicTexts(_ shape: Shape, behind key: String) -> Bool {
        shape.disclosure == .fixed || paths.contains(key) || patterns.contains(key)
    }

    /// A name that the job chose, or a JSON pointer, if it looks like one.
    static func shownName(_ name: String) -> String {
        let isShown =
            !name.isEmpty && name.utf8.count <= SecretName.longest
            && name.utf8.allSatisfy { isPlain($0) || $0 >= 0x80 || $0 == UInt8(ascii: "/") }
        return isShown ? name : Secret.mark
    }

    /// A URL without the tokens that some services take behind a colon in its path:
    /// `/bot123:token/send`.
    static func withoutTokens(_ url: String) -> String {
        let bytes = Array(url.utf8)
        guard bytes[...].isURL else { return url }
        var shown: [UInt8] = []
        var slashes = 0
        var index = 0
        while index < bytes.count, bytes[index] != UInt8(ascii: "?") {
            if bytes[index] == UInt8(ascii: "/") { slashes += 1 }
            shown.append(bytes[index])
            index += 1
            guard slashes > 2, bytes[index - 1] == UInt8(ascii: ":") else { continue }
            let token = bytes[index...].prefix(while: isPlain)
            guard token.count >= 16 else { continue }
            shown += Array(Secret.mark.utf8)
            index = token.endIndex
        }
        return String(decoding: shown + bytes[index...], as: UTF8.self)
    }

    /// Whether a text is the name or the path of a program.
    static func isProgram(_ text: String) -> Bool {
        plainPath(Array(text.utf8)[...]).isEmpty
    }

    /// The name of an option such as `--verbose`, alone or before its value; nil for another text.
    ///
    /// The letters behind a single hyphen may be a password: `-psecret`.
    static func option(in text: String) -> String? {
        let name = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        let letters = name.drop { $0 == UInt8(ascii: "-") }
        let hyphens = name.count - letters.count
        let isOption =
            hyphens == 2 && letters.count <= SecretName.longest
            || hyphens == 1 && letters.count == 1 && name.count == text.utf8.count
        guard isOption, letters.first.map({ (97...122).contains($0 | 0x20) }) == true,
            letters.allSatisfy({
                (97...122).contains($0) || $0 == UInt8(ascii: "-") || hyphens == 1
            })
        else { return nil }
        return String(name)
    }

    /// The bytes that are shown of a key without a blank behind its colon: `url:https://…`.
    static func length(ofJoined key: String, in shape: Shape, mayBeLogin: Bool) -> Int? {
        let text = Array(key.utf8)[...]
        guard let colon = text.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: text[..<colon], as: UTF8.self)
        guard shape.knows(name) else { return nil }
        let value = text[(colon + 1)...]
        let place = shape.value(of: name) ?? .anything
        return colon + 1
            + length(
                ofValue: value,
                of: place,
                behind: name,
                isKnown: true,
                mayBeLogin: mayBeLogin
            )
    }

    /// Whether a key looks like a name: of a header field, a variable, a task.
    static func isName(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= SecretName.longest
            && key.utf8.allSatisfy {
                isPlain($0) || $0 >= 0x80 || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: " ")
            }
    }

    /// Whether a key is probably one of the language, perhaps misspelled.
    static func isNearKey(_ key: String) -> Bool {
        let keys = LanguageWords.ofJobFiles.keys
        return keys.contains(key) || NearestName.find(key, among: keys.sorted()) != nil
    }

    /// Whether a word is one that keys of the language choose, or that YAML does not take for text.
    private static func isChoice(_ word: ArraySlice<UInt8>) -> Bool {
        word.count <= SecretName.longest
            && (["true", "false", "null"].contains { word.elementsEqual($0.utf8) }
                || LanguageWords.ofJobFiles.choices.contains(String(decoding: word, as: UTF8.self)))
    }

    /// The bytes of a number, a blank and a unit; nil for another text.
    private static func lengthOfNumber(_ text: ArraySlice<UInt8>) -> Int? {
        let words = text.split(separator: 32, omittingEmptySubsequences: false)
        guard words.count == 2, isNumber(words[0]), words[1].count <= 8,
            words[1].allSatisfy({ (65...90).contains($0 & 0xDF) || $0 == UInt8(ascii: "/") })
        else { return nil }
        return text.count
    }

    /// Of a URL, or of what stands in its place, the part before anything that may be a secret.
    private static func lengthOfAddress(_ text: ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int {
        if text.isURL || expression(in: text) != nil { return lengthOfURL(text, mayBeLogin) }
        guard !mayBeLogin else { return 0 }
        let quote = ["“", "‘"].first { text.starts(with: $0.utf8) }?.utf8.count ?? 0
        var host = text.dropFirst(quote)
        for scheme in ["https:", "http:"] where host.starts(with: scheme.utf8) {
            host = host.dropFirst(scheme.utf8.count).drop { $0 == UInt8(ascii: "/") }
            break
        }
        guard let path = behindHost(host) else { return 0 }
        return text.count - (path.first == UInt8(ascii: "/") ? plainPath(path) : path).count
    }

    /// Whether a byte stands in values of a fixed form, such as times, checksums and media types.
    private static func isFixed(_ byte: UInt8) -> Bool {
        isPlain(byte) || [":", "/", "%", "+", "*"].contains { byte == UInt8(ascii: $0) }
    }

    /// The expression without a fallback at the beginning of a text.
    static func expression(in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.starts(with: "${".utf8) else { return nil }
        let name = text.dropFirst(2).prefix(SecretName.longest).prefix(while: isPlain)
        guard name.endIndex < text.endIndex, text[name.endIndex] == UInt8(ascii: "}")
        else { return nil }
        return text[...name.endIndex]
    }

    /// Whether a byte stands in names of environment variables as they are usually written.
    private static func isCapital(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, UInt8(ascii: "_"): true
        default: false
        }
    }

    /// Whether a word is a number of few digits, perhaps with a unit.
    static func isNumber(_ word: ArraySlice<UInt8>) -> Bool {
        let digits = word.prefix { (48...57).contains($0) || $0 == UInt8(ascii: ".") }
        let unit = word[digits.endIndex...]
        return (1...6).contains(digits.count) && unit.count <= 3
            && unit.allSatisfy { (65...90).contains($0 & 0xDF) }
    }

    /// The scheme; and the host, port and path if no login can be among them.
    private static func lengthOfURL(_ word: ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int {
        var rest = word
        if let expression = expression(in: word) {
            rest = word[expression.endIndex...]
        } else {
            let scheme = word.prefix(8).prefix { (97...122).contains($0 | 0x20) }
            guard word[scheme.endIndex...].starts(with: "://".utf8) else { return 0 }
            let host = word[(scheme.endIndex + 3)...]
            guard !mayBeLogin, let behind = behindHost(host) else { return scheme.count + 3 }
            rest = behind
        }
        return (rest.first == UInt8(ascii: "/") ? plainPath(rest) : rest).startIndex
            - word.startIndex
    }

    /// The scheme; and the host and port if no login can be among them.
    private static func lengthOfOrigin(_ word: ArraySlice<UInt8>, _ mayBeLogin: Bool) -> Int {
        let length = lengthOfURL(word, mayBeLogin)
        let shown = word.prefix(length)
        if let expression = expression(in: shown) { return expression.count }
        guard let colon = shown.firstIndex(of: UInt8(ascii: ":")) else { return length }
        let host = shown[(colon + 3)...]
        return host.prefix { $0 != UInt8(ascii: "/") }.endIndex - word.startIndex
    }

    /// The text behind a host and its port; nil if the text behind its colon is no port.
    private static func behindHost(_ host: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        let rest = host.drop(while: isPlain)
        guard rest.first == UInt8(ascii: ":") else { return rest }
        let digits = rest.dropFirst().prefix { (48...57).contains($0) }
        let behind = rest[digits.endIndex...]
        let isPort = digits.count <= 5 && (behind.isEmpty || behind.first == UInt8(ascii: "/"))
        return isPort ? behind : nil
    }

    /// The text behind a path of plain characters and expressions.
    private static func plainPath(
        _ text: ArraySlice<UInt8>,
        isPlain: (UInt8) -> Bool = isPlain
    ) -> ArraySlice<UInt8> {
        var rest = text
        while let byte = rest.first {
            if isPlain(byte) || byte == UInt8(ascii: "/") || isScope(rest, of: text) {
                rest.removeFirst()
            } else if let expression = expression(in: rest) {
                rest = rest[expression.endIndex...]
            } else {
                break
            }
        }
        return rest
    }

    /// Whether the `@` of a scope of packages begins a text: `/@scope/name`.
    private static func isScope(_ rest: ArraySlice<UInt8>, of text: ArraySlice<UInt8>) -> Bool {
        rest.first == UInt8(ascii: "@") && rest.startIndex > text.startIndex
            && text[rest.startIndex - 1] == UInt8(ascii: "/")
    }

    static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"): true
        default: false
        }
    }
}

/// How much of the texts that a place of the language accepts is shown.
private enum Disclosure {
    /// They have a form, or are chosen from some.
    case fixed
    /// They are any texts.
    case free
}

extension Shape {
    fileprivate var disclosure: Disclosure {
        switch self {
        case .boolean, .integer, .number, .choice: .fixed
        case .text(let pattern): pattern == nil ? .free : .fixed
        case .either(.mapping, let one), .either(let one, .mapping): one.disclosure
        case .either(let one, let other):
            one.disclosure == .fixed && other.disclosure == .fixed ? .fixed : .free
        case .oneOrMore(let one), .list(let one), .nonEmptyList(let one), .tuple(let one, _):
            one.disclosure
        case .mapping, .variants, .credential, .named, .someNamed, .scalar, .anything: .free
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether it begins with a scheme.
    fileprivate var isURL: Bool {
        self[prefix(8).prefix { (97...122).contains($0 | 0x20) }.endIndex...]
            .starts(with: "://".utf8)
    }

    fileprivate func hasEnding(_ text: String) -> Bool {
        suffix(text.utf8.count).map { $0 | 0x20 }.elementsEqual(text.utf8)
    }
}
