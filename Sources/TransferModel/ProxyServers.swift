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
