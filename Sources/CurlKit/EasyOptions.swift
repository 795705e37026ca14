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
        try unsafe CurlCode.check(ccurl_set_string(pointer, option, value))
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
