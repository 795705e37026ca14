import SystemKit
import Testing
import TransferModel

/// The runner decides by its own reading of a URL, and libcurl connects and sends by another one.
@Suite struct TransferURLLibcurlTests {
    private static let authorities = [
        "example.com", "Example.COM.", "a-b_c~d.test", "-a", "xn--bcher-kva.example",
        "bücher.example", "日本語。jp", "192.0.2.1", "[2001:DB8::1]", "[fe80::1%25eth0]",
        "[::ffff:192.0.2.1]", "user@a", "user:p%40ss@a", ":@a", "u;o@a", "u:p\"q@a",
    ]
    private static let ports = ["", ":", ":80", ":443", ":00081", ":65535"]
    private static let rests = [
        "", "/", "/a/b", "/a//b/", "/ü", "/a/../b/./c", "/%2e%2E/a%20b", "/a/.%2e", "/..;/%", "/@b",
        "/a;b=c,d:e@f", "/[b]{c}<d>`^'|", "?", "?@b", "?q", "/?a=b&c=ü", "/a?b=/../c?d#e", "#f?g",
        "#@b", "/??#", "/%00%0d%0a%zz",
    ]

    @Test(arguments: ["http", "https", "HtTpS"])
    func `libcurl takes the same parts from a usual URL`(scheme: String) throws {
        for authority in Self.authorities {
            for port in Self.ports {
                for rest in Self.rests {
                    let url = try TransferURL("\(scheme)://\(authority)\(port)\(rest)")
                    #expect(try LibcurlURL(url.sentText) == Self.parts(of: url))
                }
            }
        }
    }

    // inet_aton(3), RFC 5952 §4.
    @Test(
        arguments: [
            "127.1", "127.0.1", "1.2.3", "2130706433", "0x7f000001", "017700000001",
            "0177.0.0.1", "0", "00", "256", "127.0.0.01", "127.0.0.0x1", "127.0.0.1.",
            "0xg", "1e3", "1.", "127.0.0.1.a",
            "[0:0:0:0:0:0:0:1]", "[2001:0DB8:0:0::0:1]", "[::01]", "[::127.0.0.1]", "[1::]",
            "[fe80:0::1%eth0]", "[::1%25]",
        ]
    )
    func `libcurl takes the same host from another spelling of an address`(host: String) throws {
        let url = try TransferURL("http://\(host)/")
        #expect(try LibcurlURL(url.sentText) == Self.parts(of: url))
    }

    @Test(arguments: [
        "", "a", "//a/", "://a/", "http:a", "http//a/", "http;//a/", "1http://a/", "httpss://a/",
        "http://", "http://?", "http://#", "http://@/", "http://:80/", "http://a:80:80/",
        "http://a:65536/", "http://a:99999999999/", "http://a:+80/", "http://a:-80/",
        "http://a:0x50/", "http://a:8a/", "http://[::1/", "http://[]/", "http://[a]/",
        "http://[::g]/", "http://[:::]/", "http://[1:2:3:4:5:6:7:8:9]/", "http://[v1.a]/",
        "http://[::1.2.3]/", "http://[::1]80/", "http://[::1]a/", "http://[1]/", "http://::1/",
        "http://a%20b/", "http://a%2fb/", "http://a%40b/", "http://a%00b/", "http://a!b/",
        "http://a$b/", "http://a&b/", "http://a'b/", "http://a(b/", "http://a*b/", "http://a+b/",
        "http://a,b/", "http://a;b/", "http://a=b/", "http://a<b/", "http://a^b/", "http://a`b/",
        "http://a{b/", "http://a\\b/", "http://a b/", "http://a/ b", "http://a\t/", "http://a/\tb",
        "http://a\r\nb/", "http://a/\r\nb", "http://a/\u{7f}", "http://[::1]@a:b/",
    ])
    func `libcurl refuses a URL that the runner refuses`(text: String) throws {
        #expect(throws: URLFault.self) { try TransferURL(text) }
        #expect(try LibcurlURL(text) == nil)
    }

    // Each pair is a text and the reason.
    @Test(arguments: [
        ("http:/a", "libcurl adds a missing slash"), ("http:///a", "libcurl drops a third slash"),
        ("http://a%2eb/", "libcurl decodes escapes in a host"),
        ("http://a:0/", "libcurl takes port 0, to which nothing can connect"),
        ("http://a:000080/", "libcurl takes a port of any length"),
        ("http://a|b/", "libcurl asks the resolver for a name that cannot exist"),
        ("http://a\\@b/", "a browser reads the backslash as a slash, and libcurl as a name"),
        ("http://a/\\b", "a server may read the backslash as a slash"),
        ("http://a/\0b", "C ends a text at NUL"),
        ("ftp://a/", "the runner speaks HTTP only"),
        ("http://a\u{FF0F}b/", "libcurl checks an international name when it connects"),
        ("http://☃.example/", "libcurl checks an international name when it connects"),
        ("http://a..b/", "libcurl asks the resolver for a name with an empty label"),
        ("http://.a/", "libcurl asks the resolver for a name with an empty label"),
        ("http://127.0.0.256/", "libcurl asks the resolver for an address with a wrong number"),
        ("http://127.0.0.08/", "libcurl asks the resolver for an address with a wrong number"),
        ("http://1.2.3.4.5/", "libcurl asks the resolver for an address of five numbers"),
        ("http://4294967296/", "libcurl asks the resolver for an address with a wrong number"),
    ])
    func `the runner refuses more than libcurl`(text: String, _: String) throws {
        #expect(throws: URLFault.self) { try TransferURL(text) }
        #expect(try LibcurlURL(text) != nil)
    }

    // The runner refuses user information anyway.
    @Test(arguments: [
        ("http://a@b@c/", "libcurl reads user information up to the first @"),
        ("http://a:b@c:d@e/", "libcurl reads user information up to the first @"),
        ("http://[::1%]/", "libcurl refuses an empty zone"),
    ])
    func `libcurl refuses a URL that the runner reads`(text: String, _: String) throws {
        #expect(throws: Never.self) { try TransferURL(text) }
        #expect(try LibcurlURL(text) == nil)
    }

    @Test func `libcurl keeps a spelling of an address that is shorter than the usual one`() throws
    {
        let text = "http://[::ffff:7f00:1]/"
        #expect(try TransferURL(text).origin.host == "[::ffff:127.0.0.1]")
        #expect(try LibcurlURL(text)?.host == "[::ffff:7f00:1]")
    }

    private static func parts(of url: TransferURL) -> LibcurlURL {
        let origin = url.origin
        let address = origin.address?.text ?? ""
        return LibcurlURL(
            scheme: origin.scheme.rawValue,
            host: origin.zone.map { "[\(address)%\($0)]" } ?? origin.host,
            port: origin.port,
            path: url.sentPath,
            query: url.query
        )
    }
}
