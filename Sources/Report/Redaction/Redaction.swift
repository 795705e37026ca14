internal import SystemKit
internal import TransferModel

/// What a report does not tell whatever its value is, and how much it tells of texts from peers.
enum Redaction {
    /// Fields whose values are credentials (RFC 9110 §11, RFC 6265).
    private static let secretFields = [
        "authorization", "proxy-authorization", "x-amz-security-token",
        "cookie", "set-cookie", "set-cookie2",
        "proxy-authenticate", "proxy-authentication-info", "authentication-info",
    ].map { Array($0.utf8) }
    /// The lengths of those names, a bit for each; most fields have another one.
    private static let secretLengths = secretFields.reduce(0 as UInt64) { $0 | 1 << $1.count }

    /// Whether the value of a field of that name is a credential, without regard to case.
    static func isSecretField(_ name: Span<UInt8>) -> Bool {
        guard secretLengths >> name.count & 1 == 1 else { return false }
        return secretFields.contains { name.isEqualIgnoringCase($0.span) }
    }

    /// Whether a text may stand as it is: short enough, and without a user name or password in a URL.
    static func isHarmless(_ text: Span<UInt8>, maximumBytes: Int) -> Bool {
        guard text.count <= maximumBytes else { return false }
        return !text.contains(UInt8(ascii: "@")) || userInformation(text, from: 0) == nil
    }

    /// The text with the user information of every URL in it redacted, and cut after `maximumBytes` bytes.
    static func text(_ text: String, maximumBytes: Int) -> String {
        let bytes = text.utf8.span
        if isHarmless(bytes, maximumBytes: maximumBytes) { return text }
        var kept: [UInt8] = []
        var position = 0
        while let secret = userInformation(bytes, from: position) {
            for index in position..<secret.lowerBound { kept.append(bytes[index]) }
            kept.append(contentsOf: Secret.mark.utf8)
            position = secret.upperBound
        }
        for index in position..<bytes.count { kept.append(bytes[index]) }
        guard kept.count > maximumBytes else { return String(decoding: kept, as: UTF8.self) }
        var end = maximumBytes
        while end > 0, kept[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: kept[..<end], as: UTF8.self)
            + "... (\(kept.count - end) more bytes)"
    }

    /// The first stretch between `://` and the last `@` of an authority (RFC 3986 §3.2.1), `@` not included.
    private static func userInformation(_ text: Span<UInt8>, from start: Int) -> Range<Int>? {
        var position = start
        while position + 3 <= text.count {
            guard
                text[position] == UInt8(ascii: ":"), text[position + 1] == UInt8(ascii: "/"),
                text[position + 2] == UInt8(ascii: "/")
            else {
                position += 1
                continue
            }
            let first = position + 3
            var end = first
            var at: Int?
            while end < text.count, !endsAuthority(text[end]) {
                if text[end] == UInt8(ascii: "@") { at = end }
                end += 1
            }
            if let at, at > first { return first..<at }
            position = end
        }
        return nil
    }

    private static func endsAuthority(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"),
            UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"):
            true
        default: false
        }
    }
}
