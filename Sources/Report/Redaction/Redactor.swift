internal import SystemKit
package import TransferModel

/// Finds secrets in what is about to be shown, and puts `‹redacted›` in their place.
///
/// They are found by their values: as they are, percent-encoded, escaped as in JSON, as hexadecimal
/// digits, in base64 at any offset within more and on one line or several, and cut off by an
/// ellipsis. The time is that of one look at each byte, except where a text begins to be a secret.
package final class Redactor: Sendable {
    let patterns: [SecretPattern]
    /// The patterns that begin with four bytes, which they all have.
    private let beginnings: [UInt32: [Int]]
    /// A bit for each pair of bytes, set when a pattern begins with it: most of a text is passed
    /// over by it.
    private let pairs: [UInt64]
    /// How often a text may have been escaped: in a URL within JSON, for one.
    static let layers = 2
    /// The ways in which a text is read besides as it is.
    let escapings: [UnescapedText.Escaping]

    /// Nil when there is no secret; values of less than four bytes are not looked for.
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

    /// Where the first secret of a text begins, an offset in UTF-8; nil when it has none.
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

    /// UTF-8 text with a star for each character of a secret, so that places in it stay where they
    /// are.
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

    /// Where secrets stand, in order, no two together.
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

    /// Where secrets stand, as the text is and with so many layers of escaping taken off.
    private func secrets(in text: Span<UInt8>, layers: Int) -> [Range<Int>] {
        var found: [Range<Int>] = []
        search(text) { found.append($0) }
        if let joined = UnescapedText(joiningLinesOf: text) {
            search(joined.bytes.span, onlyBase64: true) {
                // What follows the last digit is no part of it, even when it is white space.
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

    /// Tells of every place where a pattern stands, or the beginning of one before a cut.
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

    /// The place with the digits of base64 beside it that hold bits of the secret, and the padding.
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
