internal import SystemKit

/// The proxies of a session (`URLSessionConfiguration.connectionProxyDictionary`).
package struct ProxyServers: Sendable, Hashable {
    /// Selects one of the proxies.
    package enum Slot: Int, Sendable, Hashable, CaseIterable {
        case http
        case https
        case socks
    }

    /// For http URLs.
    package var http: ProxyServer?
    /// For https URLs.
    package var https: ProxyServer?
    /// For both, where they have no proxy of their own, and for ftp, ftps and sftp URLs.
    package var socks: ProxyServer?
    /// The script that chooses among proxies; nil where the job names them.
    package var script: ProxyScriptPlace?
    /// The hosts that are reached without any of the proxies.
    package var exceptions = ProxyExceptions()
    /// Whether this machine is reached directly even if the proxy runs on it.
    package var sparesThisMachine = false

    /// Creates a set without proxies.
    package init() {}

    /// The proxy in a slot; nil for an empty slot.
    package subscript(slot: Slot) -> ProxyServer? {
        switch slot {
        case .http: http
        case .https: https
        case .socks: socks
        }
    }

    /// The proxy for an origin; nil for a direct connection.
    ///
    /// This machine is never reached through a proxy elsewhere: secrets may go to it over plain
    /// http.
    package func slot(for origin: Origin) -> Slot? {
        // Only SOCKS carries the several connections of FTP, and SSH.
        let own: Slot =
            origin.scheme.isOfFileServer ? .socks : origin.scheme == .https ? .https : .http
        let slot = self[own] == nil ? .socks : own
        guard let server = self[slot], !exceptions.contains(origin.host) else { return nil }
        guard origin.isLoopback else { return slot }
        return sparesThisMachine || !server.origin.isLoopback ? nil : slot
    }

    /// The proxy for an origin; nil for a direct connection.
    package func server(for origin: Origin) -> ProxyServer? {
        slot(for: origin).flatMap { self[$0] }
    }

    /// Whether no proxy is named; a script may still choose one.
    package var isEmpty: Bool { http == nil && https == nil && socks == nil }
}

/// The source of a session's proxies.
package enum ProxyRule: Sendable, Hashable {
    /// `http_proxy` and the other environment variables (`ProxyEnvironment`).
    case environment
    /// No proxies: every origin is reached directly.
    case direct
    /// The job file.
    indirect case servers(ProxyServers)

    /// The proxies of the job file; nil if it names none.
    package var servers: ProxyServers? {
        if case .servers(let servers) = self { servers } else { nil }
    }

    /// Whether both rules have the same proxy with credentials in the same slot.
    package func shares(_ other: ProxyRule) -> Bool {
        guard let servers, let others = other.servers else { return false }
        return ProxyServers.Slot.allCases.contains {
            others[$0]?.credentials != nil && servers[$0] == others[$0]
        }
    }
}

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
    package init(kind: Kind, host: String, port: Int, credentials: ProxyCredentials? = nil) {
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

/// Where a session's proxy auto-configuration (PAC) script is.
package enum ProxyScriptPlace: Sendable, Hashable {
    /// An absolute path, and the path as the job file has it.
    case file(path: String, displayPath: String)
    /// An http or https URL.
    case url(TransferURL)

    /// The place as messages name it.
    package var text: String {
        switch self {
        case .file(_, let displayPath): displayPath
        case .url(let url): url.text
        }
    }
}

/// One of the ways to an origin that a script names.
package enum ProxyChoice: Sendable, Hashable {
    case direct
    case server(ProxyServer)

    /// The most choices that an answer may name; further ones are dropped.
    private static let mostChoices = 16

    /// Reads the answer of a script, such as `PROXY a:3128; SOCKS b; DIRECT`.
    ///
    /// The words are those of browsers, with their default ports. A script that returns null or an
    /// empty text wants a direct connection. Unknown words are skipped if there are others.
    package static func all(in answer: String) throws(ProxyChoiceFault) -> [ProxyChoice] {
        let entries = answer.splitAtBytes(";")
            .map { $0.split(whereSeparator: \.isWhitespace) }.filter { !$0.isEmpty }
        if entries.isEmpty || answer == "null" { return [.direct] }
        var choices: [ProxyChoice] = []
        for entry in entries {
            guard let choice = choice(entry), !choices.contains(choice) else { continue }
            choices.append(choice)
        }
        guard !choices.isEmpty else {
            throw ProxyChoiceFault(
                message:
                    "the script answered `\(answer.onOneLine(limit: 200).text)`, which names no proxy"
            )
        }
        return Array(choices.prefix(mostChoices))
    }

    private static func choice(_ words: [Substring]) -> ProxyChoice? {
        if words.count == 1, words[0].uppercased() == "DIRECT" { return .direct }
        guard words.count == 2 else { return nil }
        let (kind, usualPort): (ProxyServer.Kind, Int)
        switch words[0].uppercased() {
        case "PROXY", "HTTP": (kind, usualPort) = (.http, 80)
        case "HTTPS": (kind, usualPort) = (.https, 443)
        case "SOCKS", "SOCKS4": (kind, usualPort) = (.socks4, 1080)
        case "SOCKS5": (kind, usualPort) = (.socks5h, 1080)
        default: return nil
        }
        // A login in the answer is no part of the language.
        guard let text = try? ProxyText(String(words[1])), text.kind == nil,
            text.userInformation == nil, text.rest.isEmpty
        else { return nil }
        let port = text.port ?? usualPort
        return .server(ProxyServer(kind: kind, host: text.host, port: port))
    }
}

/// Why the answer of a script is unusable.
package struct ProxyChoiceFault: Error, Hashable {
    /// A sentence without its full stop.
    package var message: String
}

/// The parsed text of a proxy: `[scheme://][user[:password]@]host[:port][/…]`.
package struct ProxyText: Sendable, Hashable {
    /// nil without a scheme.
    package let kind: ProxyServer.Kind?
    /// The text before the `@`, as written.
    package let userInformation: String?
    /// In lower case; an IPv6 address keeps its brackets.
    package let host: String
    /// nil without a port.
    package let port: Int?
    /// The text after the authority.
    package let rest: String

    /// Splits a text into its parts; throws a `ProxyTextFault` when it names no proxy.
    package init(_ text: String) throws(ProxyTextFault) {
        var remaining = text[...]
        var kind: ProxyServer.Kind?
        if let colon = remaining.firstByteIndex(of: ":"), remaining[colon...].hasBytePrefix("://") {
            let scheme = remaining[..<colon].lowercased()
            guard let known = ProxyServer.Kind(rawValue: scheme) else {
                throw .unknownScheme(scheme)
            }
            kind = known
            remaining = Substring(remaining[colon...].utf8.dropFirst(3))
        }
        self.kind = kind
        var authority = Substring(
            remaining.utf8.prefix {
                $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
            }
        )
        rest = String(remaining[authority.endIndex...])
        if let at = authority.lastByteIndex(of: "@") {
            userInformation = String(authority[..<at])
            authority = Substring(authority[at...].utf8.dropFirst())
        } else {
            userInformation = nil
        }
        let url: TransferURL
        do {
            url = try TransferURL("http://\(authority)")
        } catch {
            switch error {
            case .missingHost: throw .missingHost
            case .badPort: throw .badPort
            case .notAbsolute, .unsupportedScheme, .badHost, .badInternationalHost, .badCharacter:
                throw .badHost
            }
        }
        host = url.origin.host
        // URLs and proxies have different default ports.
        let digits = authority.utf8.reversed().prefix(while: \.isDigit).count
        port =
            authority.utf8.dropLast(digits).last == UInt8(ascii: ":") && digits > 0
            ? url.origin.port : nil
    }
}

/// A problem with the text; keeps only its scheme, because the rest may hold a password.
package enum ProxyTextFault: Error, Hashable {
    /// A scheme that is not in `ProxyServer.Kind`.
    case unknownScheme(String)
    case missingHost
    case badHost
    case badPort
}
