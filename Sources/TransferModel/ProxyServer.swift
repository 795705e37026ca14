/// A proxy: its protocol, its address and the login.
package struct ProxyServer: Sendable, Hashable {
    /// The protocols of proxies, named like curl's URL schemes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Forwards requests for http URLs and makes tunnels for https URLs (RFC 9110 §9.3.6).
        case http
        /// Like `http`, over TLS.
        case https
        case socks4
        /// SOCKS 4 with host names instead of addresses.
        case socks4a
        /// RFC 1928; this machine looks up names.
        case socks5
        /// RFC 1928; the proxy looks up names.
        case socks5h

        /// Whether the proxy relays connections (RFC 1928 for SOCKS 5), not HTTP requests.
        package var isSOCKS: Bool {
            switch self {
            case .http, .https: false
            case .socks4, .socks4a, .socks5, .socks5h: true
            }
        }

        /// libcurl's default port.
        package var usualPort: Int { self == .https ? 443 : 1080 }
    }

    /// The protocol that the proxy speaks.
    package var kind: Kind
    /// In lower case; an IPv6 address keeps its brackets.
    package var host: String
    /// 1 to 65535.
    package var port: Int
    /// The login for the proxy; nil when it needs none.
    package var credentials: ProxyCredentials?

    /// Creates a proxy; `host` must be in lower case.
    package init(
        kind: Kind,
        host: String,
        port: Int,
        credentials: ProxyCredentials? = nil
    ) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credentials = credentials
    }

    /// The proxy's URL with its port, without credentials.
    package var url: String { "\(kind.rawValue)://\(host):\(port)" }

    /// The origin for deciding whether secrets may go to the proxy: only an https proxy uses TLS.
    package var origin: Origin {
        Origin(scheme: kind == .https ? .https : .http, host: host, port: port)
    }
}

/// The login for a proxy.
package struct ProxyCredentials: Sendable, Hashable {
    /// The authentication schemes of proxies; exactly one is used.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// RFC 7617, sent at once; RFC 1929 for SOCKS 5.
        case basic
        /// RFC 7616; sent when the proxy asks for it.
        case digest
        case ntlm
        /// RFC 4559; with the tickets of the current user.
        case negotiate

        /// Whether this scheme sends the password itself.
        package var showsPassword: Bool { self == .basic }
    }

    /// Empty for logins by ticket.
    package var user: String
    /// The password; empty for logins by ticket.
    package var password: Secret
    /// The authentication scheme; the proxy cannot choose another.
    package var method: Method

    /// Creates a login for a proxy.
    package init(user: String, password: Secret, method: Method = .basic) {
        self.user = user
        self.password = password
        self.method = method
    }
}
