extension HTTPURL {
    /// The URL that a reference means that has come from this one (RFC 3986 §5.2.2); nil for one that cannot be asked.
    ///
    /// Without the fragment. Dot segments stay, as in every other URL.
    package func resolving(_ reference: String) -> HTTPURL? {
        let reference = reference.prefix { $0 != "#" }
        let base = Self.slice(text, 0..<authorityEnd)
        let target: String
        if Self.hasScheme(reference) {
            target = String(reference)
        } else if reference.hasPrefix("//") {
            target = "\(origin.scheme.rawValue):\(reference)"
        } else if reference.hasPrefix("/") {
            target = base + reference
        } else if reference.hasPrefix("?") {
            target = base + path + reference
        } else if reference.isEmpty {
            target = base + path + (query.isEmpty ? "" : "?\(query)")
        } else {
            let folderEnd = path.lastIndex(of: "/") ?? path.startIndex
            target = base + path[...folderEnd] + reference
        }
        return try? HTTPURL(target, like: self)
    }

    /// Whether it begins with a scheme, which has no slash, question mark or hash before its colon.
    private static func hasScheme(_ reference: Substring) -> Bool {
        guard let end = reference.firstIndex(where: { ":/?#".contains($0) }) else { return false }
        return reference[end] == ":" && end > reference.startIndex
    }
}
