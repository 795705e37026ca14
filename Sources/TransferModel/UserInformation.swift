internal import SystemKit

/// Finds user names and passwords of URLs (RFC 3986 §3.2.1) in text.
package enum UserInformation {
    /// Finds the text between the slashes and the last `@` of an authority, without the `@`.
    ///
    /// Slashes count after a colon; two or more also count at the start or after a character
    /// outside of URLs: `https://u@h`, `//u@h`. Backslashes count as slashes, as in browsers, and
    /// because JSON writes `\/`.
    package static func first(in text: Span<UInt8>, from start: Int = 0) -> Range<Int>? {
        var position = start
        while position < text.count {
            guard isSlash(text[position]) else {
                position += 1
                continue
            }
            let opening = position
            while position < text.count, isSlash(text[position]) { position += 1 }
            guard
                beginsAuthority(
                    behind: opening > 0 ? text[opening - 1] : nil,
                    slashes: position - opening
                ) || position - opening > 1 && endsWithScheme(text, at: opening)
            else { continue }
            let first = position
            let at = lastAt(in: text, from: &position) { endsText($0) }
            if let at, at > first { return first..<at }
        }
        return nil
    }

    /// The start, slashes included, of an authority that is still open at the end of the text; nil
    /// if no URL is open.
    ///
    /// It may be an incomplete login whose `@` follows later. The rules are those of `first`.
    ///
    /// - Parameters:
    ///   - text: The text so far.
    ///   - limit: The search distance from the end, bytes.
    /// - Returns: The offset of the first slash, or of the colon before any slash.
    package static func openAuthority(in text: Span<UInt8>, within limit: Int) -> Int? {
        let first = max(0, text.count - limit)
        var end = text.count
        // The last byte may be the colon of a scheme.
        let colon = end > 0 && text[end - 1] == UInt8(ascii: ":") ? end - 1 : nil
        while end > first {
            let byte = text[end - 1]
            if isSlash(byte) {
                var start = end
                var isEnd = false
                while start > first, isSlash(text[start - 1]) {
                    start -= 1
                    isEnd = isEnd || text[start] == UInt8(ascii: "/")
                }
                let isLast = end == text.count
                if beginsAuthority(
                    behind: start > 0 ? text[start - 1] : nil,
                    // Another slash may follow.
                    slashes: isLast ? end - start + 1 : end - start
                ) || (isLast || end - start > 1) && endsWithScheme(text, at: start) {
                    return start
                }
                // A backslash alone does not end an authority.
                if isEnd { return colon }
                end = start
                continue
            }
            if byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || endsText(byte) {
                return colon
            }
            end -= 1
        }
        return colon
    }

    /// The user information of a text that is a single URL or a relative one, such as a `Location`.
    ///
    /// White space and quotes do not end the authority, since the text has nothing else.
    package static func ofReference(_ text: Span<UInt8>) -> Range<Int>? {
        var position = 0
        while position < text.count, text[position] <= 0x20 { position += 1 }
        let start = position
        while position < text.count, text[position].isSchemeByte { position += 1 }
        let hasScheme =
            position > start && position < text.count && text[position] == UInt8(ascii: ":")
        position = hasScheme ? position + 1 : start
        let opening = position
        while position < text.count, isSlash(text[position]) { position += 1 }
        // Browsers add the slashes that http and https lack.
        let isHTTP = hasScheme && isHTTP(text.extracting(start..<opening - 1))
        guard position - opening >= (isHTTP ? 0 : hasScheme ? 1 : 2) else { return nil }
        let first = position
        let at = lastAt(in: text, from: &position) { _ in false }
        return at.flatMap { $0 > first ? first..<$0 : nil }
    }

    /// Moves to the end of an authority; returns the index of its last `@`.
    private static func lastAt(
        in text: Span<UInt8>,
        from position: inout Int,
        endedBy isEnd: (UInt8) -> Bool
    ) -> Int? {
        var at: Int?
        while position < text.count {
            let byte = text[position]
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return at
            case UInt8(ascii: "@"): at = position
            // The text was cut here, perhaps before an `@`.
            case 0xE2 where isEllipsis(text, at: position): at = position
            default: if isEnd(byte) { return at }
            }
            position += 1
        }
        return at
    }

    /// Whether `…` is at a position, and the text or its quotes end there: the runner ends
    /// shortened texts with it.
    private static func isEllipsis(_ text: Span<UInt8>, at position: Int) -> Bool {
        guard position + 2 < text.count, text[position + 1] == 0x80, text[position + 2] == 0xA6
        else { return false }
        guard position + 3 < text.count else { return true }
        return ["\"", "'", "`", ")", "\n"].contains { UInt8(ascii: $0) == text[position + 3] }
    }

    private static func isHTTP(_ scheme: Span<UInt8>) -> Bool {
        let name = Array("https".utf8)
        guard scheme.count == 4 || scheme.count == 5 else { return false }
        for index in scheme.indices where scheme[index] | 0x20 != name[index] { return false }
        return true
    }

    private static func beginsAuthority(behind byte: UInt8?, slashes count: Int) -> Bool {
        switch byte {
        case UInt8(ascii: ":"): true
        case nil: count > 1
        case .some(let byte): count > 1 && isBoundary(byte)
        }
    }

    /// Whether `http` or `https` precedes slashes, whose colon is missing.
    private static func endsWithScheme(_ text: Span<UInt8>, at end: Int) -> Bool {
        (end >= 4 && isHTTP(text.extracting(end - 4..<end)))
            || (end >= 5 && isHTTP(text.extracting(end - 5..<end)))
    }

    /// A byte that may precede a relative URL in a text.
    private static func isBoundary(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F...: true
        case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"), UInt8(ascii: "("),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "="), UInt8(ascii: ","),
            UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "|"):
            true
        default: false
        }
    }

    /// A byte that ends a URL in a text.
    private static func endsText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }
}
