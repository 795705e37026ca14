package import TransferModel

extension HTTPURL {
    /// The URL that a reference on this page leads to (RFC 3986 §5.2); nil for one of another scheme, and for none at all.
    package func resolving(_ reference: String) -> HTTPURL? {
        let reference = reference.prefix { $0 != "#" }
        if let url = try? HTTPURL(String(reference)) { return url }
        // Whatever else has a scheme is not http.
        let scheme = reference.prefix { $0 != "/" && $0 != "?" }
        guard !scheme.contains(":") else { return nil }
        let text: String
        if reference.hasPrefix("//") {
            text = origin.scheme.rawValue + ":" + reference
        } else if reference.hasPrefix("/") {
            text = origin.text + reference
        } else if reference.hasPrefix("?") {
            text = origin.text + path + reference
        } else if reference.isEmpty {
            text = origin.text + path + (query.isEmpty ? "" : "?" + query)
        } else {
            let folder = path.lastIndex(of: "/").map { path[...$0] } ?? "/"
            text = origin.text + folder + reference
        }
        return try? HTTPURL(text)
    }
}
