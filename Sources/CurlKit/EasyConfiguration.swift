/// What all transfers of one session have in common, as libcurl takes it.
package struct EasyConfiguration: Sendable, Hashable {
    /// The oldest TLS that is offered.
    package enum TLSVersion: Sendable, Hashable {
        case tls12
        case tls13
    }

    package var connectTimeoutMilliseconds: Int
    package var minimumTLSVersion: TLSVersion
    /// An absolute path to PEM roots; nil means the system's.
    package var caFile: String?

    package init(
        connectTimeoutMilliseconds: Int,
        minimumTLSVersion: TLSVersion,
        caFile: String?
    ) {
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.minimumTLSVersion = minimumTLSVersion
        self.caFile = caFile
    }
}

/// One exchange as libcurl takes it.
package struct EasyRequest {
    /// Where the request body comes from.
    package enum Body {
        case none
        case bytes([UInt8])
        /// Asked of the client piece by piece; the size in bytes, nil when only its end tells.
        case stream(size: Int64?)
    }

    package var url: String
    package var method: String
    /// Whole lines such as `Accept: */*`, without line ends.
    package var headerLines: [String]
    package var body: Body
    /// nil asks the origin itself, whatever the environment says.
    package var proxy: EasyProxy?
    /// Open a new connection instead of taking an idle one (`CURLOPT_FRESH_CONNECT`).
    package var requiresFreshConnection: Bool
    /// Whether the client hears of all traffic, that of TLS and of bodies too; otherwise of the request's head alone,
    /// until it asks for more.
    package var hearsTraffic: Bool

    package init(
        url: String,
        method: String,
        headerLines: [String],
        body: Body = .none,
        proxy: EasyProxy? = nil,
        requiresFreshConnection: Bool = false,
        hearsTraffic: Bool = true
    ) {
        self.url = url
        self.method = method
        self.headerLines = headerLines
        self.body = body
        self.proxy = proxy
        self.requiresFreshConnection = requiresFreshConnection
        self.hearsTraffic = hearsTraffic
    }
}
