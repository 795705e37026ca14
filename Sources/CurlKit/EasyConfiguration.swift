/// What all transfers of one session have in common, as libcurl takes it.
package struct EasyConfiguration: Sendable, Hashable {
    package var connectTimeoutMilliseconds: Int
    package var tls: TLSOptions

    package init(connectTimeoutMilliseconds: Int, tls: TLSOptions) {
        self.connectTimeoutMilliseconds = connectTimeoutMilliseconds
        self.tls = tls
    }
}

/// Which TLS is spoken and whom it trusts, as libcurl takes it.
package struct TLSOptions: Sendable, Hashable {
    /// A version of TLS that a session may ask for.
    package enum Version: Sendable, Hashable {
        case tls12
        case tls13
    }

    /// The oldest TLS that is offered.
    package var minimumVersion: Version
    /// The newest; nil means whatever the library has.
    package var maximumVersion: Version?
    /// An absolute path to PEM roots; nil means the system's.
    package var caFile: String?
    /// `sha256//…`, several between semicolons; nil takes any key (`CURLOPT_PINNEDPUBLICKEY`).
    package var pinnedPublicKeys: String?
    /// Whether the server's certificate and its name are verified.
    package var isVerified: Bool

    package init(
        minimumVersion: Version = .tls12,
        maximumVersion: Version? = nil,
        caFile: String? = nil,
        pinnedPublicKeys: String? = nil,
        isVerified: Bool = true
    ) {
        self.minimumVersion = minimumVersion
        self.maximumVersion = maximumVersion
        self.caFile = caFile
        self.pinnedPublicKeys = pinnedPublicKeys
        self.isVerified = isVerified
    }
}

/// The newest version of HTTP that an exchange offers; the server chooses.
package enum HTTPProtocol: Sendable, Hashable {
    case http1
    /// Over TLS; HTTP/1.1 without it (`CURL_HTTP_VERSION_2TLS`).
    case http2
    case http3
}

/// What a client shows when a server asks for its certificate.
package struct EasyCertificate: Sendable, Hashable {
    /// How the certificate's file is written.
    package enum Format: String, Sendable, Hashable {
        case pem = "PEM"
        /// PKCS #12, which holds the key, too.
        case pkcs12 = "P12"
    }

    /// Absolute paths; without a key's file the certificate's has the key.
    package var certificateFile: String
    package var keyFile: String?
    package var format: Format
    /// What the key is encrypted with; nobody may see it.
    package var password: String?

    package init(certificateFile: String, keyFile: String?, format: Format, password: String?) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.format = format
        self.password = password
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
    /// Whether the last exchange of the same handle was this request and was answered with a challenge, which libcurl
    /// has kept.
    package var answersChallenge: Bool
    /// Open a new connection instead of taking an idle one (`CURLOPT_FRESH_CONNECT`).
    package var requiresFreshConnection: Bool
    package var httpProtocol = HTTPProtocol.http1
    /// Shown when a connection is opened; those of other certificates are not reused.
    package var clientCertificate: EasyCertificate?
    /// Whether the client hears of all traffic, that of TLS and of bodies too; otherwise of the request's head alone,
    /// until it asks for more.
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
