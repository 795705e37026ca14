internal import SystemKit
internal import TransferModel

/// The values that a report always hides, and the limits of texts from peers.
enum Redaction {
    /// Fields whose values are credentials (RFC 9110 §11, RFC 6265).
    private static let secretFields = [
        "authorization", "proxy-authorization", "x-amz-security-token",
        "cookie", "set-cookie", "set-cookie2",
        "proxy-authenticate", "proxy-authentication-info", "authentication-info",
    ].map { Array($0.utf8) }
    /// A bit for the length of each name, which excludes most other fields.
    private static let secretLengths = secretFields.reduce(0 as UInt64) { $0 | 1 << $1.count }

    /// Whether the value of a field is a credential, ignoring the name's case.
    static func isSecretField(_ name: Span<UInt8>) -> Bool {
        guard secretLengths >> name.count & 1 == 1 else { return false }
        return secretFields.contains { name.isEqualIgnoringCase($0.span) }
    }

    /// Whether the value of a field is a URL, perhaps a relative one.
    static func isReferenceField(_ name: Span<UInt8>) -> Bool {
        switch name.count {
        case 8: name.isEqualIgnoringCase(location.span)
        case 16: name.isEqualIgnoringCase(contentLocation.span)
        default: false
        }
    }

    private static let location = Array("location".utf8)
    private static let contentLocation = Array("content-location".utf8)

    /// Whether a text needs no change: short enough, and without a login in a URL.
    static func isHarmless(
        _ text: Span<UInt8>,
        maximumBytes: Int,
        isReference: Bool = false
    ) -> Bool {
        guard text.count <= maximumBytes else { return false }
        // A login ends with `@`, or with the ellipsis (E2 80 A6) of a text cut before it.
        guard text.contains(UInt8(ascii: "@")) || text.contains(0xE2) else { return true }
        return UserInformation.first(in: text) == nil
            && (!isReference || UserInformation.ofReference(text) == nil)
    }

    /// A URL, perhaps a relative one, with its user information redacted.
    static func reference(_ text: String) -> String {
        let bytes = text.utf8.span
        guard let secret = UserInformation.ofReference(bytes) else { return text }
        var kept: [UInt8] = []
        kept.append(bytes.extracting(0..<secret.lowerBound))
        kept.append(contentsOf: Secret.mark.utf8)
        kept.append(bytes.extracting(secret.upperBound..<bytes.count))
        return String(decoding: kept, as: UTF8.self)
    }

    /// The text with the user information of every URL redacted, cut after `maximumBytes` bytes.
    static func text(_ text: String, maximumBytes: Int) -> String {
        let bytes = text.utf8.span
        if isHarmless(bytes, maximumBytes: maximumBytes) { return text }
        var kept: [UInt8] = []
        var position = 0
        while let secret = UserInformation.first(in: bytes, from: position) {
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
}
