/// What all transfers of one session have in common, as libcurl takes it.
package struct EasyConfiguration: Sendable, Hashable {
    package var connectTimeoutMilliseconds: Int
    package var tls: TLSOptions

    package init(connectTimeoutMilliseconds: Int, tls: TLSOptions) {
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.tls = tls
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
    package var authentication: EasyAuthentication?
    /// Whether the last exchange of the same handle was this request and was answered with a
    /// challenge, which libcurl has kept.
    package var answersChallenge: Bool
    /// Open a new connection instead of taking an idle one (`CURLOPT_FRESH_CONNECT`).
    package var requiresFreshConnection: Bool
    /// Look names up, whatever was kept of them (`CURLOPT_DNS_CACHE_TIMEOUT`).
    package var resolvesAnew = false
    package var httpProtocol = HTTPProtocol.http1
    /// Shown when a connection is opened; those of other certificates are not reused.
    package var clientCertificate: EasyCertificate?
    /// Whether the client hears of all traffic, that of TLS and of bodies too; otherwise of the
    /// request's head alone, until it asks for more.
    package var hearsTraffic: Bool

    package init(
        url: String,
        method: String,
        headerLines: [String],
        body: Body = .none,
        proxy: EasyProxy? = nil,
        authentication: EasyAuthentication? = nil,
        answersChallenge: Bool = false,
        requiresFreshConnection: Bool = false,
        hearsTraffic: Bool = true
    ) {
        self.url = url
        self.method = method
        self.headerLines = headerLines
        self.body = body
        self.proxy = proxy
        self.authentication = authentication
        self.answersChallenge = answersChallenge
        self.requiresFreshConnection = requiresFreshConnection
        self.hearsTraffic = hearsTraffic
    }
}
