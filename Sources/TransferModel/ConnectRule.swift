/// The server for connections to a host under another name or address, as curl's `--connect-to` and
/// `--resolve`.
///
/// URLs, certificates, cookies, credentials and secrets keep the host and the port of the URL.
package struct ConnectRule: Sendable, Hashable {
    /// The host in URLs, in lower case; an IPv6 address has brackets.
    package var host: String
    /// The port in URLs; nil for every port.
    package var port: Int?
    /// The host to connect to, in the same form.
    package var targetHost: String
    /// The port to connect to; nil for that of the URL.
    package var targetPort: Int?

    /// Creates a rule.
    package init(host: String, port: Int? = nil, targetHost: String, targetPort: Int? = nil) {
        self.host = host
        self.port = port
        self.targetHost = targetHost
        self.targetPort = targetPort
    }

    /// The server for connections to an origin; nil when the rule is not about it.
    package func target(for origin: Origin) -> Origin? {
        guard host == origin.host, port == nil || port == origin.port else { return nil }
        let port = targetPort ?? origin.port
        return Origin(scheme: origin.scheme, host: targetHost, port: port)
    }

    /// The rule in the notation of `CURLOPT_CONNECT_TO`, where an empty part matches or keeps
    /// everything.
    package var line: String {
        let ports = [port, targetPort].map { $0.map(String.init) ?? "" }
        return "\(host):\(ports[0]):\(targetHost):\(ports[1])"
    }
}

extension [ConnectRule] {
    /// The other server for connections to an origin; nil without one.
    package func target(for origin: Origin) -> Origin? {
        if isEmpty { return nil }
        return lazy.compactMap { $0.target(for: origin) }.first
    }
}
