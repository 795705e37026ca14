internal import SystemKit
internal import TransferModel

/// The proxies that the environment asks for, by curl's rules (https://everything.curl.dev/usingcurl/proxies/env).
///
/// `http_proxy` counts in lower case only, because a CGI program's client can set `HTTP_PROXY`; the others count in
/// both, lower case first. Resolved here rather than by libcurl, so that reports know whether a proxy was used.
///
/// Other than with curl this machine itself is always reached directly: secrets may go there over plain http.
struct ProxyEnvironment: Sendable, Hashable {
    private let httpProxy: String?
    private let httpsProxy: String?
    private let exceptions: ProxyExceptions

    /// Reads the variables.
    ///
    /// - Throws: What is wrong with a proxy that nothing could be sent through.
    init(_ variable: (String) -> String?) throws(ProxyFault) {
        func value(_ names: String...) -> (name: String, text: String)? {
            for name in names {
                if let text = variable(name), !text.isEmpty { return (name, text) }
            }
            return nil
        }
        let anyProxy = value("all_proxy", "ALL_PROXY")
        let http = value("http_proxy") ?? anyProxy
        let https = value("https_proxy", "HTTPS_PROXY") ?? anyProxy
        for case let (name, text)? in [http, https] {
            if let fault = ProxyFault(of: text, in: name) { throw fault }
        }
        httpProxy = http?.text
        httpsProxy = https?.text
        exceptions = ProxyExceptions(value("no_proxy", "NO_PROXY")?.text ?? "")
    }

    /// The proxy for an origin, as libcurl takes it; nil when it is to be reached directly.
    func proxy(for origin: Origin) -> String? {
        guard let proxy = origin.scheme == .https ? httpsProxy : httpProxy,
            !exceptions.contains(origin.host), !origin.isLoopback
        else { return nil }
        return proxy
    }
}

/// What is wrong with a proxy that a variable names, in words that do not quote what may hold a password.
struct ProxyFault: Error, Hashable {
    let message: String

    /// The schemes that libcurl speaks to a proxy; without one it is http.
    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// Looks at `[scheme://][user:password@]host[:port]`; nil when libcurl can make something of it.
    init?(of text: String, in variable: String) {
        var rest = text[...]
        if let colon = rest.firstIndex(of: ":"), rest[colon...].hasPrefix("://") {
            let scheme = rest[..<colon].lowercased()
            guard Self.schemes.contains(scheme) else {
                let known = Self.schemes.joined(separator: ", ")
                message =
                    "`\(variable)` names a proxy of the scheme `\(scheme)`; it can be \(known)"
                return
            }
            rest = rest[colon...].dropFirst(3)
        }
        rest = rest.prefix { $0 != "/" }
        if let at = rest.lastIndex(of: "@") { rest = rest[at...].dropFirst() }
        let colon = rest.lastIndex(of: ":")
        let bracket = rest.lastIndex(of: "]")
        if let colon, bracket.map({ $0 < colon }) ?? true {
            let port = rest[colon...].dropFirst()
            guard port.isEmpty || UInt16(port).map({ $0 > 0 }) == true else {
                message = "`\(variable)` names a proxy whose port is not one of 1 to 65535"
                return
            }
            rest = rest[..<colon]
        }
        guard rest.isEmpty else { return nil }
        message = "`\(variable)` names a proxy without a host"
    }
}
