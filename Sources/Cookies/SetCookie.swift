internal import SystemKit
package import TransferModel

/// A parsed `Set-Cookie` field, without regard to its sender (RFC 6265bis §5.6).
package struct SetCookie: Sendable, Hashable {
    /// The cookie's cross-site policy for browsers; only stored, because a job has no site.
    package enum SameSite: String, Sendable, Hashable, CaseIterable {
        case strict
        case lax
        case none
        case unspecified
    }

    /// The name without blanks around it; may be empty.
    package var name: String
    /// The value without blanks around it; quotes belong to it.
    package var value: String
    /// The last `Domain` in lower case without a leading dot; empty without one.
    package var domain = ""
    /// The last `Path`; empty for the default path of the request.
    package var path = ""
    /// The last `Max-Age` in seconds; it overrides `expires`.
    package var maximumAge: Int64?
    /// The last `Expires` with a valid date.
    package var expires: Timestamp?
    /// Whether the field has `Secure`.
    package var isSecure = false
    /// Whether the field has `HttpOnly`.
    package var isHTTPOnly = false
    /// The last `SameSite`; `unspecified` without a known value.
    package var sameSite = SameSite.unspecified

    /// The most bytes of a name and value together.
    private static let maximumSize = 4096
    /// The most bytes of an attribute's value; longer ones are ignored.
    private static let maximumAttributeSize = 1024

    /// Reads the field's value.
    ///
    /// Returns nil, so that the cookie is ignored, for control bytes, more than 4096 bytes of name
    /// and value, an empty name and value, or invalid UTF-8.
    package init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.allSatisfy(\.isFieldByte),
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
            sameSite = SameSite(rawValue: value.asciiLowercased) ?? .unspecified
        default: break
        }
    }

    /// Takes the part before the next semicolon, split at its first equals sign; `value` is nil
    /// without one.
    private static func next(
        of rest: inout Substring.UTF8View
    ) -> (name: Substring, value: Substring?) {
        let part = rest.prefix { $0 != UInt8(ascii: ";") }
        rest = rest[part.endIndex...].dropFirst()
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
            return (Substring(part.withoutOuterBlanks), nil)
        }
        let (name, value) = (part[..<equals], part[equals...].dropFirst())
        return (Substring(name.withoutOuterBlanks), Substring(value.withoutOuterBlanks))
    }

    /// An integer, saturated to 64 bits; nil for anything else.
    private static func seconds(_ text: Substring) -> Int64? {
        let isNegative = text.utf8.first == UInt8(ascii: "-")
        let digits = text.utf8.dropFirst(isNegative ? 1 : 0)
        guard !digits.isEmpty, digits.allSatisfy(\.isDigit) else { return nil }
        return Int64(text) ?? (isNegative ? .min : .max)
    }
}

extension Substring {
    /// The text with `A`…`Z` replaced by `a`…`z`.
    fileprivate var asciiLowercased: String {
        String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self)
    }
}
