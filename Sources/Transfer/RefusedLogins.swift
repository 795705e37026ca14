/// Where a session's logins were refused, so that no later task of the session presents them there again: servers lock accounts
/// after a few wrong passwords.
///
/// What a server has let in is right there: a refusal since then is about the resource, and is not noted.
struct RefusedLogins {
    /// One login at one server.
    private struct Place: Hashable {
        var server: String
        var login: Int
    }

    /// One protection space of a server; nil for what has no realms.
    private typealias Realm = [UInt8]?

    private var letIn: Set<Place> = []
    private var refused: [Place: Set<Realm>] = [:]
    /// A server that invents realms is not remembered further than this.
    private static let mostRealms = 64

    /// Looks whether a login was refused in a realm of a server.
    ///
    /// - Parameters:
    ///   - login: Its position among those of the session.
    ///   - server: The origin or the proxy, as text.
    ///   - realm: That of the challenge; nil when its scheme has none.
    /// - Returns: Whether it was.
    func contains(_ login: Int, at server: String, realm: [UInt8]?) -> Bool {
        refused[Place(server: server, login: login)]?.contains(realm) ?? false
    }

    /// Whether a login was refused in any realm of a server.
    func contains(_ login: Int, at server: @autoclosure () -> String) -> Bool {
        !refused.isEmpty && refused[Place(server: server(), login: login)] != nil
    }

    /// Notes that a server has asked for a login and did not take it.
    mutating func note(_ login: Int, at server: String, realm: [UInt8]?) {
        let place = Place(server: server, login: login)
        guard !letIn.contains(place), refused[place]?.count ?? 0 < Self.mostRealms else { return }
        refused[place, default: []].insert(realm)
    }

    /// Notes that a server has asked for a login and took it.
    mutating func noteLetIn(_ login: Int, at server: String) {
        letIn.insert(Place(server: server, login: login))
    }
}
