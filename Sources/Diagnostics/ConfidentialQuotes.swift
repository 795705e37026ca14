internal import SystemKit

/// Removes confidential texts of a file from the messages about it.
///
/// A message's own words are the runner's: only text in backticks is from the file, and names and
/// expressions there stay. The texts are sorted once, so that a message costs a few comparisons per
/// byte, however many texts there are.
package struct ConfidentialQuotes: Sendable {
    /// In lower case, sorted, without duplicates.
    private let texts: [[UInt8]]
    /// The index of the longest other text that is a prefix of each; -1 without one.
    private let beginnings: [Int]
    private let hasBackticks: Bool
    private let names: Set<String>
    private let mark: String
    /// The shortest text to search for, bytes: shorter texts occur everywhere by chance.
    private static let shortest = 4
    /// Bytes of the shortest text that is looked for within longer words.
    private static let shortestWithinWord = 6
    private static let ellipsis = Array("…".utf8)

    /// Prepares the search.
    ///
    /// - Parameters:
    ///   - texts: The confidential texts, in any order.
    ///   - names: Keys and ids: texts and quotes that are equal to one of them are not
    ///     confidential.
    ///   - mark: The replacement for a text.
    ///   - hasBackticks: Whether the file has backticks, so that messages are also searched outside
    ///     quotes.
    package init(
        _ texts: [String],
        names: Set<String>,
        mark: String,
        hasBackticks: Bool = false
    ) {
        var sorted: [[UInt8]] = []
        for text in texts where text.utf8.count >= Self.shortest && !names.contains(text) {
            sorted.append(text.utf8.map(Self.folded))
        }
        sorted.sort { $0.lexicographicallyPrecedes($1) }
        var kept: [[UInt8]] = []
        var beginnings: [Int] = []
        var open: [Int] = []
        for text in sorted where kept.last != text {
            while let last = open.last, !text.starts(with: kept[last]) { open.removeLast() }
            beginnings.append(open.last ?? -1)
            open.append(kept.count)
            kept.append(text)
        }
        self.texts = kept
        self.beginnings = beginnings
        self.hasBackticks = hasBackticks || kept.contains { $0.contains(UInt8(ascii: "`")) }
        self.names = names
        self.mark = mark
    }

    /// The message without confidential texts in its quotes; `words` are those of the confidential
    /// text at the message's place, in small letters, which its quotes lose besides.
    package func redacted(_ message: String, words: [HiddenWords] = []) -> String {
        guard !texts.isEmpty || !words.isEmpty else { return message }
        let bytes = Array(message.utf8)
        var result: [UInt8] = []
        var position = 0
        var isQuote = false
        while position <= bytes.count {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "`")) ?? bytes.count
            let part = bytes[position..<end]
            result += isQuote || hasBackticks ? redactedQuote(part, words) : Array(part)
            if end < bytes.count { result.append(bytes[end]) }
            isQuote.toggle()
            position = end + 1
        }
        let text = String(decoding: result, as: UTF8.self)
        // Backticks from the file may break quotes: then search the whole message.
        return isQuote && !hasBackticks ? text : withoutTexts(text)
    }

    /// Redacts a text of the file, such as a fix-it's replacement.
    package func redactedText(_ text: String, words: [HiddenWords] = []) -> String {
        guard !texts.isEmpty || !words.isEmpty else { return text }
        return String(decoding: redactedQuote(Array(text.utf8)[...], words), as: UTF8.self)
    }

    private func withoutTexts(_ text: String) -> String {
        String(decoding: withoutTexts(Array(text.utf8)[...]), as: UTF8.self)
    }

    private func redactedQuote(_ quote: ArraySlice<UInt8>, _ words: [HiddenWords]) -> [UInt8] {
        let text = String(decoding: quote, as: UTF8.self)
        if names.contains(text) { return Array(quote) }
        let shown = words.isEmpty ? text : without(words, in: text)
        if shown != text { return withoutTexts(Array(shown.utf8)[...]) }
        if Self.isExpression(quote) && !isConfidential(quote) { return Array(quote) }
        let redacted = withoutTexts(quote)
        guard redacted.elementsEqual(quote), quote.contains(UInt8(ascii: "%")) else {
            return redacted
        }
        // Values in a URL are percent-encoded.
        let decoded = Self.decoded(quote)
        let isFound =
            withoutTexts(decoded[...]) != decoded
            || !words.isEmpty
                && without(words, in: String(decoding: decoded, as: UTF8.self)).utf8
                    .elementsEqual(decoded) == false
        return isFound ? Array(mark.utf8) : redacted
    }

    /// A quote with the mark in the place of each of the words, also of a beginning of one before
    /// the ellipsis.
    private func without(_ words: [HiddenWords], in quote: String) -> String {
        func isWord(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || character == "_"
        }
        var result = ""
        var rest = quote[...]
        while let first = rest.first {
            guard isWord(first) else {
                let run = rest.prefix { !$0.isWhitespace }.prefix { !isWord($0) }
                let whole = run.isEmpty ? rest.prefix(1) : run
                result +=
                    words.contains(where: { $0.contains(String(whole)) }) ? mark : String(whole)
                rest = rest[whole.endIndex...]
                continue
            }
            let word = rest.prefix(while: isWord)
            rest = rest[word.endIndex...]
            let small = word.lowercased()
            let isCut = rest.elementsEqual("…") && small.utf8.count >= Self.shortest
            let isHidden =
                words.contains { $0.contains(small) || isCut && $0.containsBeginning(small) }
            if !isHidden {
                result += word
            } else if !result.hasByteSuffix(mark) {
                result += mark
            }
        }
        return result
    }

    /// Whether a quote is one of the confidential texts.
    private func isConfidential(_ quote: ArraySlice<UInt8>) -> Bool {
        length(in: quote.map(Self.folded)[...], isCut: false) == quote.count
    }

    private func withoutTexts(_ quote: ArraySlice<UInt8>) -> [UInt8] {
        let bytes = quote.map(Self.folded)
        let isCut =
            bytes.count > Self.ellipsis.count && bytes.suffix(3).elementsEqual(Self.ellipsis)
        let end = isCut ? bytes.count - Self.ellipsis.count : bytes.count
        var result: [UInt8] = []
        var position = 0
        var hidden = 0
        while position < end {
            let length = length(in: bytes[position..<end], isCut: isCut)
            if length > 0, position + length > hidden,
                length >= Self.shortestWithinWord
                    || Self.isWord(bytes, position..<position + length)
            {
                if position >= hidden { result += mark.utf8 }
                hidden = position + length
            }
            if position >= hidden { result.append(quote[quote.startIndex + position]) }
            position += 1
        }
        return result + quote.suffix(bytes.count - end)
    }

    /// The bytes of the longest confidential text that begins here; in a cut quote, also of its
    /// beginning.
    private func length(in bytes: ArraySlice<UInt8>, isCut: Bool) -> Int {
        var (low, high) = (0, texts.count)
        while low < high {
            let middle = (low + high) / 2
            if bytes.lexicographicallyPrecedes(texts[middle]) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        if isCut, bytes.count >= Self.shortest, low < texts.count, texts[low].starts(with: bytes) {
            return bytes.count
        }
        var found = low - 1
        while found >= 0 {
            if bytes.starts(with: texts[found]) { return texts[found].count }
            found = beginnings[found]
        }
        return 0
    }

    /// Whether no letter or digit is next to a stretch.
    private static func isWord(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        func isLetter(_ index: Int) -> Bool {
            switch bytes[index] {
            case 48...57, 97...122, 0x80...: true
            default: false
            }
        }
        return (range.lowerBound == 0 || !isLetter(range.lowerBound - 1))
            && (range.upperBound == bytes.count || !isLetter(range.upperBound))
    }

    /// Whether a quote is a single expression without a fallback: its name is not secret.
    private static func isExpression(_ quote: ArraySlice<UInt8>) -> Bool {
        guard quote.starts(with: "${".utf8), quote.last == UInt8(ascii: "}") else { return false }
        return quote.dropFirst(2).dropLast().allSatisfy { byte in
            switch byte {
            case 48...57, 65...90, 97...122, 0x80...: true
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var decoded: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            if byte == UInt8(ascii: "%"), digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            {
                decoded.append(value)
                rest = rest.dropFirst(2)
            } else {
                decoded.append(byte)
            }
        }
        return decoded
    }

    /// The scheme and host of a URL are shown in lower case.
    private static func folded(_ byte: UInt8) -> UInt8 {
        (65...90).contains(byte) ? byte | 0x20 : byte
    }
}
