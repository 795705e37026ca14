import Testing

@testable import Cookies

@Suite struct CookieScopeTests {
    @Test(arguments: [
        ("a.example", "a.example", true), ("b.a.example", "a.example", true),
        ("a.example", "b.a.example", false), ("ba.example", "a.example", false),
        ("a.example.", "a.example", false), ("127.0.0.1", "127.0.0.1", true),
        ("127.0.0.1", "0.0.1", false), ("1.0.0.1", "1", false), ("[::1]", "[::1]", true),
        ("[::1]", "1]", false), ("0x7f.0.0.0x1", "0.0.0x1", false), ("example", "", false),
    ])
    func `a host lies at or below a domain`(host: String, domain: String, matches: Bool) {
        #expect(CookieScope.host(host, matches: domain) == matches)
    }

    @Test(arguments: [
        ("/", "/", true), ("/a", "/", true), ("/a", "/a", true), ("/a/", "/a", true),
        ("/a/b", "/a", true), ("/ab", "/a", false), ("/a", "/a/", false), ("/a/b", "/a/", true),
        ("/A", "/a", false), ("/", "", false),
    ])
    func `a path lies at or below a cookie's`(path: String, cookiePath: String, matches: Bool) {
        #expect(CookieScope.path(path, matches: cookiePath) == matches)
    }

    @Test(arguments: [
        ("/", "/"), ("/a", "/"), ("/a/", "/a"), ("/a/b", "/a"), ("/a/b/", "/a/b"), ("//", "/"),
        ("/ä/b", "/ä"),
    ])
    func `the default path ends before the last slash`(path: String, defaultPath: String) {
        #expect(CookieScope.defaultPath(of: path) == defaultPath)
    }

    @Test(arguments: [
        ("a.example", true), ("localhost", true), ("a_b.example", true), ("", false),
        (".a.example", false), ("a..example", false), ("a.example.", false), ("A.example", false),
        ("ä.example", false), ("a.example:80", false), ("*.example", false), ("a b", false),
    ])
    func `a domain is labels of ASCII`(text: String, isDomain: Bool) {
        #expect(CookieScope.isDomain(text) == isDomain)
    }
}
