import Testing
import TransferModel

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com", "/"),
        ("https://Example.COM/a/b?q#f", "https://example.com", "/a/b"),
        ("HTTPS://example.com:443/", "https://example.com", "/"),
        ("http://example.com:8080?q", "http://example.com:8080", "/"),
        ("http://example.com:/a", "http://example.com", "/a"),
        ("http://[::1]:8080/a", "http://[::1]:8080", "/a"),
        ("http://[::]", "http://[::]", "/"),
        ("http://[fe80::1%25eth0]/", "http://[fe80::1%25eth0]", "/"),
        ("http://127.0.0.1:1/", "http://127.0.0.1:1", "/"),
        ("http://bücher.example/ü?ü", "http://bücher.example", "/ü"),
        ("http://a_b-c.~d/", "http://a_b-c.~d", "/"),
        ("http://a#/b", "http://a", "/"),
    ])
    func `a URL has an origin and a path`(text: String, origin: String, path: String) throws {
        let url = try HTTPURL(text)
        #expect(url.text == text)
        #expect(url.origin.text == origin)
        #expect(url.path == path)
        #expect(!url.hasUserInformation)
    }

    @Test(arguments: ["http://a@b/", "http://a:b@c:80/", "http://@c/", "http://a@b@c/"])
    func `user information is noticed and is not the host`(text: String) throws {
        let url = try HTTPURL(text)
        #expect(url.hasUserInformation)
        #expect(url.origin.host == "b" || url.origin.host == "c")
    }

    @Test(arguments: [
        ("", HTTPURL.Fault.notAbsolute),
        ("example.com/a", .notAbsolute),
        ("/a", .notAbsolute),
        ("http:/a", .notAbsolute),
        ("://a", .notAbsolute),
        ("1http://a", .notAbsolute),
        ("ftp://a/", .unsupportedScheme("ftp")),
        ("http://", .missingHost),
        ("http:///a", .missingHost),
        ("http://:80/", .missingHost),
        ("http://a@/", .missingHost),
        ("http://?a", .missingHost),
        ("http://a%62/", .badHost),
        ("http://a;b/", .badHost),
        ("http://a,b/", .badHost),
        ("http://a$b/", .badHost),
        ("http://[::1/", .badHost),
        ("http://[::1]a/", .badHost),
        ("http://[]/", .badHost),
        ("http://::1/", .missingHost),
        ("http://a:b/", .badPort),
        ("http://a:0/", .badPort),
        ("http://a:65536/", .badPort),
        ("http://a:123456/", .badPort),
        ("http://a:80:80/", .badPort),
        ("http://a:-1/", .badPort),
        ("http://a/ b", .badCharacter(offset: 9)),
        ("http://a/\n", .badCharacter(offset: 9)),
        ("http://a\\@b/", .badCharacter(offset: 8)),
        ("http://a\u{7F}/", .badCharacter(offset: 8)),
    ])
    func `what cannot be asked is refused`(text: String, fault: HTTPURL.Fault) {
        #expect(throws: fault) { try HTTPURL(text) }
    }
}
