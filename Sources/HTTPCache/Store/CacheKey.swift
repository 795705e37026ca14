package import TransferModel

/// Under what responses are stored: the URL that was asked, and who may share what it answers (RFC 9111 §2).
package struct CacheKey: Sendable, Hashable {
    /// Normalized, without a fragment.
    package let url: String
    /// The name of the file that lists the responses.
    package let name: String

    /// The key of a URL; nil when no fingerprint can be made.
    ///
    /// - Parameters:
    ///   - url: What is asked.
    ///   - partition: What sessions that trust and are trusted alike have in common.
    ///   - fingerprint: Makes the name.
    package init?(_ url: HTTPURL, partition: String, _ fingerprint: Fingerprint) {
        let text = url.normalized.text
        guard let name = fingerprint(Array((partition + "\n" + text).utf8)) else { return nil }
        self.url = text
        self.name = name
    }
}
