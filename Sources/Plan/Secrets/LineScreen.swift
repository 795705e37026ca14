internal import Diagnostics
internal import SystemKit

/// Chooses the shown parts of a line of a file that cannot be read as YAML: signs of YAML, names in
/// the place of keys, and plain values of keys whose values are never secret.
///
/// All other text is hidden, because a slip may have moved a secret to any place.
struct LineScreen {
    /// The line without its line break.
    private let line: ArraySlice<UInt8>
    /// Whether the next line has an `@`, which may end a login that begins in this line.
    private let hasLoginBelow: Bool
    private var index: Int
    /// The last key: its list may go on.
    private var key: String?
    /// The parts to hide, ascending.
    private var hidden: [Range<Int>] = []

    private init(_ line: ArraySlice<UInt8>, _ next: ArraySlice<UInt8>) {
        self.line = line
        hasLoginBelow = next.contains(UInt8(ascii: "@"))
        index = line.startIndex
    }

    /// The parts of a line to hide, ascending; `next` is the line below it.
    static func hidden(in line: ArraySlice<UInt8>, before next: ArraySlice<UInt8>) -> [Range<Int>] {
        var screen = LineScreen(line, next)
        screen.index += lengthOfMarker(line)
        while screen.index < line.endIndex { screen.takeEntry() }
        return screen.hidden
    }

    /// The bytes of a sign at the beginning of a line: the border of a document, or of a conflict
    /// that a version control system has left.
    private static func lengthOfMarker(_ line: ArraySlice<UInt8>) -> Int {
        let sign = line.prefix(8).prefix { !isBlank($0) }
        let isMarker = ["---", "...", "<<<<<<<", "=======", ">>>>>>>", "|||||||"]
            .contains { sign.elementsEqual($0.utf8) }
        return isMarker ? sign.count : 0
    }

    /// Skips the next sign, name and value; hides any other text.
    private mutating func takeEntry() {
        let byte = line[index]
        if Self.isSign(byte) || byte == UInt8(ascii: "-") && isFollowedByBlank {
            index += 1
        } else if let name = takeName() {
            key = name
            takeValue(of: name)
        } else if let key, byte != UInt8(ascii: "#") {
            takeValue(of: key)
        } else {
            if byte == UInt8(ascii: "#") { index += 1 }
            hideRest()
        }
    }

    private var isFollowedByBlank: Bool {
        index + 1 == line.endIndex || Self.isBlank(line[index + 1])
    }

    /// Skips a name in the place of a key, and its colon; nil without a name.
    ///
    /// A key of the language may lack its colon, or the blank after it.
    private mutating func takeName() -> String? {
        // YAML's merge key.
        if line[index...].starts(with: "<<:".utf8) {
            index += 3
            return "<<"
        }
        let bytes = line[index...].prefix(SecretName.longest).prefix(while: Self.isNameByte)
        guard !bytes.isEmpty else { return nil }
        let name = String(decoding: bytes, as: UTF8.self)
        let isKnown = LanguageWords.ofJobFiles.keys.contains(name)
        var end = bytes.endIndex
        if end < line.endIndex, Self.isQuote(line[end]) { end += 1 }
        let gap = line[end...].prefix(while: \.isBlank)
        if gap.endIndex < line.endIndex, line[gap.endIndex] == UInt8(ascii: ":") {
            end = gap.endIndex + 1
            let isValue = end == line.endIndex || Self.isBlank(line[end])
            guard isValue || isKnown && line[end] != UInt8(ascii: "/") else { return nil }
        } else {
            guard isKnown, end == line.endIndex || Self.isBlank(line[end]) else { return nil }
        }
        index = end
        return name
    }

    /// Skips the value of a key; hides the value unless it may be shown.
    private mutating func takeValue(of name: String) {
        skip(while: Self.isBlank)
        guard index < line.endIndex else { return }
        let first = line[index]
        if Self.endsWord(first) && !Self.isQuote(first) || first == UInt8(ascii: "#") { return }
        skip(while: Self.isQuote)
        let rest = line[index...]
        let word = Self.word(at: rest)
        index += PublicValues.length(
            of: word,
            behind: name,
            mayBeLogin: hasLoginBelow || rest.contains(UInt8(ascii: "@"))
        )
        guard index == word.endIndex else { return hideRest() }
        skip { Self.isQuote($0) || Self.isBlank($0) }
        if index < line.endIndex, !Self.endsWord(line[index]), line[index] != UInt8(ascii: "#") {
            hideRest()
        }
    }

    /// The text up to a blank or a sign of YAML that is not part of an expression.
    private static func word(at text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var end = text.startIndex
        while end < text.endIndex, !isBlank(text[end]) {
            if let expression = PublicValues.expression(in: text[end...]) {
                end = expression.endIndex
            } else if endsWord(text[end]) {
                break
            } else {
                end += 1
            }
        }
        return text[..<end]
    }

    /// Hides the text up to the next entry whose key is one of the language, or up to the signs at
    /// the line's end.
    private mutating func hideRest() {
        let start = index
        var end = line.endIndex
        while end > start, Self.isSign(line[end - 1]) { end -= 1 }
        while index < end {
            if line[index] == UInt8(ascii: ","), beginsEntry(at: index + 1) { break }
            index += 1
        }
        if index > start { hidden.append(start..<index) }
        index = max(index, start)
    }

    /// Whether a key of the language with its colon and a blank follows.
    private func beginsEntry(at start: Int) -> Bool {
        let text = line[start...].drop { Self.isBlank($0) || Self.isQuote($0) }
        let name = text.prefix(SecretName.longest).prefix(while: Self.isNameByte)
        let behind = line[name.endIndex...].drop(while: Self.isQuote)
        guard behind.first == UInt8(ascii: ":"), behind.dropFirst().first.map(Self.isBlank) ?? true
        else { return false }
        return LanguageWords.ofJobFiles.keys.contains(String(decoding: name, as: UTF8.self))
    }

    private mutating func skip(while isSkipped: (UInt8) -> Bool) {
        while index < line.endIndex, isSkipped(line[index]) { index += 1 }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isAlphanumeric || "-_.".utf8.contains(byte)
    }

    /// Whether a byte is a blank of a line, also that in front of a Windows line break.
    static func isBlank(_ byte: UInt8) -> Bool { byte.isBlank || byte == 13 }

    /// Whether a byte is one of YAML's two quotation marks.
    static func isQuote(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'")
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["),
            UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "'"):
            true
        default: false
        }
    }

    private static func isSign(_ byte: UInt8) -> Bool {
        isBlank(byte) || endsWord(byte) || byte == UInt8(ascii: "?") || byte == UInt8(ascii: ":")
    }
}
