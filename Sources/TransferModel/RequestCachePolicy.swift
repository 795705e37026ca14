/// What a request makes of stored responses, as Apple's `NSURLRequest.CachePolicy`.
package enum RequestCachePolicy: String, Sendable, Hashable, CaseIterable {
    /// As HTTP has it: what is fresh is used, what is stale is validated.
    case useProtocolCachePolicy
    /// Stored responses are not looked at; what comes is stored.
    case reloadIgnoringLocalCacheData
    /// Nor are those of caches on the way, which are told so.
    case reloadIgnoringLocalAndRemoteCacheData
    /// The origin is asked whether the stored response still holds.
    case reloadRevalidatingCacheData
    /// A stored response is used whatever its age; only without one is the origin asked.
    case returnCacheDataElseLoad
    /// A stored response is used whatever its age; without one the task fails, and nobody is asked.
    case returnCacheDataDontLoad

    /// Whether a stored response is used whatever its age.
    package var usesAnyAge: Bool {
        self == .returnCacheDataElseLoad || self == .returnCacheDataDontLoad
    }
}

/// How a session keeps responses (Apple's `URLCache`).
package struct URLCacheConfiguration: Sendable, Hashable {
    /// The part of the capacity that one response may take, as in `URLCache`.
    package static let largestPart: Int64 = 20

    /// An absolute path; nil means the user's cache folder.
    package var directory: String?
    /// Bytes that stay on disk; of a session that keeps them there.
    package var diskCapacity: Int64 = 1 << 30
    /// Bytes that stay in memory; of a session that keeps nothing on disk.
    package var memoryCapacity: Int64 = 16 << 20
    /// How long after its freshness a response may stand in for an origin that fails (RFC 9111
    /// §4.2.4).
    package var staleIfError = Duration.zero

    package init() {}
}

/// Whether and how a session keeps responses.
package enum URLCacheRule: Sendable, Hashable {
    case none
    case kept(URLCacheConfiguration)
}
