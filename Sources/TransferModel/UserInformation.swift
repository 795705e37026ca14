/// Finds user names and passwords of URLs (RFC 3986 §3.2.1) in text.
package enum UserInformation {
    /// The first stretch between the slashes and the last `@` of an authority, `@` not included.
    ///
    /// Slashes count behind a colon, and two or more behind nothing or what is no part of a URL: `https://u@h`,
    /// `//u@h`. Backslashes count as slashes, because browsers take them for such and JSON writes `\/`.
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
                )
            else { continue }
            let first = position
            let at = lastAt(in: text, from: &position) { endsText($0) }
            if let at, at > first { return first..<at }
        }
        return nil
    }

    /// The user information of a text that is one URL or a relative one, such as a `Location`.
    ///
    /// White space and quotes do not end its authority: nothing else stands in the text.
    package static func ofReference(_ text: Span<UInt8>) -> Range<Int>? {
        var position = 0
        while position < text.count, text[position] <= 0x20 { position += 1 }
        let start = position
        while position < text.count, isSchemeByte(text[position]) { position += 1 }
        let hasScheme =
            position > start && position < text.count && text[position] == UInt8(ascii: ":")
        position = hasScheme ? position + 1 : start
        let opening = position
        while position < text.count, isSlash(text[position]) { position += 1 }
        guard position - opening >= (hasScheme ? 1 : 2) else { return nil }
        let first = position
        let at = lastAt(in: text, from: &position) { _ in false }
        return at.flatMap { $0 > first ? first..<$0 : nil }
    }

    /// Goes to the end of an authority; returns the place of its last `@`.
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
            default: if isEnd(byte) { return at }
            }
            position += 1
        }
        return at
    }

    private static func beginsAuthority(behind byte: UInt8?, slashes count: Int) -> Bool {
        switch byte {
        case UInt8(ascii: ":"): true
        case nil: count > 1
        case .some(let byte): count > 1 && isBoundary(byte)
        }
    }

    /// What may stand in front of a relative URL within text.
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

    /// What ends a URL within text.
    private static func endsText(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"): true
        default: false
        }
    }

    private static func isSlash(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\")
    }

    private static func isSchemeByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
