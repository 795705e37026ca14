internal import SystemKit

/// A parsed `data` URL, which holds its own content (RFC 2397).
///
/// It is read as browsers read it (Fetch §6, *data: URL processor*), with one difference: a text
/// that browsers repair or cut off, such as one with an unescaped `#`, is a fault.
package struct DataURL: Sendable, Hashable {
    /// The media type with its parameters; `text/plain;charset=US-ASCII` when the URL names none.
    package let mediaType: String
    /// The content without escapes and base64.
    package let bytes: [UInt8]
    /// The URL in ASCII, with escapes in place of spaces and other characters.
    package let text: String

    /// Whether a text begins with `data:`, in any case.
    package static func isMeant(by text: String) -> Bool {
        text.utf8.starts(with: "data:".utf8) { $0.asciiLowercased == $1 }
    }

    /// Parses a URL and decodes its content.
    package init(_ text: String) throws(DataURLFault) {
        guard Self.isMeant(by: text) else { throw .otherScheme }
        for (offset, byte) in text.utf8.enumerated() {
            if byte < 0x20 || byte == 0x7F { throw .badCharacter(offset: offset) }
            if byte == UInt8(ascii: "#") { throw .fragment }
        }
        self.text = PercentCoding.encode(text) { byte in
            byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
        }
        let rest = text.utf8.dropFirst(5)
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { throw .missingComma }
        var type = String(Substring(rest[..<comma]))
        let isBase64 = Self.takeBase64(from: &type)
        mediaType = try Self.checked(type)
        guard let content = PercentCoding.decode(rest[rest.index(after: comma)...]) else {
            throw .badEscape
        }
        bytes = isBase64 ? try Self.decoded(content) : content
    }

    /// Removes `;base64` at the end of a media type; returns whether it was there.
    private static func takeBase64(from type: inout String) -> Bool {
        while type.utf8.last == 0x20 { type.removeLast() }
        guard let semicolon = type.utf8.lastIndex(of: UInt8(ascii: ";")) else { return false }
        let name = type.utf8[semicolon...].dropFirst().drop { $0 == 0x20 }
        guard name.map(\.asciiLowercased).elementsEqual("base64".utf8) else { return false }
        type = String(type[..<semicolon])
        return true
    }

    /// A media type with its defaults (RFC 2397 §2).
    private static func checked(_ written: String) throws(DataURLFault) -> String {
        var type = written
        while type.utf8.first == 0x20 { type.removeFirst() }
        while type.utf8.last == 0x20 { type.removeLast() }
        if type.isEmpty { return "text/plain;charset=US-ASCII" }
        if type.utf8.first == UInt8(ascii: ";") { type = "text/plain" + type }
        let essence = type.utf8.prefix { $0 != UInt8(ascii: ";") && $0 != 0x20 }
        let parts = essence.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy(\.isTokenByte) }),
            type.utf8.allSatisfy({ $0 < 0x80 })
        else { throw .badMediaType }
        return type
    }

    /// The bytes of base64 without its spaces, with or without its padding.
    private static func decoded(_ content: [UInt8]) throws(DataURLFault) -> [UInt8] {
        var digits = content.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
        if !digits.contains(UInt8(ascii: "=")) {
            while !digits.count.isMultiple(of: 4), digits.count % 4 != 1 {
                digits.append(UInt8(ascii: "="))
            }
        }
        guard let bytes = Base64.decode(digits) else { throw .badBase64 }
        return bytes
    }
}

/// Why a text is not a usable `data` URL.
package enum DataURLFault: Error, Hashable {
    /// The text does not begin with `data:`.
    case otherScheme
    /// Nothing separates the media type from the content.
    case missingComma
    /// The media type has no type and subtype that are tokens.
    case badMediaType
    case badBase64
    /// A `%` without two hexadecimal digits.
    case badEscape
    /// A `#`, after which the URL would end.
    case fragment
    /// A control character at this UTF-8 offset.
    case badCharacter(offset: Int)
}
