internal import TransferModel

/// The routes of a session whose proxies a script chooses, on one engine thread.
///
/// It does not run the script itself: `ProxyFinder` supplies the answers. A proxy that cannot be
/// reached comes last for a while, as in browsers.
final class ScriptedRoutes {
    /// One of the ways to an origin.
    private struct Way: Hashable {
        let choice: ProxyChoice
        /// For a direct connection, which may fail to one origin only.
        let origin: Origin?
    }

    /// For how long a proxy that cannot be reached comes last.
    private static let avoidance = Duration.seconds(300)
    /// The most origins whose answers are kept.
    private static let mostAnswers = 4096

    private let exceptions: ProxyExceptions
    private var answers: [Origin: [ProxyChoice]] = [:]
    /// Each route is made once: libcurl's memory of a proxy is the same for http and https.
    private var routes: [ProxyServer: ProxyRoute] = [:]
    private var avoided: [Way: MonotonicTime] = [:]

    init(exceptions: ProxyExceptions) { self.exceptions = exceptions }

    /// Whether the way to an origin is known.
    func knows(_ origin: Origin) -> Bool {
        exceptions.contains(origin.host) || answers[origin] != nil
    }

    /// Takes the script's answer for an origin.
    func take(_ choices: [ProxyChoice], for origin: Origin) {
        if answers.count >= Self.mostAnswers { answers.removeAll() }
        var choices = choices
        if origin.isLoopback {
            // Secrets may go to this machine over plain http: no proxy elsewhere gets them.
            choices = choices.filter { choice in
                if case .server(let server) = choice { server.origin.isLoopback } else { true }
            }
            if choices.isEmpty { choices = [.direct] }
        }
        answers[origin] = choices
    }

    /// The route to an origin; nil for a direct connection.
    func route(to origin: Origin, at now: MonotonicTime) -> ProxyRoute? {
        guard let choice = choice(for: origin, at: now), case .server(let server) = choice else {
            return nil
        }
        if let route = routes[server] { return route }
        let route = ProxyRoute(server)
        routes[server] = route
        return route
    }

    /// Records that a route to an origin has failed.
    ///
    /// - Returns: Whether the script names another route that has not failed lately.
    func avoid(_ route: ProxyRoute?, to origin: Origin, at now: MonotonicTime) -> Bool {
        guard let choices = answers[origin],
            let failed = choices.first(where: { url(of: $0) == route?.url })
        else { return false }
        if avoided.count >= Self.mostAnswers { avoided.removeAll() }
        avoided[way(failed, origin)] = now + Self.avoidance
        return choices.contains { !isAvoided($0, origin, now) }
    }

    /// The first choice that has not failed lately, or else the first one.
    private func choice(for origin: Origin, at now: MonotonicTime) -> ProxyChoice? {
        guard let choices = answers[origin] else { return nil }
        return choices.first { !isAvoided($0, origin, now) } ?? choices.first
    }

    private func isAvoided(_ choice: ProxyChoice, _ origin: Origin, _ now: MonotonicTime) -> Bool {
        guard !avoided.isEmpty, let end = avoided[way(choice, origin)] else { return false }
        return now < end
    }

    private func way(_ choice: ProxyChoice, _ origin: Origin) -> Way {
        Way(choice: choice, origin: choice == .direct ? origin : nil)
    }

    private func url(of choice: ProxyChoice) -> String? {
        if case .server(let server) = choice { server.url } else { nil }
    }
}
