/// The options of all exchanges of a session, for libcurl.
package struct EasyConfiguration: Sendable, Hashable {
    /// The time for lookup, connect and TLS (`CURLOPT_CONNECTTIMEOUT_MS`).
    package var connectTimeoutMilliseconds: Int
    /// The TLS versions and trusted certificates of all connections.
    package var tls: TLSOptions
    /// The lines of other servers for hosts (`CURLOPT_CONNECT_TO`).
    package var connectTo: [String]

    /// Creates the options of a session.
    package init(connectTimeoutMilliseconds: Int, tls: TLSOptions, connectTo: [String] = []) {
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.tls = tls
        self.connectTo = connectTo
    }
}

/// One exchange, for libcurl.
///
/// A class, because a request is large and used once.
package final class EasyRequest {
    /// The source of the request body.
    package enum Body {
        case none
        case bytes([UInt8])
        /// Pieces from the client; the size in bytes, nil if unknown.
        case stream(size: Int64?)
    }

    /// The size of the buffer of an unlimited transfer.
    package static let largestReceiveBuffer = 512 << 10

    /// The absolute URL, in ASCII (`CURLOPT_URL`).
    package var url: String
    /// The path and the query to send instead of those of the URL (`CURLOPT_REQUEST_TARGET`).
    package var target: String?
    /// The method as sent (`CURLOPT_CUSTOMREQUEST`).
    package var method: String
    /// Complete lines such as `Accept: */*`, without line ends.
    package var headerLines: [String]
    /// The source of the body; `none` sends no content.
    package var body: Body
    /// nil for a direct connection, whatever the environment says.
    package var proxy: EasyProxy?
    /// The login for a scheme that libcurl carries out; nil for none.
    package var authentication: EasyAuthentication?
    /// Whether this request repeats the handle's last one to answer a challenge that libcurl kept.
    package var answersChallenge: Bool
    /// Opens a new connection instead of reusing an idle one (`CURLOPT_FRESH_CONNECT`).
    package var requiresFreshConnection: Bool
    /// Looks up names without libcurl's cache (`CURLOPT_DNS_CACHE_TIMEOUT`).
    package var resolvesAnew = false
    /// The HTTP version to ask for (`CURLOPT_HTTP_VERSION`).
    package var httpProtocol = HTTPProtocol.http1
    /// Presented on new connections; connections with other certificates are not reused.
    package var clientCertificate: EasyCertificate?
    /// Opens the connection only, through a tunnel if there is a proxy (`CURLOPT_CONNECT_ONLY`).
    ///
    /// A `RawConnection` takes it over; `willSendRequest` reports the open connection.
    package var isConnectOnly = false
    /// Offers HTTP/1.1 in the TLS handshake (`CURLOPT_SSL_ENABLE_ALPN`); a connection that is only
    /// opened may be for another protocol.
    package var offersALPN = true
    /// The transfer by FTP or SFTP; nil for http.
    package var file: EasyFileTransfer?
    /// The most bytes that libcurl reads at once (`CURLOPT_BUFFERSIZE`).
    package var receiveBufferSize = largestReceiveBuffer
    /// Whether the client receives all traffic, including TLS and bodies; otherwise only the
    /// request's head, and its body from memory, until it asks for more.
    package var hearsTraffic: Bool

    /// Creates a request over HTTP/1.1 without a client certificate.
    package init(
        url: String,
        target: String? = nil,
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
        self.target = target
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
