internal import SystemKit

/// A path to a value in a JSON document (RFC 6901), such as `/items/0/id`; the empty path is the
/// whole document.
package struct JSONPointer: Sendable, Hashable, CustomStringConvertible {
    /// The pattern for the JSON Schema.
    package static let pattern = "^(/([^/~]|~[01])*)*$"

    /// The pointer as written.
    package let description: String
    /// The unescaped names or indices of the path.
    private let tokens: [String]

    /// Fails for a nonempty text that does not begin with `/`, or for a `~` without a following `0`
    /// or `1`.
    package init?(_ text: String) {
        description = text
        var tokens: [String] = []
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.first?.isEmpty ?? true else { return nil }
        for part in parts.dropFirst() {
            guard let token = Self.unescaped(Substring(part)) else { return nil }
            tokens.append(token)
        }
        self.tokens = tokens
    }

    /// The value at the path; nil if there is none.
    package func resolve(in document: JSONValue) -> JSONValue? {
        var value = document
        for token in tokens {
            let inner: JSONValue? =
                if case .array = value { Self.place(token).flatMap { value[$0] } } else {
                    value[token]
                }
            guard let inner else { return nil }
            value = inner
        }
        return value
    }

    /// An array index: digits without a leading zero (RFC 6901 §4).
    private static func place(_ token: String) -> Int? {
        guard token.utf8.allSatisfy(\.isDigit),
            token == "0" || !token.hasBytePrefix("0")
        else { return nil }
        return Int(token)
    }

    /// `~1` is `/`, then `~0` is `~` (RFC 6901 §4).
    private static func unescaped(_ part: Substring) -> String? {
        guard part.utf8.contains(UInt8(ascii: "~")) else { return String(part) }
        var text = ""
        var isEscape = false
        for character in part.unicodeScalars {
            switch (isEscape, character) {
            case (true, "0"): text += "~"
            case (true, "1"): text += "/"
            case (true, _): return nil
            case (false, "~"): break
            case (false, _): text.unicodeScalars.append(character)
            }
            isEscape = !isEscape && character == "~"
        }
        return isEscape ? nil : text
    }
}
