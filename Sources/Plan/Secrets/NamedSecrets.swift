internal import SystemKit
internal import TransferModel

/// Finds the values behind names of secrets in a text: `token=…` as in queries and forms,
/// `"token": …` as in JSON, `token: …` at the beginning of a line or of an entry in braces, and
/// `--token …` and `-u name:…` as in commands.
///
/// A value ends only where it surely does: at the `&` of a query or form, and at the quote of a
/// string in JSON. Any other one goes to the end of the text. Expressions and the placeholders
/// `{{ … }}` are units: no sign in them ends a value.
enum NamedSecrets {
    /// Bytes of the longest user name before the colon of a login.
    private static let longestUser = 256

    /// Whether a line names a program whose options hold logins and cookies.
    static func isCommand(_ line: Span<UInt8>) -> Bool {
        let names: [[UInt8]] = [Array("curl".utf8), Array("wget".utf8)]
        return line.indices.dropLast(3).contains { start in
            names.contains { name in (0..<4).allSatisfy { line[start + $0] == name[$0] } }
        }
    }

    /// The values in a text, UTF-8 offsets, ascending and apart.
    static func ranges(in text: Span<UInt8>) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var index = 0
        var units = Units()
        // Whether only blanks and the dash of a list stand before the index in its line or entry.
        var isEntryStart = true
        while index < text.count {
            if let end = units.end(in: text, at: index) {
                index = end
                isEntryStart = false
                continue
            }
            let byte = text[index]
            let isDash =
                isEntryStart && byte == UInt8(ascii: "-") && index + 1 < text.count
                && isBlank(text[index + 1])
            guard isNameByte(byte), !isDash else {
                isEntryStart =
                    beginsEntry(byte) || isEntryStart && (isBlank(byte) || isDash)
                index += 1
                continue
            }
            let start = index
            while index < text.count, isNameByte(text[index]) { index += 1 }
            if let value = value(behind: start..<index, isEntryStart, in: text, &units) {
                if !value.isEmpty { ranges.append(value) }
                index = max(index, value.upperBound)
            }
            isEntryStart = false
        }
        return ranges
    }

    /// The credentials of a text that is a scheme and a token, such as `Bearer 2YotnFZFEjr1zCsic`,
    /// whatever its name (RFC 9110 §11.4); nil for any other text.
    static func credentials(in text: String) -> Range<Int>? {
        let bytes = text.utf8.span
        guard let end = bytes.indices.first(where: { isBlank(bytes[$0]) }), end < 8 else {
            return nil
        }
        let start = behindBlanks(end, in: bytes)
        guard SecretName.isScheme(text.slice(0..<end) + " "),
            SecretScan.isLastWord(from: start, in: bytes)
        else { return nil }
        return start..<bytes.count
    }

    /// The texts of the values that are not only names of variables: literals, and the fallbacks of
    /// expressions; of each also the first word, which may be all of the secret.
    static func texts(in text: String) -> [String] {
        places(in: text).flatMap { range in
            RevealingText(String(text.slice(range))).parts.flatMap(words)
        }
    }

    private static func places(in text: String) -> [Range<Int>] {
        if let credentials = credentials(in: text) { return [credentials] }
        guard let login = ProtocolLogin.range(in: text.utf8.span) else {
            return ranges(in: text.utf8.span)
        }
        return ranges(in: text.slice(0..<login.lowerBound).utf8.span) + [login]
    }

    /// A text and its first word.
    static func words(of text: String) -> [String] {
        let ends: Set<Character> = [" ", "\t", "\n", "\r", "\"", "'", "`", ",", ";", "#", "}", "]"]
        let word = text.drop { ends.contains($0) }.prefix { !ends.contains($0) }
        return word.utf8.count == text.utf8.count ? [text] : [text, String(word)]
    }

    /// A text with the mark in the place of those texts.
    static func redacted(_ text: String) -> String {
        var result = ""
        var end = 0
        for range in places(in: text) {
            let value = String(text.slice(range))
            guard RevealingText(value).isRevealing else { continue }
            result += withoutNamed(text.slice(end..<range.lowerBound))
            let template = Template(value)
            let part =
                template.faults.isEmpty
                ? template.pieces.map { shown($0, of: value) }.joined() : Secret.mark
            if part != Secret.mark || !result.hasByteSuffix(Secret.mark) { result += part }
            end = range.upperBound
        }
        return result + withoutNamed(text.slice(end..<text.utf8.count))
    }

    /// A stretch of a text with the mark in the place of a value behind another sign than `=`.
    private static func withoutNamed(_ text: Substring) -> String {
        let text = String(text)
        guard let value = SecretScan.value(in: text, .value) else { return text }
        return text.slice(0..<value.lowerBound) + Secret.mark
    }

    private static func shown(_ piece: Template.Piece, of value: String) -> String {
        switch piece {
        case .literal(let literal): SecretName.isScheme(literal) ? literal : Secret.mark
        case .expression(let expression): expression.writtenWithoutFallback(in: value)
        }
    }

    /// The value behind a name; nil unless the name is that of a secret and a value belongs to it.
    private static func value(
        behind name: Range<Int>,
        _ isEntryStart: Bool,
        in text: Span<UInt8>,
        _ units: inout Units
    ) -> Range<Int>? {
        guard name.count <= SecretName.longest, name.upperBound < text.count else { return nil }
        switch text[name.upperBound] {
        case UInt8(ascii: "="):
            guard
                isSecret(name, in: text) || isLoginOption(name, before: name.upperBound, in: text)
            else { return nil }
            return value(from: name.upperBound + 1, in: text, &units) { $0 == UInt8(ascii: "&") }
        case UInt8(ascii: ":") where isEntryStart:
            // curl's option for a login, with its value: `-ubob:…`.
            if text[name.lowerBound] == UInt8(ascii: "-"), name.count > 2,
                SecretName.isLoginOption(string(name.lowerBound..<name.lowerBound + 2, in: text))
            {
                return name.lowerBound + 2..<text.count
            }
            guard isSecret(name, in: text) else { return nil }
            return behindBlanks(name.upperBound + 1, in: text)..<text.count
        case UInt8(ascii: "&") where isParameter(name, in: text) && isSecret(name, in: text):
            return wordBehind(name.upperBound + 1, in: text)
        case let sign where isQuote(sign) || sign == UInt8(ascii: "\\"):
            return member(behind: name, in: text, &units)
        case let blank where isBlank(blank): return spaced(behind: name, isEntryStart, in: text)
        default: return nil
        }
    }

    /// Whether a name is a whole parameter of a query.
    private static func isParameter(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        guard name.lowerBound > 0 else { return false }
        let before = text[name.lowerBound - 1]
        return before == UInt8(ascii: "?") || before == UInt8(ascii: "&")
    }

    /// The word up to the next parameter or the end; nil for a parameter with a value of its own.
    private static func wordBehind(_ start: Int, in text: Span<UInt8>) -> Range<Int>? {
        var end = start
        while end < text.count, text[end] != UInt8(ascii: "&"), text[end] != UInt8(ascii: "#"),
            !isBlank(text[end])
        {
            if text[end] == UInt8(ascii: "=") { return nil }
            end += 1
        }
        return end > start ? start..<end : nil
    }

    /// The value behind a name and blanks: that of an option, or one whose sign follows the blanks.
    private static func spaced(
        behind name: Range<Int>,
        _ isEntryStart: Bool,
        in text: Span<UInt8>
    ) -> Range<Int>? {
        let index = behindBlanks(name.upperBound, in: text)
        guard index < text.count else { return nil }
        if text[name.lowerBound] == UInt8(ascii: "-") {
            guard isSecret(name, in: text) || isLoginOption(name, before: index, in: text) else {
                return nil
            }
            return index..<text.count
        }
        let isSign = text[index] == UInt8(ascii: "=") || text[index] == UInt8(ascii: ":")
        guard isEntryStart, isSign, isSecret(name, in: text) else { return nil }
        return behindBlanks(index + 1, in: text)..<text.count
    }

    /// Whether a name is curl's option for a login and a login with a password follows it.
    private static func isLoginOption(
        _ name: Range<Int>,
        before start: Int,
        in text: Span<UInt8>
    ) -> Bool {
        guard SecretName.isLoginOption(string(name, in: text)) else { return false }
        var index = start
        while index < min(text.count, start + longestUser), !isBlank(text[index]) {
            if text[index] == UInt8(ascii: ":") { return true }
            index += 1
        }
        return false
    }

    /// The value of a member of a JSON object, whose quotes may be escaped themselves.
    private static func member(
        behind name: Range<Int>,
        in text: Span<UInt8>,
        _ units: inout Units
    ) -> Range<Int>? {
        var index = name.upperBound
        if text[index] == UInt8(ascii: "\\") { index += 1 }
        guard index < text.count, isQuote(text[index]), name.lowerBound > 0,
            text[name.lowerBound - 1] == text[index]
        else { return nil }
        index = behindBlanks(index + 1, in: text)
        guard index < text.count, isSecret(name, in: text),
            // A comma in the place of the first member's colon; a list has names without values.
            text[index] == UInt8(ascii: ":")
                || text[index] == UInt8(ascii: ",") && isFirstMember(name, in: text)
        else { return nil }
        index = behindBlanks(index + 1, in: text)
        if let quoted = quoted(at: index, in: text) { return quoted }
        if index < text.count, text[index] == UInt8(ascii: "[") || text[index] == UInt8(ascii: "{")
        {
            return index..<text.count
        }
        return value(from: index, in: text, &units) { byte in
            byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "\n")
        }
    }

    /// Whether the brace of an object stands before a quoted name.
    private static func isFirstMember(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        var index = name.lowerBound - 1
        if index > 0, text[index - 1] == UInt8(ascii: "\\") { index -= 1 }
        while index > 0, isBlank(text[index - 1]) { index -= 1 }
        return index > 0 && text[index - 1] == UInt8(ascii: "{")
    }

    /// The text between the quotes that begin at an index; nil when none begin there.
    private static func quoted(at index: Int, in text: Span<UInt8>) -> Range<Int>? {
        var start = index
        let isEscaped = start < text.count && text[start] == UInt8(ascii: "\\")
        if isEscaped { start += 1 }
        guard start < text.count, isQuote(text[start]) else { return nil }
        let quote = text[start]
        var end = start + 1
        while end < text.count, text[end] != quote {
            if text[end] == UInt8(ascii: "\\"), end + 1 < text.count {
                if isEscaped, text[end + 1] == quote { break }
                end += 1
            }
            end += 1
        }
        return start + 1..<min(end, text.count)
    }

    private static func value(
        from start: Int,
        in text: Span<UInt8>,
        _ units: inout Units,
        endedBy isEnd: (UInt8) -> Bool
    ) -> Range<Int> {
        var end = start
        while end < text.count, !isEnd(text[end]) { end = units.end(in: text, at: end) ?? end + 1 }
        return start..<max(start, end)
    }

    /// Finds the ends of expressions and placeholders, in linear time where nothing closes them.
    private struct Units {
        /// Up to where no `}` and no `}}` close one.
        private var unclosed = (one: 0, two: 0)

        /// The end of the expression or the placeholder that begins at an index; nil when none
        /// does.
        mutating func end(in text: Span<UInt8>, at index: Int) -> Int? {
            guard index + 1 < text.count, text[index + 1] == UInt8(ascii: "{") else { return nil }
            let braces: Int
            switch text[index] {
            case UInt8(ascii: "$") where index >= unclosed.one: braces = 1
            case UInt8(ascii: "{") where index >= unclosed.two: braces = 2
            default: return nil
            }
            var end = index + 2
            while end < text.count, text[end] != UInt8(ascii: "\n") {
                if text[end] == UInt8(ascii: "}"),
                    braces == 1 || end + 1 < text.count && text[end + 1] == UInt8(ascii: "}")
                {
                    return end + braces
                }
                end += 1
            }
            if braces == 1 { unclosed.one = end } else { unclosed.two = end }
            return nil
        }
    }

    private static func behindBlanks(_ index: Int, in text: Span<UInt8>) -> Int {
        var index = index
        while index < text.count, isBlank(text[index]) { index += 1 }
        return index
    }

    private static func isSecret(_ name: Range<Int>, in text: Span<UInt8>) -> Bool {
        let name = string(name, in: text)
        // curl's option with its value: `-HAuthorization: …`.
        return SecretName.isOne(name)
            || name.hasBytePrefix("-H") && SecretName.isOne(String(name.dropFirst(2)))
    }

    private static func string(_ name: Range<Int>, in text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in name { bytes.append(text[index]) }
        return String(decoding: PercentCoding.decodeLeniently(bytes), as: UTF8.self)
    }

    /// Whether an entry of a text begins behind a sign: behind a quotation mark also a header field
    /// in a command, and behind `=` the value of an option.
    private static func beginsEntry(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "{"), UInt8(ascii: ","), UInt8(ascii: "="),
            UInt8(ascii: "'"), UInt8(ascii: "\""):
            true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
            UInt8(ascii: "%"), UInt8(ascii: "["), UInt8(ascii: "]"):
            true
        default: false
        }
    }

    private static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") || byte == UInt8(ascii: "`")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}
