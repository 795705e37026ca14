/// Through whom a session reaches its origins, as in
/// `URLSessionConfiguration.connectionProxyDictionary`.
package struct ProxyServers: Sendable, Hashable {
    /// Which of the proxies it is.
    package enum Slot: Int, Sendable, Hashable, CaseIterable {
        case http
        case https
        case socks
    }

    /// For http URLs.
    package var http: ProxyServer?
    /// For https URLs.
    package var https: ProxyServer?
    /// For both, where they have none of their own.
    package var socks: ProxyServer?
    package var exceptions = ProxyExceptions()
    /// Whether this machine is reached directly also by way of a proxy that is on it.
    package var sparesThisMachine = false

    package init() {}

    package subscript(slot: Slot) -> ProxyServer? {
        switch slot {
        case .http: http
        case .https: https
        case .socks: socks
        }
    }

    /// Which proxy an origin is reached through; nil when it is to be reached directly.
    ///
    /// This machine is never reached through a proxy elsewhere: secrets may go there over plain
    /// http.
    package func slot(for origin: Origin) -> Slot? {
        let own = origin.scheme == .https ? Slot.https : .http
        let slot = self[own] == nil ? .socks : own
        guard let server = self[slot], !exceptions.contains(origin.host) else { return nil }
        guard origin.isLoopback else { return slot }
        return sparesThisMachine || !server.origin.isLoopback ? nil : slot
    }

    /// The proxy for an origin; nil when it is to be reached directly.
    package func server(for origin: Origin) -> ProxyServer? {
        slot(for: origin).flatMap { self[$0] }
    }

    /// Whether there is no proxy at all.
    package var isEmpty: Bool { http == nil && https == nil && socks == nil }
}

/// Where the proxies of a session are named.
package enum ProxyRule: Sendable, Hashable {
    /// In `http_proxy` and the other variables of the environment (`ProxyEnvironment`).
    case environment
    /// Nowhere: every origin is reached directly.
    case direct
    /// In the job file.
    indirect case servers(ProxyServers)

    /// The proxies of the job file; nil where it names none.
    package var servers: ProxyServers? {
        if case .servers(let servers) = self { servers } else { nil }
    }

    /// Whether both have a proxy with credentials in the same place.
    package func shares(_ other: ProxyRule) -> Bool {
        guard let servers, let others = other.servers else { return false }
        return ProxyServers.Slot.allCases.contains {
            others[$0]?.credentials != nil && servers[$0] == others[$0]
        }
    }
}
