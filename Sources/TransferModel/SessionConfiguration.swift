/// The frozen settings that the tasks of one session share.
///
/// Names and defaults are those of Apple's `URLSessionConfiguration`
/// (https://developer.apple.com/documentation/foundation/urlsessionconfiguration).
package struct SessionConfiguration: Sendable, Hashable {
    /// Where a session keeps what outlives one transfer.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case `default`
        case ephemeral
    }

    package var name: String
    package var kind: Kind = .default
    /// Longest silence: reset by every byte in either direction; nil means unlimited.
    package var timeoutIntervalForRequest: Duration? = .seconds(60)
    /// Longest life of a task, all attempts and waits included; nil means unlimited.
    package var timeoutIntervalForResource: Duration? = .seconds(7 * 86_400)
    /// Resolve, connect and TLS of one connection.
    package var connectTimeout: Duration = .seconds(30)
    /// At least 1.
    package var httpMaximumConnectionsPerHost = 6
    /// Sent with every request of the session; a task's own field of the same name wins.
    package var httpAdditionalHeaders: [HeaderField] = []
    package var minimumRate: MinimumRate?
    package var tls = TLSConfiguration()
    package var proxy = ProxyRule.environment

    package init(name: String) {
        self.name = name
    }
}

/// The floor under a transfer's speed: slower for `over` is a failure of kind `stalled`.
package struct MinimumRate: Sendable, Hashable {
    package var bytesPerSecond: Int64
    package var over: Duration

    package init(bytesPerSecond: Int64, over: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.over = over
    }
}

/// Which TLS a session speaks and whom it trusts.
package struct TLSConfiguration: Sendable, Hashable {
    /// The protocol versions that may be asked for; older ones are not offered.
    package enum Version: String, Sendable, Hashable, CaseIterable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    package var minimumVersion: Version = .tls12
    /// An absolute path to a PEM file of trusted roots; nil means the system's store.
    package var caFile: String?

    package init() {}
}
