internal import Diagnostics
internal import SystemKit

/// Finds the first value behind the name of a secret in a text, whatever sign, blank or slip stands
/// between the two: `Authorization Bearer hunter2`, `password = hunter2`, `"token"; "hunter2"`.
enum SecretScan {
    /// What a text is.
    enum Place {
        /// A value that the file's language does not take apart.
        case value
        /// A line of a file that is no YAML.
        case line
        /// A text where a name and a value should be, such as a key whose colon is missing.
        case entry
        /// A line where only a command can hold a secret, behind an option.
        case source
    }

    /// Bytes of the longest user name before the colon of a login.
    private static let longestUser = 256

    /// The value in a text, up to the text's end.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - place: What the text is: the more it looks like an entry, the less is needed between a
    ///     name and its value.
    /// - Returns: UTF-8 offsets of the value without the blanks and signs in front of it; nil
    ///   without a value that reveals more than names.
    static func value(in text: String, _ place: Place) -> Range<Int>? {
        value(in: text.utf8.span, place)
    }

    /// The value in a text that may have bytes that are no UTF-8.
    static func value(in bytes: Span<UInt8>, _ place: Place) -> Range<Int>? {
        var index = 0
        // Whether an entry begins at the index, apart from blanks and quotation marks.
        var isStart = true
        var unclosed = 0
        while index < bytes.count {
            if let unit = BracedUnit(in: bytes, at: index, &unclosed) {
                if unit.isSecret {
                    if isRevealing(index..<unit.end, in: bytes) { return index..<bytes.count }
                    // A brace too early: `${env.PW}:-x}`.
                    if isFallback(at: unit.end, in: bytes) { return unit.end..<bytes.count }
                }
                index = unit.end
                isStart = false
                continue
            }
            guard isNameByte(bytes[index]), !isDash(at: index, in: bytes) else {
                isStart = beginsEntry(bytes[index]) || isStart && isNeutral(bytes[index])
                index += 1
                continue
            }
            let start = index
            while index < bytes.count, isNameByte(bytes[index]) { index += 1 }
            if place == .line || place == .entry, let end = endOfSplitName(start..<index, in: bytes)
            {
                return isRevealing(end..<bytes.count, in: bytes) ? end..<bytes.count : nil
            }
            if let value = value(behind: start..<index, isStart: isStart, in: bytes, place) {
                // What names nothing but values does so in all of its parts.
                return isRevealing(value, in: bytes) ? value : nil
            }
            isStart = false
        }
        return nil
    }

    /// Whether a line ends with the name of a secret, apart from signs: the next lines may hold the
    /// value.
    static func endsWithName(_ line: ArraySlice<UInt8>, _ place: Place) -> Bool {
        guard let last = line.lastIndex(where: isNameByte) else { return false }
        let name = line[...last].reversed().prefix { isNameByte($0) }.reversed()
        return name.count <= SecretName.longest && isSecret(String(decoding: name, as: UTF8.self))
            && (place != .source || name.first == UInt8(ascii: "-"))
    }

    /// Whether a line without its indentation is only an option behind which a login or a cookie
    /// follows, perhaps with wrong signs: the next line may hold it.
    static func endsWithOption(_ line: ArraySlice<UInt8>, ofCommand isCommand: Bool) -> Bool {
        guard line.count <= SecretName.longest else { return false }
        let text = String(decoding: line, as: UTF8.self)
        let words = text.split { " \t\r\"',[]`".contains($0) }
        guard let last = words.last, words.dropLast().allSatisfy({ $0.allSatisfy { $0 == "-" } })
        else { return false }
        let lacksDash = isCommand && words.count > 1 && last.first?.isLetter == true
        let option = lacksDash ? "-" + last : String(last)
        return SecretName.isLoginOption(option) || SecretName.isCookieOption(option)
    }

    /// The end of a name with a colon before its last letter: `passwor:d hunter2`.
    private static func endOfSplitName(_ name: Range<Int>, in text: Span<UInt8>) -> Int? {
        let end = name.upperBound + 2
        guard end <= text.count, text[name.upperBound] == UInt8(ascii: ":"),
            isNameByte(text[end - 1]), end == text.count || !isNameByte(text[end]),
            name.count < SecretName.longest
        else { return nil }
        let word = string(name, in: text) + string(end - 1..<end, in: text)
        return isSecret(word) ? end : nil
    }

    private static func isFallback(at index: Int, in text: Span<UInt8>) -> Bool {
        index + 2 < text.count && text[index] == UInt8(ascii: ":")
            && (text[index + 1] == UInt8(ascii: "-") || text[index + 1] == UInt8(ascii: "="))
    }

    private static func isRevealing(_ range: Range<Int>, in text: Span<UInt8>) -> Bool {
        RevealingText(string(range, in: text)).isRevealing
    }

    /// The value behind a name; nil unless the name is that of a secret and the bytes behind it
    /// can separate a value from it.
    private static func value(
        behind name: Range<Int>,
        isStart: Bool,
        in text: Span<UInt8>,
        _ place: Place
    ) -> Range<Int>? {
        guard name.count <= SecretName.longest else { return nil }
        let word = string(name, in: text)
        let gap = Gap(in: text, from: name.upperBound)
        // A blank too many: `- u`.
        let isTorn =
            name.lowerBound > 1 && text[name.lowerBound - 1] == UInt8(ascii: " ")
            && text[name.lowerBound - 2] == UInt8(ascii: "-")
        if word.hasBytePrefix("-") || isTorn {
            let option = isTorn ? "-" + word : word
            if let login = login(behind: name, option, gap, isStart, in: text) { return login }
        }
        guard isSecret(word), gap.end < text.count else { return nil }
        if place == .source, !word.hasBytePrefix("-") { return nil }
        let before = name.lowerBound > 0 ? text[name.lowerBound - 1] : nil
        // `/` in front of it: a part of a path or a host.
        let isInPath = before.map { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "@") } ?? false
        let isSeparated =
            switch place {
            case .entry: gap.end > name.upperBound
            case .line, .source: !isInPath && (isStart || !gap.endsValue)
            // `NamedSecrets` knows where a value behind `=` ends.
            case .value where gap.first == UInt8(ascii: "="): false
            case .value where word.hasBytePrefix("-"): gap.isBlank || gap.hasSign
            case .value:
                gap.hasSign && !isInPath && !gap.endsValue
                    || isStart && gap.isBlank && isLastWord(from: gap.end, in: text)
            }
        return isSeparated ? gap.end..<text.count : nil
    }

    /// The login behind curl's option for one, also in the same word: `-ubob:…`.
    private static func login(
        behind name: Range<Int>,
        _ word: String,
        _ gap: Gap,
        _ isStart: Bool,
        in text: Span<UInt8>
    ) -> Range<Int>? {
        if SecretName.isLoginOption(word), gap.end < text.count {
            let value = gap.end..<text.count
            let front = value.prefix(longestUser)
            return front.contains { text[$0] == UInt8(ascii: ":") } ? value : nil
        }
        if let cookie = cookie(behind: name, word, gap, in: text) { return cookie }
        let letters = word.utf8.dropFirst().prefix { (65...90).contains($0 & 0xDF) }
        let before = name.lowerBound > 0 ? text[name.lowerBound - 1] : nil
        guard gap.first == UInt8(ascii: ":"), before.map(isBlank) ?? isStart || isStart,
            let option = letters.firstIndex(where: { $0 & 0xDF == UInt8(ascii: "U") })
        else { return nil }
        let length = word.utf8.distance(from: word.utf8.startIndex, to: option) + 1
        return length < name.count ? name.lowerBound + length..<text.count : nil
    }

    /// The cookies behind curl's option for them, also in the same word: `-bsid=…`.
    private static func cookie(
        behind name: Range<Int>,
        _ word: String,
        _ gap: Gap,
        in text: Span<UInt8>
    ) -> Range<Int>? {
        if SecretName.isCookieOption(word), gap.end < text.count {
            let value = gap.end..<text.count
            let front = value.prefix(longestUser).prefix { !isBlank(text[$0]) }
            return front.contains { text[$0] == UInt8(ascii: "=") } ? value : nil
        }
        guard gap.first == UInt8(ascii: "="), word.hasBytePrefix("-b"), word.utf8.count > 2 else {
            return nil
        }
        return name.lowerBound + 2..<text.count
    }

    /// Whether a word begins at an index and only blanks and closing braces follow it:
    /// `password x`, but not `password of the server`.
    static func isLastWord(from start: Int, in text: Span<UInt8>) -> Bool {
        for index in start..<text.count where isBlank(text[index]) {
            return (index..<text.count).allSatisfy { isBlank(text[$0]) || isClosing(text[$0]) }
        }
        return start < text.count
    }

    /// Whether a byte ends a mapping or a list that a slip has made part of the text.
    private static func isClosing(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }

    private static func isSecret(_ name: String) -> Bool {
        SecretName.isOne(name)
            || name.hasBytePrefix("-H") && SecretName.isOne(String(name.dropFirst(2)))
    }

    static func string(_ name: Range<Int>, in text: Span<UInt8>) -> String {
        var bytes: [UInt8] = []
        for index in name { bytes.append(text[index]) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The dash of a list's element.
    private static func isDash(at index: Int, in text: Span<UInt8>) -> Bool {
        text[index] == UInt8(ascii: "-") && index + 1 < text.count && isBlank(text[index + 1])
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    private static func beginsEntry(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "("),
            UInt8(ascii: ","), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "&"),
            UInt8(ascii: ";"), UInt8(ascii: "|"), UInt8(ascii: "<"), UInt8(ascii: "\""),
            UInt8(ascii: "'"):
            true
        default: false
        }
    }

    /// Whether an entry may still begin behind a byte.
    private static func isNeutral(_ byte: UInt8) -> Bool {
        isBlank(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "\\")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A
    }
}

extension SecretScan {
    /// The bytes between a name and the next letter or digit.
    private struct Gap {
        /// The first byte; nil for an empty gap.
        let first: UInt8?
        /// Whether a sign that can stand for a colon is among them.
        private(set) var hasSign = false
        /// Whether they are only blanks and quotation marks.
        private(set) var isBlank = true
        /// The offset of the next letter or digit.
        let end: Int

        /// Whether the first byte ends a value or begins another part of a URL.
        var endsValue: Bool {
            switch first {
            case UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "@"),
                UInt8(ascii: "."), UInt8(ascii: "/"):
                true
            default: false
            }
        }

        init(in text: Span<UInt8>, from start: Int) {
            var index = start
            while index < text.count, !Self.isExpression(at: index, in: text) {
                guard let (scalar, length) = text.scalar(at: index) else {
                    index += 1
                    continue
                }
                switch scalar {
                case "0"..."9", "A"..."Z", "a"..."z", "_":
                    (first, end) = (index > start ? text[start] : nil, index)
                    isBlank = isBlank && index > start
                    return
                case " ", "\t", "\r", "\n", "\"", "'", "`", "\\": break
                case ":", "=", ";", "|", "~", ">", "<", "(", "[", "{", "!", "*", "+", "^", "$":
                    (hasSign, isBlank) = (true, false)
                case _ where scalar.value > 0x7F:
                    if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                        (first, end) = (index > start ? text[start] : nil, index)
                        isBlank = isBlank && index > start
                        return
                    }
                    if !scalar.properties.isWhitespace { (hasSign, isBlank) = (true, false) }
                default: isBlank = false
                }
                index += length
            }
            (first, end) = (index > start ? text[start] : nil, index)
        }

        /// Whether an expression or a placeholder begins at an index: a value.
        private static func isExpression(at index: Int, in text: Span<UInt8>) -> Bool {
            guard index + 1 < text.count else { return false }
            let (byte, next) = (text[index], text[index + 1])
            if byte == UInt8(ascii: "{") { return next == byte }
            guard byte == UInt8(ascii: "$") else { return false }
            return next == UInt8(ascii: "{") || next == UInt8(ascii: "(")
                || (65...90).contains(next & 0xDF) || next == UInt8(ascii: "_")
        }
    }

    /// An expression or a placeholder between braces.
    private struct BracedUnit {
        /// The offset behind it.
        let end: Int
        /// Whether a word in it is the name of a secret.
        let isSecret: Bool

        /// Bytes of the longest one: what is longer is searched as text.
        private static let longest = 512

        /// Reads what begins at an index; nil where nothing does.
        ///
        /// `unclosed` is the offset up to where no brace closes one.
        init?(in bytes: Span<UInt8>, at index: Int, _ unclosed: inout Int) {
            guard index >= unclosed, index + 1 < bytes.count,
                bytes[index + 1] == UInt8(ascii: "{"),
                bytes[index] == UInt8(ascii: "$") || bytes[index] == UInt8(ascii: "{")
            else { return nil }
            var last = index + 2
            let limit = min(bytes.count, index + Self.longest)
            while last < limit, bytes[last] != UInt8(ascii: "}"), bytes[last] != UInt8(ascii: "\n")
            {
                last += 1
            }
            guard last < limit, bytes[last] == UInt8(ascii: "}") else {
                unclosed = last
                return nil
            }
            while last + 1 < bytes.count, bytes[last + 1] == UInt8(ascii: "}") { last += 1 }
            // `{{ command: […] }` is a mapping with a brace too many.
            let isPair = bytes[index] == UInt8(ascii: "{")
            if isPair, bytes[last - 1] != UInt8(ascii: "}") { return nil }
            end = last + 1
            isSecret = SecretScan.string(index..<end, in: bytes)
                .split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
                .contains { word in
                    SecretName.isOne(String(word)) || SecretName.isLoginOption(String(word))
                        || word.splitAtBytes("-").contains { SecretName.isOne(String($0)) }
                }
        }
    }
}
