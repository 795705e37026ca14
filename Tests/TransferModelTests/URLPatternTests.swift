import Testing
import TransferModel

@Suite struct URLPatternTests {
    @Test(arguments: [
        ("*", "http://a.example:81/", true), ("https://a.example", "https://A.example/x", true),
        ("https://a.example", "https://a.example:8443/x", false),
        ("https://a.example:*", "https://a.example:8443/x", true),
        ("https://a.example:8443", "https://a.example:8443/x", true),
        ("https://a.example:8443", "https://a.example/x", false),
        ("https://a.example", "http://a.example/", false),
        ("*://a.example", "http://a.example/", true),
        ("*://a.example", "http://a.example:443/", false),
        ("HTTPS://*.A.example", "https://b.a.example/", true),
        ("https://*.a.example", "https://c.b.a.example/", true),
        ("https://*.a.example", "https://a.example/", false),
        ("https://*.a.example", "https://nota.example/", false),
        ("https://*", "https://a.example/", true), ("https://*", "https://a.example:81/", false),
        ("*://*:*", "http://a.example:81/", true), ("http://[::1]:81", "http://[::1]:81/", true),
        ("http://[::1]:*", "http://[::1]/", true),
        ("http://a.localhost", "http://a.localhost./", true),
        ("http://a.localhost.", "http://a.localhost/", true),
        ("http://*.a.example", "http://b.a.example./", true),
        ("http://127.0.0.1", "http://127.1./", true),
    ])
    func `an origin matches by scheme, host and port`(
        pattern: String,
        url: String,
        matches: Bool
    ) throws {
        let origin = try TransferURL(url).origin
        #expect(try #require(OriginPattern(pattern)).matches(origin) == matches)
        #expect(try #require(URLPattern(pattern)).matches(TransferURL(url)) == matches)
    }

    @Test(arguments: [
        ("https://a.example/*", "https://a.example", true),
        ("https://a.example/", "https://a.example/x", false),
        ("https://a.example/x", "https://a.example/x?y", true),
        ("https://a.example/x?y", "https://a.example/x?y", true),
        ("https://a.example/x?y", "https://a.example/x", false),
        ("https://a.example/x?*", "https://a.example/x?y/z?", true),
        ("https://a.example/i/*.png", "https://a.example/i/a/b.png#c", true),
        ("https://a.example/i/*.png", "https://a.example/i/a/b.pngs", false),
        ("https://a.example/i/*a*b", "https://a.example/i/a/ab/ab", true),
        ("https://a.example/i/*", "https://a.example/i/../x", false),
        ("https://a.example/%7Ea", "https://a.example/~a", false),
        ("https://a.example/~a", "https://a.example/%7Ea", true),
        ("*", "https://a.example/x?y", true),
    ])
    func `a star in a path matches any characters`(
        pattern: String,
        url: String,
        matches: Bool
    ) throws {
        #expect(try #require(URLPattern(pattern)).matches(TransferURL(url)) == matches)
    }

    @Test(arguments: [
        "", "**", "a.example", "https:/a.example", "https://", "ftp://a.example", "https://a.*",
        "https://*.*.example", "https://a b", "https://me@a.example", "https://a.example:0",
        "https://a.example:x", "https://a.example:", "https://a.example?x", "https://a.example#x",
        "https://*.", "https://a.example\\x", "https://a.example/#x", "/x", "*/x#",
    ])
    func `another text is no pattern`(text: String) {
        #expect(OriginPattern(text) == nil)
        #expect(URLPattern(text) == nil)
    }

    @Test func `long paths are compared in bounded time`() throws {
        let stars = String(repeating: "*a", count: 100)
        let path = String(repeating: "a", count: 20_000)
        let pattern = try #require(URLPattern("https://a.example/\(stars)b"))
        #expect(!pattern.matches(try TransferURL("https://a.example/\(path)")))
    }

    @Test func `a rule about a MIME type needs one`() throws {
        let url = try TransferURL("https://a.example/")
        let rule = StoringRule(mimeTypes: ["image/*", "text/html"], stores: false)
        #expect(rule.matches(url, "image/png"))
        #expect(rule.matches(url, "text/html"))
        #expect(!rule.matches(url, "text/plain"))
        #expect(!rule.matches(url, nil))
        #expect(StoringRule(stores: false).matches(url, nil))
    }
}
