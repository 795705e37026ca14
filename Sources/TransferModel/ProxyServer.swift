/// A proxy: how it is spoken to, where it is, and as whom.
package struct ProxyServer: Sendable, Hashable {
    /// The protocols of proxies, named as the schemes of their URLs are with curl.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Requests for http URLs are handed on, tunnels are made for https URLs (RFC 9110 §9.3.6).
        case http
        /// The same over TLS.
        case https
        case socks4
        /// SOCKS 4 to which names are given instead of addresses.
        case socks4a
        /// RFC 1928; names are looked up here.
        case socks5
        /// RFC 1928; names are looked up by the proxy.
        case socks5h

        package var isSOCKS: Bool {
            switch self {
            case .http, .https: false
            case .socks4, .socks4a, .socks5, .socks5h: true
            }
        }

        /// The port that libcurl takes when none is named.
        package var usualPort: Int { self == .https ? 443 : 1080 }
    }

    package var kind: Kind
    /// In lower case; an IPv6 address keeps its brackets.
    package var host: String
    /// 1 to 65535.
    package var port: Int
    package var credentials: ProxyCredentials?

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

    /// Its URL, with its port and without its credentials.
    package var url: String { "\(kind.rawValue)://\(host):\(port)" }

    /// What counts when it is asked whether a secret may go there: only an https proxy is spoken to
    /// over TLS.
    package var origin: Origin {
        Origin(scheme: kind == .https ? .https : .http, host: host, port: port)
    }
}

/// As whom a proxy is asked.
package struct ProxyCredentials: Sendable, Hashable {
    /// The schemes of authentication that a proxy may ask for; exactly one is spoken.
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// RFC 7617; sent at once. Of a SOCKS 5 proxy, RFC 1929.
        case basic
        /// RFC 7616; sent when the proxy has asked for it.
        case digest
        case ntlm
        /// RFC 4559; with the tickets of the user who runs this.
        case negotiate

        /// Whether the password itself is sent.
        package var showsPassword: Bool { self == .basic }
    }

    /// Empty when tickets say who asks.
    package var user: String
    package var password: Secret
    package var method: Method

    package init(user: String, password: Secret, method: Method = .basic) {
        self.user = user
        self.password = password
        self.method = method
    }
}
