internal import CCurl

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

extension EasyHandle {
    /// Sends further requests through a proxy; nil connects directly, whatever the environment
    /// says.
    func setProxy(_ proxy: EasyProxy?) throws(CurlCode) {
        // An empty string makes libcurl ignore the environment.
        try setString(CURLOPT_PROXY, proxy?.url ?? "")
        try setString(CURLOPT_PROXYUSERNAME, proxy?.user)
        try setString(CURLOPT_PROXYPASSWORD, proxy?.password)
        guard let proxy else { return }
        let scheme =
            switch proxy.authentication {
            case .awaited: 0
            case .basic: CCURL_AUTH_BASIC
            case .digest: CCURL_AUTH_DIGEST
            case .ntlm: CCURL_AUTH_NTLM
            case .negotiate: CCURL_AUTH_NEGOTIATE
            }
        try setLong(CURLOPT_PROXYAUTH, scheme)
        // No GSSAPI unless a job asks for it.
        try setLong(CURLOPT_SOCKS5_AUTH, CCURL_AUTH_BASIC)
        // A CONNECT request has none of the request's fields.
        try setLong(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        // An https proxy is verified like an origin, and always needs a certificate.
        try setLong(CURLOPT_PROXY_SSL_VERIFYPEER, 1)
        try setLong(CURLOPT_PROXY_SSL_VERIFYHOST, 2)
        try setLong(CURLOPT_PROXY_SSLVERSION, configuration.tls.versions)
        if let caFile = configuration.tls.caFile {
            try setPath(CURLOPT_PROXY_CAINFO, caFile)
            try setString(CURLOPT_PROXY_CAPATH, nil)
        }
    }

    /// The proxy's error instead of a connection (`CURLINFO_PROXY_ERROR`, a `CURLproxycode`); 0 for
    /// none.
    package var proxyErrorCode: Int { getLong(CURLINFO_PROXY_ERROR) ?? 0 }
}
