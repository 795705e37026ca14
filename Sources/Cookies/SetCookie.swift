package import TransferModel

/// A `Set-Cookie` field as it is written, before anything is known of who sent it (RFC 6265bis
/// §5.6).
package struct SetCookie: Sendable, Hashable {
    package var name: String
    package var value: String
    /// The last `Domain` without a dot in front, in lower case; empty when there is none.
    package var domain = ""
    /// The last `Path`; empty when it is to be made of the request's.
    package var path = ""
    /// The last `Max-Age` in seconds; it wins over `expires`.
    package var maximumAge: Int64?
    /// The last `Expires` that is a date.
    package var expires: Timestamp?
    package var isSecure = false
    package var isHTTPOnly = false
    package var sameSite = Cookie.SameSite.unspecified

    /// A name and a value are not longer together, bytes.
    private static let maximumSize = 4096
    /// An attribute with a longer value is ignored, bytes.
    private static let maximumAttributeSize = 1024

    /// Reads the field's value.
    ///
    /// Control bytes, a name and value of more than 4096 bytes, neither a name nor a value, and
    /// what is not UTF-8 give nil: the cookie is ignored.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard !bytes.contains(where: Self.isForbidden),
            let text = String(validating: bytes, as: UTF8.self)
        else { return nil }
        var attributes = text.utf8[...]
        let pair = Self.next(of: &attributes)
        name = String(pair.value == nil ? "" : pair.name)
        value = String(pair.value ?? pair.name)
        let size = name.utf8.count + value.utf8.count
        guard size > 0, size <= Self.maximumSize else { return nil }
        while !attributes.isEmpty {
            let (name, value) = Self.next(of: &attributes)
            read(attribute: name.asciiLowercased, value ?? "")
        }
    }

    private mutating func read(attribute name: String, _ value: Substring) {
        guard value.utf8.count <= Self.maximumAttributeSize else { return }
        switch name {
        case "expires": expires = CookieDate.parse(value) ?? expires
        case "max-age": maximumAge = Self.seconds(value) ?? maximumAge
        case "domain":
            let isDotted = value.utf8.first == UInt8(ascii: ".")
            domain = Substring(value.utf8.dropFirst(isDotted ? 1 : 0)).asciiLowercased
        case "path": path = value.utf8.first == UInt8(ascii: "/") ? String(value) : ""
        case "secure": isSecure = true
        case "httponly": isHTTPOnly = true
        case "samesite":
            sameSite = Cookie.SameSite(rawValue: value.asciiLowercased) ?? .unspecified
        default: break
        }
    }

    /// Takes what stands before the next semicolon, at its first equals sign; `value` is nil
    /// without one.
    private static func next(
        of rest: inout Substring.UTF8View
    ) -> (name: Substring, value: Substring?) {
        let part = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[part.endIndex...].dropFirst()
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
            return (trimmed(part), nil)
        }
        return (trimmed(part[..<equals]), trimmed(part[equals...].dropFirst()))
    }

    private static func trimmed(_ text: Substring.UTF8View) -> Substring {
        var text = text.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return Substring(text)
    }

    /// A whole number, as large as there are any; nil for anything else.
    private static func seconds(_ text: Substring) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int64(text) ?? (isNegative ? .min : .max)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 }

    /// A control byte other than the tab.
    static func isForbidden(_ byte: UInt8) -> Bool {
        byte < 0x20 && byte != 9 || byte == 0x7F
    }
}

extension Substring {
    /// The text with `A`…`Z` made `a`…`z` and nothing else changed.
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}
