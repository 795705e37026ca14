internal import CurlKit
internal import TransferModel

/// The route to an origin through a proxy.
final class ProxyRoute: Sendable {
    /// The proxy for libcurl.
    let easy: EasyProxy
    /// The same proxy without a login, to get a challenge; nil where the login is sent at once or
    /// there is none.
    ///
    /// With a login, libcurl would send the request without its body before any challenge, and a
    /// proxy that demands no login would forward that.
    let asking: EasyProxy?
    /// The proxy's URL without user and password.
    var url: String { easy.url }
    /// Whether the proxy speaks HTTP, so that it can answer instead of an origin.
    let speaksHTTP: Bool
    /// Whether the connection to the proxy uses TLS.
    let isEncrypted: Bool
    /// The proxy's own origin.
    let origin: Origin
    /// Whether its host is a numeric address, which needs no lookup.
    let isAddress: Bool
    /// The authentication scheme; nil without credentials.
    let method: EasyProxy.Authentication?

    init(_ server: ProxyServer) {
        let credentials = server.credentials
        let authentication: EasyProxy.Authentication =
            switch credentials?.method {
            case .basic, nil: .basic
            case .digest: .digest
            case .ntlm: .ntlm
            case .negotiate: .negotiate
            }
        easy = EasyProxy(
            url: server.url,
            user: credentials?.user,
            password: credentials?.password.withText { $0 },
            authentication: authentication
        )
        asking =
            credentials == nil || authentication == .basic
            ? nil : EasyProxy(url: server.url, user: "", password: "", authentication: .awaited)
        speaksHTTP = !server.kind.isSOCKS
        isEncrypted = server.kind == .https
        origin = server.origin
        isAddress = server.origin.isAddress
        method = credentials == nil ? nil : authentication
    }

    /// The most challenges for one request: Digest answers a challenge and one stale nonce, the
    /// other schemes take several rounds.
    var mostQuestions: Int { easy.authentication == .digest ? 2 : 4 }
}

/// The proxy routes of a session, each made once.
struct ProxyRoutes: Sendable {
    private let servers: ProxyServers
    private let routes: [ProxyRoute?]

    /// Returns nil when every origin is reached directly.
    init?(_ servers: ProxyServers?) {
        guard let servers, !servers.isEmpty else { return nil }
        self.servers = servers
        // libcurl's memory of a proxy is the same for http and https.
        var known: [ProxyServer: ProxyRoute] = [:]
        routes = ProxyServers.Slot.allCases.map { slot in
            guard let server = servers[slot] else { return nil }
            let route = known[server] ?? ProxyRoute(server)
            known[server] = route
            return route
        }
    }

    /// The proxy route to an origin; nil for a direct connection.
    func route(to origin: Origin) -> ProxyRoute? {
        servers.slot(for: origin).flatMap { routes[$0.rawValue] }
    }
}
