import Testing
import TransferModel

@testable import Transfer

@Suite struct RedirectDecisionTests {
    /// The redirected request for a request with fields of its own.
    private static func decision(
        from url: String,
        to target: String,
        hasBody: Bool = false
    ) throws -> RedirectDecision {
        let names = ["X-Token", "Authorization", "Cookie", "Accept"]
        let request = RequestSpec(
            method: hasBody ? "PUT" : "GET",
            url: try TransferURL(url),
            headers: names.map { HeaderField(name: $0, value: "v") }
        )
        return RedirectDecision.decide(
            status: 307,
            locations: [target],
            target: target,
            request: request,
            hasBody: hasBody,
            rule: RedirectRule(),
            visited: [RedirectDecision.visit(request.method, request.url)]
        )
    }

    @Test(arguments: [
        ("https://a.example/1", "https://a.example/2", true),
        ("https://a.example/1", "https://A.example:443/2", true),
        ("http://127.0.0.1:80/1", "http://127.0.0.1/2", true),
        ("https://a.example/1", "https://a.example:8443/1", false),
        ("https://a.example/1", "https://b.example/1", false),
        ("https://a.example/1", "https://www.a.example/1", false),
        ("http://a.example/1", "https://a.example/1", false),
        ("http://127.0.0.1/1", "http://localhost/1", false),
    ])
    func `fields that may hold a secret stay at their own origin`(
        url: String,
        target: String,
        staysHome: Bool
    ) throws {
        guard case .follow(let next, _) = try Self.decision(from: url, to: target) else {
            Issue.record("the redirect is not followed")
            return
        }
        let names = ["X-Token", "Authorization", "Cookie", "Accept"]
        #expect(next.headers.map(\.name) == (staysHome ? names : ["Accept"]))
    }

    @Test func `a circle is shown without the query, which may hold a secret of the server`()
        throws
    {
        let url = "https://a.example/x?token=t0k3n"
        guard case .refuse(let failure) = try Self.decision(from: url, to: "\(url)#f") else {
            Issue.record("the redirect is followed")
            return
        }
        #expect(failure.detail == "the redirects go in a circle at https://a.example/x")
    }

    @Test(arguments: [
        ("http://A/\u{301}@B/x", "http://a", "/%CC%81@B/x"),
        ("http://me:pw@A/x@y", "http://a", "/x@y"), ("http://A?\u{301}@B/x", "http://a", "/"),
        ("http://A#\u{301}@B/x", "http://a", "/"), ("http://m\u{301}@A/x", "http://a", "/x"),
    ])
    func `a request target is split by bytes`(target: String, origin: String, path: String) throws {
        guard case .follow(let next, _) = try Self.decision(from: "http://c/", to: target) else {
            Issue.record("the redirect is not followed")
            return
        }
        #expect(next.url.origin.text == origin)
        #expect(next.url.path == path)
        #expect(!next.url.hasUserInformation)
    }

    @Test(arguments: [
        ("https://a.example/1", "http://a.example/1", false),
        ("https://a.example/1", "http://a.example:443/1", false),
        ("https://127.0.0.1/1", "http://127.0.0.1/1", false),
        ("https://a.example/1", "https://b.example/1", true),
        ("https://a.example/1", "https://a.example:8443/1", true),
    ])
    func `nothing goes from https to http, nor a body to another origin`(
        url: String,
        target: String,
        hasBody: Bool
    ) throws {
        guard case .refuse(let failure) = try Self.decision(from: url, to: target, hasBody: hasBody)
        else {
            Issue.record("the redirect is followed")
            return
        }
        #expect(failure.kind == .redirectLimit && failure.isPermanent)
    }

    @Test func `a backslash before the host is refused, because it would end the host elsewhere`()
        throws
    {
        let target = "http://a.example:1\\@b.example/1"
        guard case .refuse = try Self.decision(from: "http://a.example/1", to: target) else {
            Issue.record("the redirect is followed")
            return
        }
    }

    @Test(arguments: [
        ("POST", "https://b.example/2", false), ("POST", "https://a.example/2", true),
        ("PUT", "https://b.example/2", false), ("GET", "https://b.example/2", true),
    ])
    func `an order does not go where its key does not`(
        method: String,
        target: String,
        isFollowed: Bool
    ) throws {
        let request = RequestSpec(
            method: method,
            url: try TransferURL("https://a.example/1"),
            headers: [HeaderField(name: "Idempotency-Key", value: "k")]
        )
        let decision = RedirectDecision.decide(
            status: 307,
            locations: [target],
            target: target,
            request: request,
            hasBody: false,
            rule: RedirectRule(),
            visited: []
        )
        if case .follow = decision { #expect(isFollowed) } else { #expect(!isFollowed) }
    }

    @Test(arguments: [(303, false), (307, true)])
    func `the key of an order goes with the order alone`(status: Int, isKept: Bool) throws {
        let request = RequestSpec(
            method: "POST",
            url: try TransferURL("https://a.example/1"),
            headers: [HeaderField(name: "idempotency-Key", value: "k")]
        )
        let decision = RedirectDecision.decide(
            status: status,
            locations: ["/2"],
            target: "https://a.example/2",
            request: request,
            hasBody: true,
            rule: RedirectRule(),
            visited: [RedirectDecision.visit(request.method, request.url)]
        )
        guard case .follow(let next, _) = decision else {
            Issue.record("the redirect is not followed")
            return
        }
        #expect(next.hasIdempotencyKey == isKept)
    }

    @Test(arguments: [301, 302, 307, 308], ["DELETE", "PUT", "POST", "PATCH", "OPTIONS"])
    func `an order without a body does not leave its origin either`(
        status: Int,
        method: String
    ) throws {
        var rule = RedirectRule()
        rule.allowMethodChange = true
        func decision(_ target: String) throws -> RedirectDecision {
            let request = RequestSpec(method: method, url: try TransferURL("http://127.0.0.1:81/1"))
            return RedirectDecision.decide(
                status: status,
                locations: [target],
                target: target,
                request: request,
                hasBody: false,
                rule: rule,
                visited: []
            )
        }
        if case .refuse = try decision("http://127.0.0.1:81/2") { Issue.record("its own origin") }
        let becomesGET = method == "POST" && status <= 302
        switch try decision("http://127.0.0.1:82/1") {
        case .follow: #expect(becomesGET || method == "OPTIONS")
        case .refuse(let failure):
            #expect(!becomesGET && method != "OPTIONS")
            #expect(failure.isPermanent)
            #expect(
                failure.detail
                    == "a \(method) is not sent again to another origin, http://127.0.0.1:82"
            )
        }
    }
}
