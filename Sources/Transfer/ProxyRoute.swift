internal import CurlKit
internal import TransferModel

/// The way to an origin by a proxy.
final class ProxyRoute: Sendable {
    /// As libcurl takes it.
    let easy: EasyProxy
    /// Without user and password.
    var url: String { easy.url }
    /// Whether the proxy speaks HTTP, so that it can answer in the place of an origin.
    let speaksHTTP: Bool
    /// Whether the proxy itself is spoken to over TLS.
    let isEncrypted: Bool
    /// Whether its host is a numeric address, which needs no lookup.
    let isAddress: Bool

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
        speaksHTTP = !server.kind.isSOCKS
        isEncrypted = server.kind == .https
        isAddress = server.origin.isAddress
    }
}

/// The ways that a session goes, each made once.
struct ProxyRoutes: Sendable {
    private let servers: ProxyServers
    private let routes: [ProxyRoute?]

    /// nil when every origin is reached directly.
    init?(_ servers: ProxyServers?) {
        guard let servers, !servers.isEmpty else { return nil }
        self.servers = servers
        routes = ProxyServers.Slot.allCases.map { servers[$0].map(ProxyRoute.init) }
    }

    /// nil when the origin is to be reached directly.
    func route(to origin: Origin) -> ProxyRoute? {
        servers.slot(for: origin).flatMap { routes[$0.rawValue] }
    }
}
