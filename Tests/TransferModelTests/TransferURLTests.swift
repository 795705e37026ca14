import SystemKit
import Testing
import TransferModel

@Suite struct TransferURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com", "/"),
        ("HTTPS://Example.COM:443/a/b?c=/d#e", "https://example.com", "/a/b"),
        ("https://example.com:8443/", "https://example.com:8443", "/"),
        ("http://example.com:/x", "http://example.com", "/x"),
        ("http://[2001:DB8::1]:80/x", "http://[2001:db8::1]", "/x"),
        ("http://[::]", "http://[::]", "/"),
        ("http://127.0.0.1:65535?q", "http://127.0.0.1:65535", "/"),
        ("http://a@b@example.com/", "http://example.com", "/"),
        ("http://user:p%40ss@example.com/x@y", "http://example.com", "/x@y"),
    ])
    func `origin and path are taken from the text`(text: String, origin: String, path: String) {
        let url = try? TransferURL(text)
        #expect(url?.origin.text == origin)
        #expect(url?.path == path)
        #expect(url?.text == text)
        #expect(url?.hasUserInformation == (text.contains("@example")))
    }

    @Test(
        arguments: [
            ("", .notAbsolute), ("example.com", .notAbsolute), ("//example.com/", .notAbsolute),
            ("http:/example.com", .notAbsolute), ("1http://example.com", .notAbsolute),
            ("ftp://example.com/", .unsupportedScheme("ftp")),
            ("http://", .missingHost), ("http:///path", .missingHost),
            ("http://user@/path", .missingHost), ("http://:80/", .missingHost),
            ("http://[:::]/", .badHost), ("http://[1:2:3:4:5:6:7:8:9]/", .badHost),
            ("http://[::1", .badHost), ("http://[]/", .badHost), ("http://[::1]x:80/", .badHost),
            ("http://a:1:2/", .badPort), ("http://exa%6Dple.com/", .badHost),
            ("http://a|b/", .badHost), ("http://a{b}/", .badHost), ("http://a;b/", .badHost),
            ("http://a..b/", .badHost), ("http://.a/", .badHost), ("http://256.1.1.1/", .badHost),
            ("http://127.08.0.1/", .badHost), ("http://127..0.1/", .badHost),
            ("http://127.0.0.256/", .badHost),
            ("http://a,b/", .badHost), ("http://a$b/", .badHost), ("http://::1/", .missingHost),
            ("http://example.com:0/", .badPort), ("http://example.com:65536/", .badPort),
            ("http://example.com:8x/", .badPort), ("http://example.com:999999/", .badPort),
            ("http://example.com/a b", .badCharacter(offset: 20)),
            ("http://example.com\\@evil/", .badCharacter(offset: 18)),
            ("http://example.com/\r\nX: y", .badCharacter(offset: 19)),
            ("http://example.com/\u{0}", .badCharacter(offset: 19)),
        ] as [(String, URLFault)]
    )
    func `a text that is no usable URL says why`(text: String, fault: URLFault) {
        #expect(throws: fault) { try TransferURL(text) }
    }

    @Test(
        arguments: [
            ("localhost", true), ("LOCALHOST:8080", true), ("api.localhost", true),
            ("127.0.0.1", true), ("127.9.9.9:1", true), ("[::1]", true), ("[::1]:8080", true),
            ("example.com", false), ("localhost.example.com", false), ("notlocalhost", false),
            ("127.0.0.1.example.com", false), ("128.0.0.1", false), ("10.0.0.1", false),
            ("[::2]", false), ("0.0.0.0", false), ("127.010.0.1", true),
            ("127.0.0", true), ("2130706433", true), ("[0::1]", true), ("127.0.0.1.", false),
        ]
    )
    func `an origin knows whether it is this machine`(host: String, isLoopback: Bool) throws {
        #expect(try TransferURL("http://\(host)/").origin.isLoopback == isLoopback)
    }

    // RFC 3986 §2.5, RFC 5891 §4.
    @Test(arguments: [
        ("http://a/?q=ü#ü", "http://a/?q=%C3%BC#%C3%BC"),
        ("http://a/ü/%C3%BC", "http://a/%C3%BC/%C3%BC"),
        (#"http://a/"b"?"c""#, "http://a/%22b%22?%22c%22"),
        ("http://A/\u{301}@B/x", "http://A/%CC%81@B/x"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://BÜCHER.example:8443?ü", "https://xn--bcher-kva.example:8443?%C3%BC"),
        ("http://日本語。jp/", "http://xn--wgv71a119e.jp/"),
        ("http://straße.example/", "http://xn--strae-oqa.example/"),
    ])
    func `a URL is ASCII when it is sent`(text: String, sent: String) throws {
        let url = try TransferURL(text)
        #expect(url.text == sent)
        #expect(try TransferURL(text, like: url) == url)
        #expect(try TransferURL(sent) == url)
    }

    @Test(arguments: [
        "http://a\u{FF0F}b/", "http://\u{202E}a/", "http://a\u{2024}b:x/", "http://ü_\u{FFFD}/",
        "http://\(String(repeating: "ü", count: 64)).example/", "http://[ü]/", "http://a\u{FF20}b/",
    ])
    func `a host that is no international name is refused`(text: String) {
        #expect(throws: URLFault.self) { try TransferURL(text) }
    }

    @Test(arguments: [
        ("http://a/b/../c?d#e", "http://a/c?d#e"), ("http://a/%2e%2E/b", "http://a/b"),
        ("http://a/b/%2e", "http://a/b/"), ("http://a?b=/../c", "http://a?b=/../c"),
        ("http://a/b%2F../c", "http://a/b%2F../c"), ("http://a", "http://a"),
    ])
    func `a request has a path without dot segments`(text: String, sent: String) throws {
        #expect(try TransferURL(text).sentText == sent)
    }

    @Test func `origins differ by scheme, host and port`() throws {
        let origin = try TransferURL("http://a/").origin
        #expect(try TransferURL("http://A:80/x").origin == origin)
        #expect(try TransferURL("https://a/").origin != origin)
        #expect(try TransferURL("http://a:81/").origin != origin)
        #expect(try TransferURL("http://a./").origin != origin)
    }

    @Test(arguments: [
        ("http://[fe80::1%25eth0]:80/", "fe80::1", "eth0"),
        ("http://[fe80::1%Eth0]/", "fe80::1", "eth0"),
        ("http://[fe80::1%25]/", "fe80::1", "25"), ("http://[fe80::1%]/", "fe80::1", ""),
        ("http://[::1]/", "::1", nil), ("http://192.0.2.1/", "192.0.2.1", nil),
        ("http://a.test/%25eth0", nil, nil),
    ])
    func `an address of one link may have a zone`(url: String, address: String?, zone: String?)
        throws
    {
        let origin = try TransferURL(url).origin
        #expect(origin.address?.text == address)
        #expect(origin.zone.map(String.init) == zone)
    }
}
