import TestSupport
import Testing

/// Keys that decide as the delegates of `URLSession` do.
@Suite struct DecisionKeysTests {
    @Test func `redirects are followed, left or refused by the origin of their target`() throws {
        let other = try ScriptedServer { _ in .ok("there") }
        let third = try ScriptedServer { _ in .ok("never") }
        let server = try ScriptedServer { request in
            switch request.path {
            case "/other": .redirect(to: other.url("/there"))
            case "/third": .redirect(to: third.url("/there"))
            case "/home": .redirect(to: "/end")
            default: .ok("end")
            }
        }
        let job = try JobFolder(
            """
            version: 1
            defaults:
              retry: { attempts: 1 }
              redirects:
                follow: fail
                decisions:
                  - { origin: "http://127.0.0.1:\(other.port)", follow: true }
                  - { origin: "http://127.0.0.1:\(third.port)", follow: false }
            data:
              followed: { url: \(server.url("/other")) }
              left: { url: \(server.url("/third")), expect: { statusCode: 302 } }
              refused: { url: \(server.url("/home")) }
              own:
                url: \(server.url("/third"))
                redirects: { decisions: [{ origin: "*://*:*", follow: sameOrigin }] }
              home: { url: \(server.url("/home")), redirects: { follow: sameOrigin, decisions: [] } }
            """
        )
        let run = try job.run()
        #expect(run.outcome("followed") == "succeeded")
        #expect(run.task("followed")?["response"]?["statusCode"]?.integer == 200)
        #expect(run.outcome("left") == "succeeded")
        #expect(run.task("left")?["response"]?["statusCode"]?.integer == 302)
        #expect(run.kind("refused") == "redirectLimit")
        #expect(run.kind("own") == "redirectLimit")
        #expect(run.outcome("home") == "succeeded")
        #expect(third.requests.isEmpty)
        #expect(other.requests.map(\.path) == ["/there"])
    }

    @Test func `the cache stores the responses that the job wants`() throws {
        let server = try ScriptedServer { request in
            let type = request.path.hasPrefix("/images") ? "image/png" : "text/html; charset=utf-8"
            return .ok("body", ["Content-Type: \(type)", "Cache-Control: max-age=600"])
        }
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s:
                urlCache:
                  directory: cache
                  willCacheResponse:
                    - { url: "\(server.url("/images/a*"))", store: true }
                    - { mimeType: image/*, store: false }
                    - { url: "\(server.url("/x?secret*"))", store: false }
            data:
              kept: { url: "\(server.url("/images/a.png?1"))" }
              image: { url: "\(server.url("/images/b.png"))" }
              query: { url: "\(server.url("/x?secret=1"))" }
              page: { url: "\(server.url("/x?y"))" }
            """
        )
        let first = try job.run()
        func cache(_ id: String, _ name: String, in run: RunOutcome) -> String? {
            run.task(id)?["extension"]?["cache"]?[name]?.string
        }
        let storing = ["kept", "image", "query", "page"].map { cache($0, "storing", in: first) }
        #expect(storing == ["stored", "declined", "declined", "stored"])
        let second = try job.run()
        let verdicts = ["kept", "image", "query", "page"].map { cache($0, "verdict", in: second) }
        #expect(verdicts == ["hit", "miss", "miss", "hit"])
        #expect(server.requests.count == 6)
    }
}
