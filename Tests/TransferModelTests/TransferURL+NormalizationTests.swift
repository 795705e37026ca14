import Testing
import TransferModel

@Suite struct TransferURLNormalizationTests {
    // RFC 3986 §5.2.4.
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("/a/b", "/a/b"), ("/a//b/", "/a//b/"), ("/a/../b", "/b"),
        ("/a/./b", "/a/b"), ("/a/b/..", "/a/"), ("/a/.", "/a/"), ("/../../a", "/a"), ("/..", "/"),
        ("/.a/..b/c..", "/.a/..b/c.."), ("/a/b/../../..//c", "//c"), ("/a/../b?x=/../y", "/b"),
    ])
    func `the path that is sent has no dot segments`(path: String, sent: String) throws {
        #expect(try TransferURL("https://a.example" + path).sentPath == sent)
    }

    @Test(arguments: [
        ("/%2e%2E/a/%2E/b/.%2e/%2e./c", "/c"), ("/a/%2e", "/a/"),
        ("/a/%2e%2e%2e/b", "/a/%2e%2e%2e/b"),
        ("/a/%2e%2", "/a/%2e%2"), ("/a/%2f/../b", "/a/b"), ("/%20/%2Eb", "/%20/%2Eb"),
    ])
    func `dots that are percent-encoded are dots`(path: String, sent: String) throws {
        #expect(try TransferURL("https://a.example" + path).sentPath == sent)
    }

    @Test(arguments: [
        ("/%c3%a9/%7Euser/%2fa?x=%c3%a9&y=%41#%c3", "/%C3%A9/~user/%2Fa?x=%C3%A9&y=A"),
        ("/a/./b/%2e%2e/c", "/a/c"), ("", "/"), ("?", "/"), ("?a", "/?a"),
        ("/100%/%zz/%4", "/100%/%zz/%4"), ("/a//b/", "/a//b/"), ("/é?é=é", "/%C3%A9?%C3%A9=%C3%A9"),
    ])
    func `a normalized URL has one form`(text: String, normalized: String) throws {
        let url = try TransferURL("https://a.example:8443" + text).normalized
        #expect(url.text == "https://a.example:8443" + normalized)
        #expect(url.origin.port == 8443)
    }

    @Test(arguments: [
        ("/g++-1+2.deb", "/g%2B%2B-1%2B2.deb"), ("/a/b%2fc=d;e", "/a/b%2Fc%3Dd%3Be"),
        ("?a=b+c&d=%2b#e", "/?a=b%20c&d=%2B"), ("?acl", "/?acl"), ("/~a-b_c.d", "/~a-b_c.d"),
    ])
    func `a URL for AWS leaves no character to a server's reading`(
        text: String,
        signable: String
    ) throws {
        let url = try TransferURL("https://a.example" + text).signable
        #expect(url.text == "https://a.example" + signable)
    }

    @Test func `a normalized URL has its host in small letters and no usual port`() throws {
        #expect(try TransferURL("HTTP://LocalHost:80/A").normalized.text == "http://localhost/A")
    }

    @Test(arguments: [
        ("/a/../b", true), ("/a/%2e%2e/b", true), ("/.a", true), ("/a/%20", true), ("", false),
        ("/a/b.c", false), ("/a?x=/../y", false), ("/a#/./b", false),
    ])
    func `only a path with dots or escapes behind a slash is looked at twice`(
        path: String,
        mayHave: Bool
    ) throws {
        #expect(try TransferURL("https://a.example" + path).mayHaveDotSegments == mayHave)
    }

    @Test(arguments: [
        ("GET /b?x=a HTTP/1.1\r\nHost: a\r\n", "https://a.example:8443/b?x=a"),
        ("GET http://a.example/c HTTP/1.1\r\n", "http://a.example/c"), ("GET", nil), ("", nil),
        ("GET  HTTP/1.1", nil), ("GET /b", nil),
    ])
    func `a request line tells the URL`(line: String, asked: String?) throws {
        let url = try TransferURL("https://A.example:8443/a/../b")
        #expect(url.asked(by: Array(line.utf8).span) == asked)
    }
}
