internal import SystemKit

/// A text decoded by one layer of escaping, with the origin of each byte.
///
/// An incomplete escape before a cut is omitted: the text before it ends at the cut.
struct UnescapedText {
    enum Escaping: CaseIterable {
        /// `%20` (RFC 3986 §2.1).
        case percent
        /// `%20`, and `+` for a space (application/x-www-form-urlencoded).
        case form
        /// `\"`, `\n`, `\u00e9` (RFC 8259 §7).
        case json
    }

    private(set) var bytes: [UInt8] = []
    /// The offset of each byte in the original text, and the end of that text.
    private(set) var offsets: [Int] = []

    /// Nil when the text has no such escapes.
    init?(_ text: Span<UInt8>, _ escaping: Escaping) {
        guard Self.mayBeEscaped(text, escaping) else { return nil }
        bytes.reserveCapacity(text.count)
        offsets.reserveCapacity(text.count + 1)
        var index = 0
        while index < text.count {
            let start = index
            if let cut = Self.cutEscape(text, at: start, escaping) {
                index = cut
                continue
            }
            switch (text[index], escaping) {
            case (UInt8(ascii: "%"), .percent), (UInt8(ascii: "%"), .form):
                let value = Self.hexadecimal(text, index + 1, digits: 2)
                index += value == nil ? 1 : 3
                append(value.map { UInt8(truncatingIfNeeded: $0) } ?? text[start], from: start)
            case (UInt8(ascii: "+"), .form):
                append(UInt8(ascii: " "), from: start)
                index += 1
            case (UInt8(ascii: "\\"), .json):
                index = appendJSONEscape(text, at: index)
            default:
                append(text[index], from: start)
                index += 1
            }
        }
        offsets.append(text.count)
    }

    /// The text without white space, for base64 split into lines (RFC 2045 §6.8).
    ///
    /// This removes all white space, because excerpts turn line breaks into spaces. Nil when there
    /// is none.
    init?(joiningLinesOf text: Span<UInt8>) {
        guard text.indices.contains(where: { Self.isWhiteSpace(text[$0]) }) else { return nil }
        bytes.reserveCapacity(text.count)
        offsets.reserveCapacity(text.count + 1)
        for index in text.indices where !Self.isWhiteSpace(text[index]) {
            append(text[index], from: index)
        }
        offsets.append(text.count)
    }

    static func isWhiteSpace(_ byte: UInt8) -> Bool {
        switch byte {
        case 9, 10, 13, 32: true
        default: false
        }
    }

    private static func mayBeEscaped(_ text: Span<UInt8>, _ escaping: Escaping) -> Bool {
        let mark =
            switch escaping {
            case .percent: UInt8(ascii: "%")
            case .form: UInt8(ascii: "+")
            case .json: UInt8(ascii: "\\")
            }
        for index in text.indices where text[index] == mark { return true }
        return false
    }

    private mutating func append(_ byte: UInt8, from offset: Int) {
        bytes.append(byte)
        offsets.append(offset)
    }

    /// Decodes an escape at `start`; returns the offset after it.
    private mutating func appendJSONEscape(_ text: Span<UInt8>, at start: Int) -> Int {
        guard start + 1 < text.count else {
            append(text[start], from: start)
            return start + 1
        }
        let plain: UInt8? =
            switch text[start + 1] {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text[start + 1]
            case UInt8(ascii: "b"): 8
            case UInt8(ascii: "f"): 12
            case UInt8(ascii: "n"): 10
            case UInt8(ascii: "r"): 13
            case UInt8(ascii: "t"): 9
            default: nil
            }
        if let plain {
            append(plain, from: start)
            return start + 2
        }
        guard text[start + 1] == UInt8(ascii: "u"),
            var value = Self.hexadecimal(text, start + 2, digits: 4)
        else {
            append(text[start], from: start)
            return start + 1
        }
        var end = start + 6
        if (0xD800..<0xDC00).contains(value), end + 1 < text.count, text[end] == UInt8(ascii: "\\"),
            text[end + 1] == UInt8(ascii: "u"),
            let low = Self.hexadecimal(text, end + 2, digits: 4), (0xDC00..<0xE000).contains(low)
        {
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
            end += 6
        }
        let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter {
            append(byte, from: start)
        }
        return end
    }

    /// The number of that many digits; nil when some are missing.
    private static func hexadecimal(_ text: Span<UInt8>, _ start: Int, digits: Int) -> UInt32? {
        guard start + digits <= text.count else { return nil }
        var value: UInt32 = 0
        for index in start..<start + digits {
            guard let digit = text[index].hexadecimalValue else { return nil }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

// MARK: Cuts

extension UnescapedText {
    /// Whether an ellipsis is at a position, perhaps after a character cut in two.
    static func isCut(_ text: Span<UInt8>, at position: Int) -> Bool {
        var position = position
        while starts(text, at: position, with: 0xEF, 0xBF, 0xBD) { position += 3 }
        return starts(text, at: position, with: 0xE2, 0x80, 0xA6)
    }

    private static func starts(
        _ text: Span<UInt8>,
        at position: Int,
        with first: UInt8,
        _ second: UInt8,
        _ third: UInt8
    ) -> Bool {
        position + 3 <= text.count && text[position] == first && text[position + 1] == second
            && text[position + 2] == third
    }

    /// The offset of the cut that leaves an incomplete escape at `start`; nil without both.
    private static func cutEscape(
        _ text: Span<UInt8>,
        at start: Int,
        _ escaping: Escaping
    ) -> Int? {
        guard let end = endOfBeginning(text, at: start, escaping) else { return nil }
        return isCut(text, at: end) ? end : nil
    }

    /// The end of an escape at `start`, which may lack its last digits; nil for another byte.
    private static func endOfBeginning(
        _ text: Span<UInt8>,
        at start: Int,
        _ escaping: Escaping
    ) -> Int? {
        var end = start + 1
        switch (text[start], escaping) {
        case (UInt8(ascii: "%"), .percent), (UInt8(ascii: "%"), .form):
            skipDigits(text, &end, fewerThan: 2)
        case (UInt8(ascii: "\\"), .json):
            if isHighSurrogate(text, at: start) {
                end = start + 6
                if end < text.count, text[end] == UInt8(ascii: "\\") { end += 1 }
            }
            // The escape of the low surrogate, or of another character.
            if end < text.count, text[end - 1] == UInt8(ascii: "\\"), text[end] == UInt8(ascii: "u")
            {
                end += 1
                skipDigits(text, &end, fewerThan: 4)
            }
        default: return nil
        }
        return end
    }

    /// The start of an incomplete escape at the end of a text; the end if there is none.
    static func endBeforeEscape(of text: Span<UInt8>, _ escaping: Escaping) -> Int {
        // The longest is `\uD83D\uDE0`.
        for start in max(0, text.count - 11)..<text.count {
            if endOfBeginning(text, at: start, escaping) == text.count { return start }
        }
        return text.count
    }

    private static func isHighSurrogate(_ text: Span<UInt8>, at start: Int) -> Bool {
        guard start + 6 <= text.count, text[start + 1] == UInt8(ascii: "u"),
            let value = hexadecimal(text, start + 2, digits: 4)
        else { return false }
        return (0xD800..<0xDC00).contains(value)
    }

    private static func skipDigits(_ text: Span<UInt8>, _ end: inout Int, fewerThan count: Int) {
        let limit = min(text.count, end + count - 1)
        while end < limit, text[end].hexadecimalValue != nil { end += 1 }
    }
}
