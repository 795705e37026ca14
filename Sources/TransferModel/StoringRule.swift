internal import SystemKit

/// Whether a cache may store some responses (`urlSession(_:dataTask:willCacheResponse:)`).
package struct StoringRule: Sendable, Hashable {
    /// The URLs of the responses; empty for all.
    package var urls: [URLPattern] = []
    /// MIME types in lower case, also `type/*`; empty for all, also for an unknown type.
    package var mimeTypes: [String]
    /// Whether such a response is stored if HTTP permits that.
    package var stores: Bool

    /// Creates a rule for all URLs.
    package init(mimeTypes: [String] = [], stores: Bool) {
        self.mimeTypes = mimeTypes
        self.stores = stores
    }

    /// Whether the rule is about a response.
    package func matches(_ url: HTTPURL, _ mimeType: String?) -> Bool {
        guard urls.isEmpty || urls.contains(where: { $0.matches(url) }) else { return false }
        guard !mimeTypes.isEmpty else { return true }
        guard let mimeType else { return false }
        return mimeTypes.contains { type in
            type.hasByteSuffix("/*") ? mimeType.hasBytePrefix(type.dropLast()) : type == mimeType
        }
    }
}
