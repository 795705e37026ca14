internal import SystemKit

extension HTTPURL {
    /// The URL that a reference means that has come from this one (RFC 3986 §5.2.2); nil for one
    /// that cannot be asked.
    ///
    /// Without the fragment. Dot segments stay, as in every other URL.
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
            let folderEnd = path.lastByteIndex(of: "/") ?? path.startIndex
            target = base + path[...folderEnd] + reference
        }
        return try? HTTPURL(target, like: self)
    }

    /// Whether it begins with a scheme, which has no slash, question mark or hash before its colon.
    private static func hasScheme(_ reference: Substring) -> Bool {
        let end = reference.utf8.firstIndex {
            $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?")
                || $0 == UInt8(ascii: "#")
        }
        guard let end else { return false }
        return reference.utf8[end] == UInt8(ascii: ":") && end > reference.startIndex
    }
}
