import CurlKit
import Testing
import TransferModel

@testable import Transfer

@Suite struct ScriptedRoutesTests {
    private let origin = Origin(scheme: .https, host: "example.com", port: 443)
    private let start = MonotonicTime(nanoseconds: 0)

    private func server(_ port: Int, host: String = "proxy.test") -> ProxyChoice {
        .server(ProxyServer(kind: .http, host: host, port: port))
    }

    private func routes(
        _ choices: [ProxyChoice],
        to origin: Origin? = nil,
        exceptions: String = ""
    ) -> ScriptedRoutes {
        let routes = ScriptedRoutes(exceptions: ProxyExceptions(exceptions))
        routes.take(choices, for: origin ?? self.origin)
        return routes
    }

    @Test func `an origin is unknown until its answer is there`() {
        let routes = ScriptedRoutes(exceptions: ProxyExceptions("direct.test"))
        #expect(!routes.knows(origin))
        #expect(routes.knows(Origin(scheme: .http, host: "direct.test", port: 80)))
        routes.take([.direct], for: origin)
        #expect(routes.knows(origin))
    }

    @Test func `the next way follows one that leads nowhere, and the first one again later`() {
        let routes = routes([server(1), server(2), .direct])
        #expect(routes.route(to: origin, at: start)?.url == "http://proxy.test:1")
        #expect(routes.avoid(routes.route(to: origin, at: start), to: origin, at: start))
        #expect(routes.route(to: origin, at: start)?.url == "http://proxy.test:2")
        #expect(routes.avoid(routes.route(to: origin, at: start), to: origin, at: start))
        #expect(routes.route(to: origin, at: start) == nil)
        // The direct way fails as well: nothing is left, and the next attempt begins anew.
        #expect(!routes.avoid(nil, to: origin, at: start))
        #expect(routes.route(to: origin, at: start)?.url == "http://proxy.test:1")
        let later = start + .seconds(301)
        #expect(routes.route(to: origin, at: later)?.url == "http://proxy.test:1")
    }

    @Test func `a proxy that fails is avoided for other origins too`() {
        let other = Origin(scheme: .http, host: "other.test", port: 80)
        let routes = routes([server(1), server(2)])
        routes.take([server(1), server(2)], for: other)
        _ = routes.avoid(routes.route(to: origin, at: start), to: origin, at: start)
        #expect(routes.route(to: other, at: start)?.url == "http://proxy.test:2")
    }

    @Test func `one proxy has one route`() {
        let routes = routes([server(1)])
        #expect(routes.route(to: origin, at: start) === routes.route(to: origin, at: start))
    }

    @Test func `this machine is reached through proxies on it only`() {
        let own = Origin(scheme: .http, host: "127.0.0.1", port: 80)
        let elsewhere = routes([server(1)], to: own)
        #expect(elsewhere.route(to: own, at: start) == nil)
        let here = routes([server(1), server(2, host: "127.0.0.1")], to: own)
        #expect(here.route(to: own, at: start)?.url == "http://127.0.0.1:2")
    }
}
