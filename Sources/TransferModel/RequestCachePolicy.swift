internal import SystemKit

/// How a request uses stored responses, like Apple's `NSURLRequest.CachePolicy`.
package enum RequestCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// The rules of HTTP: fresh responses are used, stale ones are validated.
    case useProtocolCachePolicy
    /// Ignore stored responses; store the new one.
    case reloadIgnoringLocalCacheData
    /// Also tell caches on the way to ignore theirs.
    case reloadIgnoringLocalAndRemoteCacheData
    /// Validate the stored response at the origin.
    case reloadRevalidatingCacheData
    /// Use a stored response of any age; ask the origin only without one.
    case returnCacheDataElseLoad
    /// Use a stored response of any age; fail without one, without a request.
    case returnCacheDataDontLoad

    /// Whether stored responses of any age are used.
    package var usesAnyAge: Bool {
        self == .returnCacheDataElseLoad || self == .returnCacheDataDontLoad
    }
}

/// How a session stores responses (Apple's `URLCache`).
package struct URLCacheConfiguration: Sendable, Hashable {
    /// One response may take this fraction (1/20) of the capacity, as in `URLCache`.
    package static let largestPart: Int64 = 20

    /// An absolute path; nil means the user's cache folder.
    package var directory: String?
    /// Bytes on disk, for sessions that store there.
    package var diskCapacity: Int64 = 1 << 30
    /// Bytes in memory, for sessions that store nothing on disk.
    package var memoryCapacity: Int64 = 16 << 20
    /// How long after its freshness a response may replace the response of a failing origin (RFC
    /// 9111 §4.2.4).
    package var staleIfError = Duration.zero
    /// The first rule that matches a response decides whether it is stored; without one HTTP does.
    package var storingRules: [StoringRule] = []

    /// Creates the default cache: 1 GiB on disk, 16 MiB in memory, no stale responses.
    package init() {}
}

/// Whether and how a session stores responses.
package enum URLCacheRule: Sendable, Hashable {
    case none
    case kept(URLCacheConfiguration)
}

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
    package func matches(_ url: TransferURL, _ mimeType: String?) -> Bool {
        guard urls.isEmpty || urls.contains(where: { $0.matches(url) }) else { return false }
        guard !mimeTypes.isEmpty else { return true }
        guard let mimeType else { return false }
        return mimeTypes.contains { type in
            type.hasByteSuffix("/*") ? mimeType.hasBytePrefix(type.dropLast()) : type == mimeType
        }
    }
}
