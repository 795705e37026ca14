internal import SystemKit

/// The frozen settings that the tasks of one session share.
///
/// Names and defaults are those of Apple's `URLSessionConfiguration`
/// (https://developer.apple.com/documentation/foundation/urlsessionconfiguration).
package struct SessionConfiguration: Sendable, Hashable {
    /// The place for a session's persistent state.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case `default`
        case ephemeral
        /// Also keeps every transfer, so that a later run can finish it.
        case background
    }

    /// The name in the job file, by which tasks choose the session.
    package var name: String
    /// The description in reports (`URLSession.sessionDescription`); nil without one.
    package var sessionDescription: String?
    /// Where the session keeps its cookies, stored responses and transfers.
    package var kind: Kind = .default
    /// The name of a background session's kept transfers; nil for other sessions.
    package var identifier: String?
    /// The longest idle time, reset by every byte in either direction; nil means unlimited.
    package var timeoutIntervalForRequest: Duration? = .seconds(60)
    /// The longest duration of a task with all attempts and waits; nil means unlimited.
    package var timeoutIntervalForResource: Duration? = .seconds(7 * 86_400)
    /// For resolve, connect and TLS of one connection.
    package var connectTimeout: Duration = .seconds(30)
    /// Other servers for the hosts of URLs; the first that fits applies.
    package var connectTo: [ConnectRule] = []
    /// At least 1.
    package var httpMaximumConnectionsPerHost = 6
    /// Sent with every request of the session, unless a task has a field of that name.
    package var httpAdditionalHeaders: [HeaderField] = []
    /// The HTTP version that its requests ask for over TLS.
    package var httpVersion = HTTPVersion.automatic
    /// Whether requests carry the session's cookies.
    package var httpShouldSetCookies = true
    /// Which cookies of responses the session keeps.
    package var httpCookieAcceptPolicy = HTTPCookieAcceptPolicy.onlyFromMainDocumentDomain
    /// Where the session keeps its cookies.
    package var httpCookieStorage = CookieStoragePlace.own
    /// The name of the credentials that it shares with other sessions of the job; nil for its own.
    package var urlCredentialStorage: String?
    /// The lowest accepted speed; nil means none.
    package var minimumRate: MinimumRate?
    /// The most traffic of its tasks together.
    package var limits = SessionLimits()
    /// nil means the default of the session's kind.
    package var urlCache: URLCacheRule?
    /// For tasks without their own; nil if the job file has none.
    package var requestCachePolicy: RequestCachePolicy?
    /// The TLS versions and certificates that its connections accept.
    package var tls = TLSConfiguration()
    /// The folders whose files `file` URLs may name, as absolute paths.
    package var readableFolders: [String] = []
    /// The programs that serve custom schemes, each scheme once.
    package var protocolPrograms: [ProtocolProgram] = []
    /// How it reaches servers of FTP; nil when it reaches none.
    package var ftp: FTPConfiguration?
    /// How it knows servers of SSH; nil when it reaches none.
    package var ssh: SSHConfiguration?
    /// The source of its proxies.
    package var proxy = ProxyRule.environment
    /// In the job file's order; the first of equally good matches is used.
    package var credentials: [Credential] = []
    /// The interfaces that its tasks may use.
    package var access = NetworkAccess.all
    /// Whether a task without a permitted path waits instead of being deferred.
    package var waitsForConnectivity = false
    /// Whether attempts of a background session need external power; `access` and
    /// `waitsForConnectivity` hold its network rules.
    package var isDiscretionary = false
    /// The class of its traffic, by which the network may favour packets.
    package var networkServiceType = NetworkServiceType.default
    /// Whether its connections use several interfaces at once.
    package var multipathServiceType = MultipathServiceType.none

    /// Whether tasks need the state of the machine's interfaces before they start.
    package var dependsOnNetwork: Bool { access.isRestricted || waitsForConnectivity }

    /// Creates a session with Apple's defaults.
    package init(name: String) {
        self.name = name
    }

    /// Whether the machine alone chooses the path to a server.
    package var hasPlainWay: Bool {
        tls == TLSConfiguration() && proxy == .environment && access == .all
            && networkServiceType == .default && multipathServiceType == .none
            && connectTo.isEmpty
    }

    /// The name of a task's upload for later runs; background sessions keep theirs apart.
    package static func uploadName(of task: String, in identifier: String?) -> String {
        identifier.map { "\($0)\n\(task)" } ?? task
    }

    /// How responses are stored; nil without capacity, in a background session that does not ask
    /// for it, and for logins by ticket, whose user may change unnoticed between runs.
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

/// The storage of a session's cookies, as `URLSessionConfiguration.httpCookieStorage`.
package enum CookieStoragePlace: Sendable, Hashable {
    /// The session's own.
    case own
    /// The storage of all sessions of the job that name it.
    case shared(String)
    /// No storage: the session sends and keeps no cookies.
    case none
}

/// The HTTP versions of a session over TLS; without TLS always 1.1.
package enum HTTPVersion: String, Sendable, Hashable, CaseIterable {
    case http1 = "1.1"
    /// HTTP/2, or 1.1 if the server has no HTTP/2.
    case http2 = "2"
    /// HTTP/2 where libcurl and the server support it well, otherwise 1.1.
    case automatic
    /// HTTP/3, or an older version if the server has no HTTP/3.
    case http3 = "3"
}

/// The lowest speed of a transfer; being slower for the time `over` is a `stalled` failure.
package struct MinimumRate: Sendable, Hashable {
    /// The lowest speed, bytes per second.
    package var bytesPerSecond: Int64
    /// The time for which a transfer may be slower.
    package var over: Duration

    /// Creates a lowest speed.
    package init(bytesPerSecond: Int64, over: Duration) {
        self.bytesPerSecond = bytesPerSecond
        self.over = over
    }
}

/// A session's TLS versions and trusted certificates.
package struct TLSConfiguration: Sendable, Hashable {
    /// The minimum and maximum versions that a job can set.
    package enum Version: String, Sendable, Hashable, CaseIterable, Comparable {
        case tls12 = "1.2"
        case tls13 = "1.3"

        /// Whether the left version is older.
        package static func < (left: Version, right: Version) -> Bool {
            left == .tls12 && right == .tls13
        }
    }

    /// The accepted server certificates.
    package enum ServerTrust: String, Sendable, Hashable, CaseIterable {
        /// Certificates from a trusted root, valid now and for the host's name.
        case system
        /// Every certificate, without verification.
        case insecureAcceptAny
    }

    /// Whether a server must announce the end of a connection (`close_notify`, RFC 8446 §6.1).
    package enum CloseNotify: String, Sendable, Hashable, CaseIterable {
        /// Otherwise a body that ends with the connection counts as truncated (RFC 9112 §9.8).
        case required
        /// The server is known to close connections without it.
        case optional
    }

    /// Older versions are refused.
    package var minimumVersion: Version = .tls12
    /// Newer versions are not offered; nil means no maximum.
    package var maximumVersion: Version?
    /// An absolute path to a PEM file of trusted roots; nil means the system's store.
    package var caFile: String?
    /// The pinned public keys, of which the server must have one; empty accepts any.
    ///
    /// `sha256//` and the base64 of their SHA-256 (RFC 7469 §2.4); checked in addition to
    /// `serverTrust`.
    package var pinnedPublicKeys: [String] = []
    /// Whether server certificates are verified.
    package var serverTrust = ServerTrust.system
    /// Whether a body that ends with its connection needs the server's `close_notify`.
    package var closeNotify = CloseNotify.required

    /// Creates the default: TLS 1.2 or newer, verified by the system's roots.
    package init() {}
}

extension SessionConfiguration {
    /// Whether the session may use Kerberos tickets (RFC 4559): libcurl blocks its thread until the
    /// Kerberos service answers.
    package var asksForTickets: Bool {
        let slots = ProxyServers.Slot.allCases
        return credentials.contains { $0.proof.asksForTickets }
            || slots.contains { proxy.servers?[$0]?.credentials?.method == .negotiate }
    }

    /// Whether the session may reach file servers: libcurl blocks its thread until such a server
    /// confirms the end of a transfer or a connection.
    package var reachesFileServers: Bool { ftp != nil || ssh != nil }

    /// Whether libcurl may block the thread of the session's transfers.
    package var mayBlock: Bool { asksForTickets || reachesFileServers }
}

extension Credential.Proof {
    fileprivate var asksForTickets: Bool {
        if case .negotiate = self { true } else { false }
    }
}

/// Which cookies a session keeps from responses (`HTTPCookie.AcceptPolicy`).
package enum HTTPCookieAcceptPolicy: String, Sendable, Hashable, CaseIterable {
    case always
    case never
    /// Only cookies of the site in the task's first request.
    case onlyFromMainDocumentDomain
}

/// The purpose of a session's traffic (`URLRequest.NetworkServiceType`); it only marks packets.
package enum NetworkServiceType: String, Sendable, Hashable, CaseIterable {
    case `default`
    case background
    case video
    case voice
    case responsiveData
    case avStreaming
    case responsiveAV
    case callSignaling

    /// The differentiated services code point (RFC 4594 §2.3, RFC 2474), 0 to 63.
    package var codePoint: UInt8 {
        switch self {
        case .default: 0
        case .background: 8
        case .responsiveData: 18
        case .avStreaming: 26
        case .responsiveAV: 32
        case .video: 34
        case .callSignaling: 40
        case .voice: 46
        }
    }

    /// The priority in this machine's interface queues (SO_PRIORITY of socket(7)), 0 to 6.
    package var socketPriority: Int32 {
        switch self {
        case .default: 0
        case .background: 1
        case .responsiveData: 3
        case .avStreaming: 4
        case .responsiveAV, .video: 5
        case .callSignaling, .voice: 6
        }
    }
}

/// Whether connections may use several paths at once
/// (`URLSessionConfiguration.MultipathServiceType`).
///
/// Linux has one kind of multipath socket; the host's settings (`ip mptcp`) choose the paths.
package enum MultipathServiceType: String, Sendable, Hashable, CaseIterable {
    case none
    case handover
    case interactive
    case aggregate
}

/// A program that serves the URLs of a custom scheme, an entry of `protocolClasses`.
package struct ProtocolProgram: Sendable, Hashable {
    /// In lower case, such as `notes`.
    package var scheme: String
    /// The program, as a path relative to `folder` or a name to look up in `PATH`; then its
    /// arguments.
    package var command: [String]
    /// The absolute path of the program's working folder, the folder of the job file.
    package var folder: String
    /// The environment variables that the program does not inherit, because they hold secrets.
    package var withheldVariables: Set<String>

    /// Creates an entry.
    package init(
        scheme: String,
        command: [String],
        folder: String,
        withheldVariables: Set<String>
    ) {
        self.scheme = scheme
        self.command = command
        self.folder = folder
        self.withheldVariables = withheldVariables
    }
}

extension ScheduleConfiguration {
    /// The part of the schedule's limits for each of so many runs at the same time.
    package func divided(by count: Int) -> ScheduleConfiguration {
        var part = self
        part.maxConcurrentTasks = max(1, maxConcurrentTasks / count)
        return part
    }
}

extension SessionConfiguration {
    /// The part of the session's limits for each of so many runs at the same time: at least one
    /// connection and one byte per second.
    package func divided(by count: Int) -> SessionConfiguration {
        var part = self
        part.httpMaximumConnectionsPerHost = max(1, httpMaximumConnectionsPerHost / count)
        part.limits.rates = limits.rates.divided(by: count)
        for index in part.limits.timetable.indices {
            part.limits.timetable[index].rates = limits.timetable[index].rates.divided(by: count)
        }
        return part
    }
}

extension SessionLimits.Rates {
    fileprivate func divided(by count: Int) -> SessionLimits.Rates {
        var part = self
        part.down = down?.map { max(1, $0 / Int64(count)) }
        part.up = up?.map { max(1, $0 / Int64(count)) }
        part.requests = requests?.map { $0.divided(by: count) }
        return part
    }
}

extension SessionLimits.Limit {
    fileprivate func map(_ transform: (Rate) -> Rate) -> SessionLimits.Limit<Rate> {
        switch self {
        case .unlimited: .unlimited
        case .rate(let rate): .rate(transform(rate))
        }
    }
}

extension RequestRate {
    /// The same number of requests in a longer time.
    fileprivate func divided(by count: Int) -> RequestRate {
        let nanoseconds = time.nanoseconds.multipliedSaturated(by: Int64(count))
        return RequestRate(count: self.count, time: .nanoseconds(nanoseconds))
    }
}
