import Testing
import TransferModel

@Suite struct HTTPURLNormalizationTests {
    // RFC 3986 §5.2.4.
    @Test(arguments: [
        ("", "/"), ("/", "/"), ("/a/b", "/a/b"), ("/a//b/", "/a//b/"), ("/a/../b", "/b"),
        ("/a/./b", "/a/b"), ("/a/b/..", "/a/"), ("/a/.", "/a/"), ("/../../a", "/a"), ("/..", "/"),
        ("/.a/..b/c..", "/.a/..b/c.."), ("/a/b/../../..//c", "//c"), ("/a/../b?x=/../y", "/b"),
    ])
    func `the path that is sent has no dot segments`(path: String, sent: String) throws {
        #expect(try HTTPURL("https://a.example" + path).sentPath == sent)
    }

    @Test(arguments: [
        ("/%2e%2E/a/%2E/b/.%2e/%2e./c", "/c"), ("/a/%2e", "/a/"),
        ("/a/%2e%2e%2e/b", "/a/%2e%2e%2e/b"),
        ("/a/%2e%2", "/a/%2e%2"), ("/a/%2f/../b", "/a/b"), ("/%20/%2Eb", "/%20/%2Eb"),
    ])
    func `dots that are percent-encoded are dots`(path: String, sent: String) throws {
        #expect(try HTTPURL("https://a.example" + path).sentPath == sent)
    }

    @Test(arguments: [
        ("/%c3%a9/%7Euser/%2fa?x=%c3%a9&y=%41#%c3", "/%C3%A9/~user/%2Fa?x=%C3%A9&y=A"),
        ("/a/./b/%2e%2e/c", "/a/c"), ("", "/"), ("?", "/"), ("?a", "/?a"),
        ("/100%/%zz/%4", "/100%/%zz/%4"), ("/a//b/", "/a//b/"),
    ])
    func `a normalized URL has one form`(text: String, normalized: String) throws {
        let url = try HTTPURL("https://a.example:8443" + text).normalized
        #expect(url.text == "https://a.example:8443" + normalized)
        #expect(url.origin.port == 8443)
    }
}
