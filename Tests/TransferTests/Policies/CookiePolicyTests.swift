import Cookies
import SystemKit
import Testing
import TransferModel

@testable import Transfer

/// Decisions about cookies, without a server.
@Suite struct CookiePolicyTests {
    private static let clock = RunClock(
        wall: Timestamp(microseconds: 1_000_000_000_000_000),
        monotonic: .now,
        maximumSkewMicroseconds: 0
    )

    private static func policy() -> CookiePolicy {
        CookiePolicy(jar: CookieJar(SessionConfiguration(name: "s")), clock: clock)
    }

    private static func head(_ status: Int, setting cookies: String...) -> ResponseHead {
        ResponseHead(
            statusCode: status,
            fields: HeaderFields(cookies.map { HeaderField(name: "Set-Cookie", value: $0) })
        )
    }

    @Test(arguments: [200, 401, 503])
    func `the cookies of a response go with the next request, whatever its status`(
        status: Int
    ) throws {
        let (policy, url) = (Self.policy(), try TransferURL("https://shop.example/"))
        #expect(policy.field(for: url, with: [], first: url) == nil)
        policy.keep(Self.head(status, setting: "a=1", "b=2"), from: url, first: url)
        #expect(policy.field(for: url, with: [], first: url) == "a=1; b=2")
    }

    @Test(arguments: ["Cookie", "cookie", "COOKIE"])
    func `a task's own Cookie replaces those of the session`(name: String) throws {
        let (policy, url) = (Self.policy(), try TransferURL("https://shop.example/"))
        policy.keep(Self.head(200, setting: "a=1"), from: url, first: url)
        let own = [HeaderField(name: name, value: "c=3")]
        #expect(policy.field(for: url, with: own, first: url) == nil)
        let other = [HeaderField(name: "Accept", value: "c=3")]
        #expect(policy.field(for: url, with: other, first: url) == "a=1")
    }

    @Test func `a cookie stays away from other hosts, from plain http and from other paths`() throws
    {
        let (policy, url) = (Self.policy(), try TransferURL("https://shop.example/app/"))
        policy.keep(Self.head(200, setting: "a=1; Secure; Path=/app"), from: url, first: url)
        for other in [
            "https://other.example/app/", "http://shop.example/app/", "https://shop.example/",
        ] {
            let other = try TransferURL(other)
            #expect(policy.field(for: other, with: [], first: other) == nil, "\(other)")
        }
        let inner = try TransferURL("https://shop.example/app/orders")
        #expect(policy.field(for: inner, with: [], first: inner) == "a=1")
    }

    @Test func `an expired cookie is not sent, by the run's own clock`() throws {
        let (policy, url) = (Self.policy(), try TransferURL("https://shop.example/"))
        policy.keep(Self.head(200, setting: "a=1", "b=2; Max-Age=60"), from: url, first: url)
        policy.keep(
            Self.head(200, setting: "a=; Expires=Sat, 08 Sep 2001 00:00:00 GMT"),
            from: url,
            first: url
        )
        #expect(policy.field(for: url, with: [], first: url) == "b=2")
    }
}
