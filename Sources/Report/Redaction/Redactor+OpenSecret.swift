internal import SystemKit

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
