internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The way to an origin by a proxy.
///
/// Remembers whether the proxy lets in as whom it is asked, so that a wrong password is not sent with every task until the
/// account is locked.
final class ProxyRoute: Sendable {
    /// What is known of the credentials; once they were let in, a refusal is about where the request was to go.
    private enum Standing {
        case unknown
        case letIn
        case refused
    }

    /// As libcurl takes it.
    let easy: EasyProxy
    /// The same without a login, to be asked for one: libcurl would begin a request that is to answer what nobody has asked
    /// without its body, and a proxy that does not ask would hand that on. nil where the login is sent at once, or is none.
    let asking: EasyProxy?
    /// Without user and password.
    var url: String { easy.url }
    /// Whether the proxy speaks HTTP, so that it can answer in the place of an origin.
    let speaksHTTP: Bool
    /// Whether the proxy itself is spoken to over TLS.
    let isEncrypted: Bool
    /// Whether its host is a numeric address, which needs no lookup.
    let isAddress: Bool
    /// nil without credentials.
    private let standing: Lock<Standing>?

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
        isAddress = server.origin.isAddress
        standing = credentials == nil ? nil : Lock(.unknown)
    }

    /// How often the proxy may ask for one request: Digest answers a challenge and one nonce that was stale, the others
    /// take as many rounds as they need.
    var mostQuestions: Int { easy.authentication == .digest ? 2 : 4 }

    /// How the proxy is told who asks; nil without credentials.
    var method: EasyProxy.Authentication? { standing == nil ? nil : easy.authentication }

    /// Whether the proxy has refused the credentials, and never let them in.
    var hasRefused: Bool { standing?.withLock { $0 == .refused } ?? false }

    /// The proxy has taken the credentials.
    func noteLetIn() { standing?.withLock { $0 = .letIn } }

    /// The proxy does not take the credentials.
    func noteRefused() {
        standing?.withLock { standing in
            if standing == .unknown { standing = .refused }
        }
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
        // What is known of a proxy holds for http and https alike.
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
