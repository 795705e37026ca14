/// The frozen settings that the tasks of one session share.
///
/// Names and defaults are those of Apple's `URLSessionConfiguration`
/// (https://developer.apple.com/documentation/foundation/urlsessionconfiguration).
package struct SessionConfiguration: Sendable, Hashable {
    /// Where a session keeps what outlives one transfer.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case `default`
        case ephemeral
        /// Every transfer is kept as well: a later run goes on with what is left.
        case background
    }

    package var name: String
    package var kind: Kind = .default
    /// What a background session's transfers are kept under; no other session has one.
    package var identifier: String?
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
    package var httpVersion = HTTPVersion.automatic
    /// Whether requests carry the cookies that the session has kept.
    package var httpShouldSetCookies = true
    package var httpCookieAcceptPolicy = HTTPCookieAcceptPolicy.onlyFromMainDocumentDomain
    package var minimumRate: MinimumRate?
    /// nil means as the kind of session has it.
    package var urlCache: URLCacheRule?
    /// Of tasks that say nothing else; nil when the job file does not say.
    package var requestCachePolicy: RequestCachePolicy?
    package var tls = TLSConfiguration()
    package var proxy = ProxyRule.environment
    /// In the order of the job file; of two that fit equally well the first is used.
    package var credentials: [Credential] = []
    /// Which interfaces its tasks may use.
    package var access: NetworkAccess = [.flags, .unclassified]
    /// Whether a task without a permitted way waits for one instead of being deferred.
    package var waitsForConnectivity = false
    /// Whether a background session's attempts begin on external power only; what it makes of
    /// networks stands in `access` and `waitsForConnectivity`.
    package var isDiscretionary = false
    package var networkServiceType = NetworkServiceType.default
    package var multipathServiceType = MultipathServiceType.none

    /// Whether something has to be known of the machine's interfaces before its tasks are started.
    package var dependsOnNetwork: Bool { access.isRestricted || waitsForConnectivity }

    package init(name: String) {
        self.name = name
    }

    /// Whether it leaves the way to a server to this machine.
    package var hasPlainWay: Bool {
        tls == TLSConfiguration() && proxy == .environment && access == [.flags, .unclassified]
            && networkServiceType == .default && multipathServiceType == .none
    }

    /// What later runs know a task's upload by: background sessions keep theirs apart.
    package static func uploadName(of task: String, in identifier: String?) -> String {
        identifier.map { "\($0)\n\(task)" } ?? task
    }

    /// How responses are kept; nil when they are not: without room for them, in a background
    /// session that does not ask for it, and where tickets are asked for, because whose they are
    /// may change with every run, and nobody tells.
    package var keptCache: URLCacheConfiguration? {
        let rule: URLCacheConfiguration? =
            switch urlCache {
            case .kept(let configuration): configuration
            case URLCacheRule.none?: nil
            case nil: kind == .background ? nil : URLCacheConfiguration()
            }
        guard let rule, !credentials.contains(where: { $0.proof == .negotiate }) else { return nil }
        let capacity = kind == .ephemeral ? rule.memoryCapacity : rule.diskCapacity
        return capacity > 0 ? rule : nil
    }
}

/// Which versions of HTTP a session speaks over TLS; without TLS it is always 1.1.
package enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
    case http1 = "1.1"
    /// HTTP/2, or 1.1 where the server has no other.
    case http2 = "2"
    /// HTTP/2 where libcurl does it well and the server has it, else 1.1.
    case automatic
    /// HTTP/3, or an older one where the server has no other.
    case http3 = "3"
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
    package enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
        case tls12 = "1.2"
        case tls13 = "1.3"

        package static func < (left: Version, right: Version) -> Bool {
            left == .tls12 && right == .tls13
        }
    }

    /// Whose certificate is good.
    package enum ServerTrust: String, Sendable, Hashable, CaseIterable {
        /// One that a trusted root vouches for, that is in its time and has the host's name.
        case system
        /// Anybody's: nothing is verified.
        case insecureAcceptAny
    }

    /// Whether a server must say that it closes a connection (`close_notify`, RFC 8446 §6.1).
    package enum CloseNotify: String, Sendable, Hashable, CaseIterable {
        /// Where it does not, a body that only the end of the connection ends is cut (RFC 9112
        /// §9.8).
        case required
        /// The server is known to end its connections without.
        case optional
    }

    package var minimumVersion: Version = .tls12
    /// Newer versions are not offered; nil means none is too new.
    package var maximumVersion: Version?
    /// An absolute path to a PEM file of trusted roots; nil means the system's store.
    package var caFile: String?
    /// The public keys of which the server must have one; none means any.
    ///
    /// As `sha256//` and the base64 of their SHA-256 (RFC 7469 §2.4); asked for besides
    /// `serverTrust`, not in its stead.
    package var pinnedPublicKeys: [String] = []
    package var serverTrust = ServerTrust.system
    package var closeNotify = CloseNotify.required

    package init() {}
}
