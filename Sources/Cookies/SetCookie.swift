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

/// Parses the dates of `Expires`, which vary more than HTTP allows (RFC 6265bis §5.1.1).
enum CookieDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// The time in `text`; nil for a missing part or an impossible date.
    static func parse(_ text: Substring) -> Timestamp? {
        var time: Int64?
        var day: Int64?
        var month: Int64?
        var year: Int64?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = secondsOfDay(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = monthNumber(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, time >= 0, let day, let month, var year else { return nil }
        switch year {
        case 0...69: year += 2000
        case 70...99: year += 1900
        default: break
        }
        let date = CivilDate(year: year, month: month, day: day)
        guard year >= 1601, (1...31).contains(day), date.isInCalendar else { return nil }
        return Timestamp(microseconds: (date.daysSinceEpoch * 86_400 + time) * 1_000_000)
    }

    /// Any byte except digits, letters, colons, control bytes and non-ASCII.
    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// The number at the beginning of a token, if its digit count is in the range.
    private static func number(
        _ token: Substring.UTF8View.SubSequence,
        digits: ClosedRange<Int>
    ) -> Int64? {
        let number = token.prefix(while: \.isDigit)
        return digits.contains(number.count) ? Int64(Substring(number)) : nil
    }

    private static func monthNumber(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        guard let name = String(token.prefix(3))?.lowercased(),
            let index = months.firstIndex(of: name)
        else { return nil }
        return Int64(index) + 1
    }

    /// The second of the day for `12:34:56`; -1 for an impossible time, nil for anything else.
    private static func secondsOfDay(_ token: Substring.UTF8View.SubSequence) -> Int64? {
        let fields = token.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 2,
            omittingEmptySubsequences: false
        )
        guard fields.count == 3, fields[0].allSatisfy(\.isDigit), fields[1].allSatisfy(\.isDigit),
            let hour = number(fields[0], digits: 1...2),
            let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2)
        else { return nil }
        guard hour < 24, minute < 60, second < 60 else { return -1 }
        return hour * 3600 + minute * 60 + second
    }
}
