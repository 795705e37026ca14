internal import SystemKit

// Text that comes in pieces: what may be the beginning of a secret at the end of one.
extension Redactor {
    /// How many bytes a claimed form of a secret takes at most.
    ///
    /// A byte takes six when JSON escapes it, and does so again in each further layer; base64 may
    /// have a line break, two bytes, behind each digit. A program that pads it with more white
    /// space is not claimed.
    var longestForm: Int {
        let longest = patterns.map(\.bytes.count).max() ?? 0
        return max(64 << 10, longest * 3 * 36)
    }

    /// Where a secret begins that goes on behind the end of a text, or may go on there; nil when
    /// none does.
    ///
    /// What stands before is as it would be found in the whole text: no secret reaches over that
    /// place.
    func openSecret(in text: Span<UInt8>) -> Int? {
        // An ellipsis that was cut in two: behind a beginning of a secret it will say that this is
        // one.
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
            // Half of an escape at the end is no byte yet.
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

    /// Where the first pattern begins of which the end of a text is the beginning.
    private func openPattern(in text: Span<UInt8>, onlyBase64: Bool = false) -> Int? {
        var least: Int?
        for pattern in patterns where !onlyBase64 || pattern.isBase64 {
            // The digit behind a whole one may hold some bits of the secret too.
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

    /// The first place from which on the text is the beginning of a pattern.
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

    /// Where the beginning of an ellipsis stands at the end of a text, with marks of characters
    /// that were cut in two.
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
