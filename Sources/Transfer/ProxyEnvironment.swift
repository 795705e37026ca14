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
    private let exceptions: [String]

    init(_ variable: (String) -> String?) {
        func value(_ names: String...) -> String? {
            for name in names {
                if let text = variable(name), !text.isEmpty { return text }
            }
            return nil
        }
        let anyProxy = value("all_proxy", "ALL_PROXY")
        httpProxy = value("http_proxy") ?? anyProxy
        httpsProxy = value("https_proxy", "HTTPS_PROXY") ?? anyProxy
        exceptions = (value("no_proxy", "NO_PROXY") ?? "")
            .split { $0 == "," || $0 == " " }
            .map { $0.lowercased() }
    }

    /// The proxy for an origin, as libcurl takes it; nil when it is to be reached directly.
    func proxy(for origin: Origin) -> String? {
        guard let proxy = origin.scheme == .https ? httpsProxy : httpProxy,
            !isException(origin.host), !origin.isLoopback
        else { return nil }
        return proxy
    }

    /// Whether `no_proxy` names a host: itself, a domain above it, or `*` for all.
    private func isException(_ host: String) -> Bool {
        var name = host[...]
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        if name.hasSuffix(".") { name = name.dropLast() }
        return exceptions.contains { exception in
            if exception == "*" { return true }
            let domain = exception.drop { $0 == "." }
            guard !domain.isEmpty else { return false }
            return name == domain || name.hasSuffix(".\(domain)")
        }
    }
}
