package import TransferModel

/// Under what responses are stored: the URL that was asked (RFC 9111 §2), whoever asked for it.
package struct CacheKey: Sendable, Hashable {
    /// Normalized, without a fragment.
    package let url: String
    /// The name of the file that lists the responses.
    package let name: String

    /// The key of a URL; nil when no fingerprint can be made.
    ///
    /// - Parameters:
    ///   - url: What is asked.
    ///   - fingerprint: Makes the name.
    package init?(_ url: HTTPURL, _ fingerprint: Fingerprint) {
        let text = Self.text(of: url)
        guard let name = fingerprint(Array(text.utf8)) else { return nil }
        self.url = text
        self.name = name
    }

    /// What URLs have in common that mean the same: an empty query is another one than none (RFC
    /// 3986 §6.2.3).
    static func text(of url: HTTPURL) -> String {
        url.normalized.text + (url.hasEmptyQuery ? "?" : "")
    }
}
