internal import SystemKit
package import TransferModel

/// Finds secrets in text and replaces them by `‹redacted›`.
///
/// It searches for the values as they are, percent-encoded, JSON-escaped, in hexadecimal, in base64
/// at any offset on one or several lines, and cut off by an ellipsis. The time is linear, except
/// where text resembles the beginning of a secret.
package final class Redactor: Sendable {
    let patterns: [SecretPattern]
    /// The patterns by their first four bytes, which all patterns have.
    private let beginnings: [UInt32: [Int]]
    /// A bit for each pair of bytes that begins a pattern, by which most text is skipped.
    private let pairs: [UInt64]
    /// The most layers of escaping in a text, such as a URL within JSON.
    static let layers = 2
    /// The escapings that are decoded for a search.
    let escapings: [UnescapedText.Escaping]

    /// Nil without secrets; values of less than four bytes are not searched for.
    package init?(_ secrets: [Secret]) {
        guard !secrets.isEmpty else { return nil }
        var all: Set<SecretPattern> = []
        for secret in secrets { all.formUnion(secret.withText(SecretPattern.all)) }
        patterns = Array(all)
        var beginnings: [UInt32: [Int]] = [:]
        var pairs = [UInt64](repeating: 0, count: 1 << 10)
        for (index, pattern) in patterns.enumerated() {
            beginnings[Self.beginning(pattern.bytes.span, at: 0), default: []].append(index)
            let pair = Self.pair(pattern.bytes.span, at: 0)
            pairs[pair >> 6] |= 1 << UInt64(pair & 63)
        }
        self.beginnings = beginnings
        self.pairs = pairs
        let hasSpaces = patterns.contains { $0.bytes.contains(UInt8(ascii: " ")) }
        escapings = UnescapedText.Escaping.allCases.filter { $0 != .form || hasSpaces }
    }

    /// The UTF-8 offset of the first secret in a text; nil if there is none.
    package func firstSecret(in text: String) -> Int? {
        secrets(in: text.utf8.span).first?.lowerBound
    }

    /// The text without secrets.
    package func redacted(_ text: String) -> String {
        let found = secrets(in: text.utf8.span)
        if found.isEmpty { return text }
        return String(decoding: Self.replacing(found, in: text.utf8.span), as: UTF8.self)
    }

    /// UTF-8 text without secrets.
    package func redacted(_ text: [UInt8]) -> [UInt8] {
        let found = secrets(in: text.span)
        return found.isEmpty ? text : Self.replacing(found, in: text.span)
    }

    /// UTF-8 text with a star for each character of a secret, so that positions stay the same.
    package func masked(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for range in secrets(in: text.span) {
            result += text[position..<range.lowerBound]
            for byte in text[range] where byte & 0xC0 != 0x80 {
                result.append(byte < 0x20 ? byte : UInt8(ascii: "*"))
            }
            position = range.upperBound
        }
        return result + text[position...]
    }

    private static func replacing(_ ranges: [Range<Int>], in text: Span<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var position = 0
        for range in ranges {
            result.append(text.extracting(position..<range.lowerBound))
            result.append(contentsOf: Secret.mark.utf8)
            position = range.upperBound
        }
        result.append(text.extracting(position..<text.count))
        return result
    }

    /// The ranges of secrets, sorted and merged.
    func secrets(in text: Span<UInt8>) -> [Range<Int>] {
        var found = secrets(in: text, layers: Self.layers)
        guard found.count > 1 else { return found }
        found.sort { $0.lowerBound < $1.lowerBound }
        var merged = [found[0]]
        for range in found.dropFirst() {
            let last = merged[merged.count - 1]
            if range.lowerBound <= last.upperBound {
                merged[merged.count - 1] =
                    last.lowerBound..<max(last.upperBound, range.upperBound)
            } else {
                merged.append(range)
            }
        }
        return merged
    }

    /// The ranges of secrets in the text and in its decoded forms with up to that many layers.
    private func secrets(in text: Span<UInt8>, layers: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        search(text) { found.append($0) }
        if let joined = UnescapedText(joiningLinesOf: text) {
            search(joined.bytes.span, onlyBase64: true) {
                // Exclude everything after the last digit, even white space.
                found.append(joined.offsets[$0.lowerBound]..<joined.offsets[$0.upperBound - 1] + 1)
            }
        }
        guard layers > 0 else { return found }
        for escaping in escapings {
            guard let plain = UnescapedText(text, escaping) else { continue }
            for range in secrets(in: plain.bytes.span, layers: layers - 1) {
                found.append(plain.offsets[range.lowerBound]..<plain.offsets[range.upperBound])
            }
        }
        return found
    }

    /// Reports every place of a pattern, or of a pattern's beginning before a cut.
    private func search(
        _ text: Span<UInt8>,
        onlyBase64: Bool = false,
        _ emit: (Range<Int>) -> Void
    ) {
        var position = 0
        while position + SecretPattern.minimumCount <= text.count {
            defer { position += 1 }
            let pair = Self.pair(text, at: position)
            guard pairs[pair >> 6] >> UInt64(pair & 63) & 1 == 1,
                let candidates = beginnings[Self.beginning(text, at: position)]
            else { continue }
            for candidate in candidates {
                let pattern = patterns[candidate]
                guard !onlyBase64 || pattern.isBase64 else { continue }
                var end = position + SecretPattern.minimumCount
                let last = min(text.count, position + pattern.bytes.count)
                while end < last, text[end] == pattern.bytes[end - position] { end += 1 }
                let isWhole = end - position == pattern.bytes.count
                guard isWhole || UnescapedText.isCut(text, at: end) else { continue }
                emit(Self.extended(position..<end, pattern, isWhole: isWhole, in: text))
            }
        }
    }

    /// The place extended by padding and by the base64 digits that share bits with the secret.
    private static func extended(
        _ place: Range<Int>,
        _ pattern: SecretPattern,
        isWhole: Bool,
        in text: Span<UInt8>
    ) -> Range<Int> {
        var (start, end) = (place.lowerBound, place.upperBound)
        if pattern.reachesBefore, start > 0, SecretPattern.isBase64Digit(text[start - 1]) {
            start -= 1
        }
        if isWhole, pattern.reachesBehind, end < text.count,
            SecretPattern.isBase64Digit(text[end])
        {
            end += 1
        }
        return start..<end
    }

    private static func pair(_ text: Span<UInt8>, at position: Int) -> Int {
        Int(text[position]) << 8 | Int(text[position + 1])
    }

    private static func beginning(_ text: Span<UInt8>, at position: Int) -> UInt32 {
        UInt32(pair(text, at: position)) << 16 | UInt32(pair(text, at: position + 2))
    }
}

// Text in pieces: finds the possible beginning of a secret at the end of a piece.
extension Redactor {
    /// The most bytes of a supported form of a secret.
    ///
    /// A byte takes six when JSON escapes it, and again in each further layer; base64 may have a
    /// line break of two bytes after each digit. Additional padding with white space is not
    /// supported.
    var longestForm: Int {
        let longest = patterns.map(\.bytes.count).max() ?? 0
        return max(64 << 10, longest * 3 * 36)
    }

    /// The start of a secret that continues or may continue after the text; nil if there is none.
    ///
    /// Text before it can be searched as if it were the whole text: no secret spans that position.
    func openSecret(in text: Span<UInt8>) -> Int? {
        // An ellipsis cut in two: after the beginning of a secret it will mark a cut secret.
        let whole = text.extracting(0..<Self.endBeforeEllipsis(of: text))
        guard let open = openSecret(in: whole, layers: Self.layers) else { return nil }
        let over = secrets(in: text).first { $0.lowerBound < open && $0.upperBound > open }
        return over?.lowerBound ?? open
    }

    private func openSecret(in text: Span<UInt8>, layers: Int) -> Int? {
        var least = openPattern(in: text)
        if let joined = UnescapedText(joiningLinesOf: text),
            let open = openPattern(in: joined.bytes.span, onlyBase64: true)
        {
            least = min(least ?? .max, joined.offsets[open])
        }
        guard layers > 0 else { return least }
        for escaping in escapings {
            // An incomplete escape at the end is not a byte yet.
            let end = UnescapedText.endBeforeEscape(of: text, escaping)
            if end < text.count { least = min(least ?? .max, end) }
            let whole = text.extracting(0..<end)
            if let plain = UnescapedText(whole, escaping) {
                guard let open = openSecret(in: plain.bytes.span, layers: layers - 1) else {
                    continue
                }
                least = min(least ?? .max, plain.offsets[open])
            } else if end < text.count, let open = openSecret(in: whole, layers: layers - 1) {
                least = min(least ?? .max, open)
            }
        }
        return least
    }

    /// The start of the first pattern whose beginning is at the end of the text.
    private func openPattern(in text: Span<UInt8>, onlyBase64: Bool = false) -> Int? {
        var least: Int?
        for pattern in patterns where !onlyBase64 || pattern.isBase64 {
            // The digit after a complete pattern may also hold bits of the secret.
            let longest = pattern.bytes.count - (pattern.reachesBehind ? 0 : 1)
            let first = max(0, text.count - longest)
            guard let start = Self.firstStart(of: pattern.bytes.span, in: text, from: first),
                start < least ?? .max
            else { continue }
            let before = start - 1
            let reachesBack =
                pattern.reachesBefore && before >= 0 && SecretPattern.isBase64Digit(text[before])
            least = reachesBack ? before : start
        }
        return least
    }

    /// The first position from which the text is the beginning of a pattern.
    private static func firstStart(
        of pattern: Span<UInt8>,
        in text: Span<UInt8>,
        from first: Int
    ) -> Int? {
        let head = pattern[0]
        for start in first..<text.count where text[start] == head {
            let count = text.count - start
            if text.extracting(start..<text.count).equals(pattern.extracting(0..<count)) {
                return start
            }
        }
        return nil
    }

    /// The start of an incomplete ellipsis at the end of a text, including marks of characters cut
    /// in two.
    private static func endBeforeEllipsis(of text: Span<UInt8>) -> Int {
        var end = text.count
        func ends(with bytes: UInt8...) -> Bool {
            end >= bytes.count
                && bytes.indices.allSatisfy { text[end - bytes.count + $0] == bytes[$0] }
        }
        if ends(with: 0xE2, 0x80) || ends(with: 0xEF, 0xBF) {
            end -= 2
        } else if ends(with: 0xE2) || ends(with: 0xEF) {
            end -= 1
        }
        while ends(with: 0xEF, 0xBF, 0xBD) { end -= 3 }
        return end
    }
}
