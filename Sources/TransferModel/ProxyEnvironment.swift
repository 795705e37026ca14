internal import SystemKit

/// The proxies in the environment, by curl's rules
/// (https://everything.curl.dev/usingcurl/proxies/env).
///
/// `http_proxy` counts in lower case only, because a CGI program's client can set `HTTP_PROXY`; the
/// others count in both, lower case first. Read here and not by libcurl, so that reports know
/// whether a proxy was used.
///
/// Unlike curl, this machine is always reached directly: secrets may go to it over plain http.
package struct ProxyEnvironment: Sendable, Hashable {
    /// The content of a variable.
    package struct Entry: Sendable, Hashable {
        /// The name of the variable, in the case that was found.
        package let variable: String
        /// The proxy that the variable names.
        package let server: ProxyServer
    }

    /// For http URLs.
    package let http: Entry?
    /// For https URLs.
    package let https: Entry?
    private let exceptions: ProxyExceptions

    /// Reads the variables.
    ///
    /// - Throws: Why a named proxy is unusable.
    package init(_ variable: (String) -> String?) throws(ProxyFault) {
        func value(_ names: String...) -> (name: String, text: String)? {
            for name in names {
                if let text = variable(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        func entry(_ value: (name: String, text: String)?) throws(ProxyFault) -> Entry? {
            guard let (name, text) = value else { return nil }
            return Entry(variable: name, server: try ProxyServer(text, in: name))
        }
        let anyProxy = value("all_proxy", "ALL_PROXY")
        http = try entry(value("http_proxy") ?? anyProxy)
        https = try entry(value("https_proxy", "HTTPS_PROXY") ?? anyProxy)
        exceptions = ProxyExceptions(value("no_proxy", "NO_PROXY")?.text ?? "")
    }

    /// The proxies with their exceptions.
    package var servers: ProxyServers {
        var servers = ProxyServers()
        servers.http = http?.server
        servers.https = https?.server
        servers.exceptions = exceptions
        servers.sparesThisMachine = true
        return servers
    }

    /// The passwords of the proxies, which must never be shown.
    package var passwords: [Secret] {
        [http, https].compactMap { $0?.server.credentials?.password }
    }
}

/// A problem with a proxy variable, in words without text that may hold a password.
package struct ProxyFault: Error, Hashable {
    /// A sentence that names the variable but not its value.
    package let message: String
}

extension ProxyServer {
    /// Reads the value of an environment variable; without a scheme the proxy is `http`.
    fileprivate init(_ text: String, in variable: String) throws(ProxyFault) {
        func fault(_ words: String) -> ProxyFault {
            ProxyFault(message: "`\(variable)` names a proxy \(words)")
        }
        guard !text.hasForeignBytes else {
            throw fault("in bytes that are not UTF-8: percent-encode them")
        }
        let parts: ProxyText
        do {
            parts = try ProxyText(text)
        } catch {
            switch error {
            case .unknownScheme(let scheme):
                let known = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw fault("of the scheme `\(scheme)`; it can be \(known)")
            case .missingHost: throw fault("without a host")
            case .badHost: throw fault("whose host is not a valid name or address")
            case .badPort: throw fault("whose port is not a number from 1 to 65535")
            }
        }
        let kind = parts.kind ?? .http
        self.init(kind: kind, host: parts.host, port: parts.port ?? kind.usualPort)
        guard let userInformation = parts.userInformation else { return }
        guard let credentials = ProxyCredentials(userInformation) else {
            throw fault("whose user or password is not UTF-8 text: percent-encode it as UTF-8")
        }
        self.credentials = credentials
    }
}

extension ProxyCredentials {
    /// Reads `user[:password]`, both percent-encoded; nil for invalid UTF-8 or control characters.
    fileprivate init?(_ userInformation: String) {
        let halves = userInformation.utf8.split(
            separator: UInt8(ascii: ":"),
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        var texts: [String] = []
        for half in halves {
            let bytes = PercentCoding.decodeLeniently(half)
            guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            texts.append(text)
        }
        guard let user = texts.first else { return nil }
        self.init(user: user, password: Secret(texts.count > 1 ? texts[1] : ""))
    }
}
