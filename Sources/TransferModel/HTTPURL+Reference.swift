internal import SystemKit

extension HTTPURL {
    /// Resolves a reference received from this URL (RFC 3986 §5.2.2); nil for an unusable result.
    ///
    /// The result has no fragment. Dot segments stay, as in every other URL.
    package func resolving(_ reference: String) -> HTTPURL? {
        let reference = Substring(reference.utf8.prefix { $0 != UInt8(ascii: "#") })
        let base = Self.slice(text, 0..<authorityEnd)
        let target: String
        if Self.hasScheme(reference) {
            target = String(reference)
        } else if reference.hasBytePrefix("//") {
            target = "\(origin.scheme.rawValue):\(reference)"
        } else if reference.hasBytePrefix("/") {
            target = base + reference
        } else if reference.hasBytePrefix("?") {
            target = base + path + reference
        } else if reference.isEmpty {
            target = base + path + (query.isEmpty ? "" : "?\(query)")
        } else {
            target = base + (path.cut(atLast: "/")?.before ?? "") + "/" + reference
        }
        return try? HTTPURL(target, like: self)
    }

    /// Whether the reference has a scheme: a colon before any slash, question mark or hash.
    private static func hasScheme(_ reference: Substring) -> Bool {
        let end = reference.utf8.firstIndex {
            $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
                || $0 == UInt8(ascii: "#")
        }
        guard let end else { return false }
        return reference.utf8[end] == UInt8(ascii: ":") && end > reference.startIndex
    }
}
