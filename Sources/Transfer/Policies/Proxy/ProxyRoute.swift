internal import CurlKit
internal import TransferModel

/// The way to an origin by a proxy.
final class ProxyRoute: Sendable {
    /// As libcurl takes it.
    let easy: EasyProxy
    /// The same without a login, to be asked for one; nil where the login is sent at once, or is
    /// none.
    ///
    /// libcurl would begin a request that is to answer what nobody has asked without its body, and
    /// a proxy that does not ask would hand that on.
    let asking: EasyProxy?
    /// Without user and password.
    var url: String { easy.url }
    /// Whether the proxy speaks HTTP, so that it can answer in the place of an origin.
    let speaksHTTP: Bool
    /// Whether the proxy itself is spoken to over TLS.
    let isEncrypted: Bool
    /// Where the proxy itself is.
    let origin: Origin
    /// Whether its host is a numeric address, which needs no lookup.
    let isAddress: Bool
    /// How the proxy is told who asks; nil without credentials.
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

    /// How often the proxy may ask for one request: Digest answers a challenge and one nonce that
    /// was stale, the others take as many rounds as they need.
    var mostQuestions: Int { easy.authentication == .digest ? 2 : 4 }
}

/// The ways that a session goes, each made once.
struct ProxyRoutes: Sendable {
    private let servers: ProxyServers
    private let routes: [ProxyRoute?]

    /// nil when every origin is reached directly.
    init?(_ servers: ProxyServers?) {
        guard let servers, !servers.isEmpty else { return nil }
        self.servers = servers
        // What libcurl keeps of a proxy holds for http and https alike.
        var known: [ProxyServer: ProxyRoute] = [:]
        routes = ProxyServers.Slot.allCases.map { slot in
            guard let server = servers[slot] else { return nil }
            let route = known[server] ?? ProxyRoute(server)
            known[server] = route
            return route
        }
    }

    /// nil when the origin is to be reached directly.
    func route(to origin: Origin) -> ProxyRoute? {
        servers.slot(for: origin).flatMap { routes[$0.rawValue] }
    }
}
