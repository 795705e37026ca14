package import TransferModel

/// The key of stored responses: their URL (RFC 9111 §2), whichever session requested it.
package struct CacheKey: Sendable, Hashable {
    /// Normalized, without a fragment.
    package let url: String
    /// The name of the file that lists the responses.
    package let name: String

    /// The key of a URL; nil when no fingerprint can be made.
    ///
    /// - Parameters:
    ///   - url: The requested URL.
    ///   - fingerprint: Makes the name.
    package init?(_ url: TransferURL, _ fingerprint: Fingerprint) {
        let text = Self.text(of: url)
        guard let name = fingerprint(Array(text.utf8)) else { return nil }
        self.url = text
        self.name = name
    }

    /// The common text of equivalent URLs; an empty query differs from no query (RFC 3986 §6.2.3).
    static func text(of url: TransferURL) -> String {
        url.normalized.text + (url.hasEmptyQuery ? "?" : "")
    }
}
