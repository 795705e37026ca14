internal import CCurl
internal import SystemKit

/// Sets the options of one easy handle, which must outlive this value.
@safe struct EasyOptions {
    private let pointer: UnsafeMutableRawPointer

    init(of pointer: UnsafeMutableRawPointer) {
        unsafe self.pointer = unsafe pointer
    }

    /// Sets a number.
    func set(_ option: CURLoption, _ value: Int) throws(CurlCode) {
        try unsafe CurlCode.check(ccurl_set_long(pointer, option, value))
    }

    /// Sets a count of bytes.
    func setOffset(_ option: CURLoption, _ value: Int64) throws(CurlCode) {
        try unsafe CurlCode.check(ccurl_set_offset(pointer, option, Int(value)))
    }

    /// Sets a text, which libcurl copies; nil restores the default.
    func set(_ option: CURLoption, _ value: String?) throws(CurlCode) {
        // Without the copy that passing an optional text to C makes.
        let code = unsafe value?.withCString { unsafe ccurl_set_string(pointer, option, $0) }
        try unsafe CurlCode.check(code ?? ccurl_set_string(pointer, option, nil))
    }

    /// Sets a file path, which may not be UTF-8.
    func setPath(_ option: CURLoption, _ path: String?) throws(CurlCode) {
        guard let path else { return try set(option, nil) }
        let code = unsafe path.withSystemText { unsafe ccurl_set_string(pointer, option, $0) }
        try CurlCode.check(code)
    }

    /// Sets the offered HTTP version.
    ///
    /// With streams, a request waits for a connection that is being opened instead of opening
    /// another.
    func setProtocol(_ version: HTTPProtocol) throws(CurlCode) {
        let number =
            switch version {
            case .http1: CURL_HTTP_VERSION_1_1
            case .http2: CURL_HTTP_VERSION_2TLS
            case .http3: CURL_HTTP_VERSION_3
            }
        try set(CURLOPT_HTTP_VERSION, Int(number))
        try set(CURLOPT_PIPEWAIT, version == .http1 ? 0 : 1)
    }

    /// Sets the TLS versions, and the certificates to trust.
    func setTLS(_ tls: TLSOptions) throws(CurlCode) {
        try set(CURLOPT_SSL_VERIFYPEER, tls.isVerified ? 1 : 0)
        try set(CURLOPT_SSL_VERIFYHOST, tls.isVerified ? 2 : 0)
        try set(CURLOPT_SSLVERSION, tls.versions)
        try setRoots(of: tls, file: CURLOPT_CAINFO, folder: CURLOPT_CAPATH)
        if let pins = tls.pinnedPublicKeys { try set(CURLOPT_PINNEDPUBLICKEY, pins) }
    }

    /// Sets the trusted roots of an origin or a proxy.
    private func setRoots(
        of tls: TLSOptions,
        file: CURLoption,
        folder: CURLoption
    ) throws(CurlCode) {
        if let caFile = tls.caFile {
            try setPath(file, caFile)
            try set(folder, nil)
        } else {
            if let path = tls.systemFile { try setPath(file, path) }
            if let path = tls.systemFolder { try setPath(folder, path) }
        }
    }

    /// Presents a certificate on new connections.
    func setCertificate(_ certificate: EasyCertificate?) throws(CurlCode) {
        try setPath(CURLOPT_SSLCERT, certificate?.certificateFile)
        try set(CURLOPT_SSLCERTTYPE, certificate?.format.rawValue)
        try setPath(CURLOPT_SSLKEY, certificate?.keyFile)
        // Without a password, OpenSSL asks for one at the terminal or standard input, and waits.
        try set(CURLOPT_KEYPASSWD, certificate.map { $0.password ?? "" })
    }

    /// Sends further requests through a proxy; nil connects directly, whatever the environment
    /// says.
    ///
    /// `tls` has the versions and the trusted certificates of a proxy over TLS.
    func setProxy(_ proxy: EasyProxy?, by tls: TLSOptions) throws(CurlCode) {
        // An empty string makes libcurl ignore the environment.
        try set(CURLOPT_PROXY, proxy?.url ?? "")
        try set(CURLOPT_PROXYUSERNAME, proxy?.user)
        try set(CURLOPT_PROXYPASSWORD, proxy?.password)
        guard let proxy else { return }
        let scheme =
            switch proxy.authentication {
            case .awaited: 0
            case .basic: CCURL_AUTH_BASIC
            case .digest: CCURL_AUTH_DIGEST
            case .ntlm: CCURL_AUTH_NTLM
            case .negotiate: CCURL_AUTH_NEGOTIATE
            }
        try set(CURLOPT_PROXYAUTH, scheme)
        // No GSSAPI unless a job asks for it.
        try set(CURLOPT_SOCKS5_AUTH, CCURL_AUTH_BASIC)
        // A CONNECT request has none of the request's fields.
        try set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        // An https proxy is verified like an origin, and always needs a certificate.
        try set(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        try set(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
        try set(CURLOPT_PROXY_SSLVERSION, tls.versions)
        try setRoots(of: tls, file: CURLOPT_PROXY_CAINFO, folder: CURLOPT_PROXY_CAPATH)
    }

    /// Sets the next exchange's credentials and removes those of the previous one.
    func setAuthentication(_ authentication: EasyAuthentication?) throws(CurlCode) {
        let scheme: Int
        var login: (user: String, password: String)?
        var token: String?
        switch authentication {
        case nil: scheme = 0
        case .awaited:
            scheme = 0
            // Only with a user does libcurl recognize that a challenge was handled; otherwise it
            // ignores the report of a stale nonce.
            login = ("", "")
        case .basic(let user, let password):
            scheme = CCURL_AUTH_BASIC
            login = (user, password)
        case .digest(let user, let password):
            scheme = CCURL_AUTH_DIGEST
            login = (user, password)
        case .ntlm(let user, let password):
            scheme = CCURL_AUTH_NTLM
            login = (user, password)
        case .negotiate:
            scheme = CCURL_AUTH_NEGOTIATE
            // Without a user libcurl does not authenticate; the ticket has its own user.
            login = ("", "")
        case .bearer(let text):
            scheme = CCURL_AUTH_BEARER
            token = text
        }
        try set(CURLOPT_HTTPAUTH, scheme)
        try set(CURLOPT_USERNAME, login?.user)
        try set(CURLOPT_PASSWORD, login?.password)
        try set(CURLOPT_XOAUTH2_BEARER, token)
        // libcurl may reuse a connection authenticated by a ticket for a request without one.
        let isBound = authentication?.isConnectionBound == true
        try set(CURLOPT_FORBID_REUSE, isBound ? 1 : 0)
    }
}

/// The newest HTTP version that an exchange offers; the server chooses.
package enum HTTPProtocol: Sendable, Hashable {
    case http1
    /// Over TLS; HTTP/1.1 without it (`CURL_HTTP_VERSION_2TLS`).
    case http2
    case http3
}

/// The authentication scheme of a request: always one, never "any" (`CURLOPT_HTTPAUTH`).
package enum EasyAuthentication: Sendable, Hashable {
    /// None yet: the next exchange of the handle answers a challenge.
    case awaited
    case basic(user: String, password: String)
    case digest(user: String, password: String)
    case ntlm(user: String, password: String)
    /// The ticket of the process.
    case negotiate
    case bearer(token: String)

    /// Whether the scheme authenticates a connection, not a request.
    package var isConnectionBound: Bool {
        switch self {
        case .ntlm, .negotiate: true
        case .awaited, .basic, .digest, .bearer: false
        }
    }

    /// Whether libcurl may need several requests, the first ones without their body.
    package var takesSeveralRequests: Bool {
        switch self {
        case .ntlm, .negotiate, .digest: true
        case .awaited, .basic, .bearer: false
        }
    }
}

/// The client certificate for servers that ask for one.
package struct EasyCertificate: Sendable, Hashable {
    /// The format of the certificate's file.
    package enum Format: String, Sendable, Hashable {
        case pem = "PEM"
        /// PKCS #12, which includes the key.
        case pkcs12 = "P12"
    }

    /// Absolute paths; without a key file, the certificate's file has the key.
    package var certificateFile: String
    /// An absolute path; nil when the certificate's file has the key (`CURLOPT_SSLKEY`).
    package var keyFile: String?
    /// The format of the certificate's file (`CURLOPT_SSLCERTTYPE`).
    package var format: Format
    /// The key's password, which must never be shown.
    package var password: String?

    /// Creates a certificate from absolute paths.
    package init(certificateFile: String, keyFile: String?, format: Format, password: String?) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.format = format
        self.password = password
    }
}

/// A proxy for libcurl; compared by identity, so that exchanges need not compare texts.
package final class EasyProxy: Sendable {
    /// The single authentication scheme.
    package enum Authentication: Sendable, Hashable {
        /// None yet: the next exchange of the handle answers a challenge.
        case awaited
        case basic
        case digest
        case ntlm
        case negotiate
    }

    /// Its scheme, host and port (`CURLOPT_PROXY`).
    package let url: String
    /// nil for a proxy without credentials.
    package let user: String?
    /// The password that belongs to `user`; nil for a proxy without credentials.
    package let password: String?
    /// The only scheme that libcurl may use with the proxy (`CURLOPT_PROXYAUTH`).
    package let authentication: Authentication

    /// Creates a proxy; without `user` libcurl sends no login.
    package init(
        url: String,
        user: String? = nil,
        password: String? = nil,
        authentication: Authentication = .basic
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.authentication = authentication
    }

    /// Whether libcurl keeps the proxy's challenge, even for requests through another proxy.
    var leavesChallenge: Bool { user != nil && authentication != .basic }
}
