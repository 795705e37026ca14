import Testing
import TransferModel

@testable import Cookies

@Suite struct CookieTests {
    @Test func `a cookie without attributes belongs to its host, folder and run`()
        throws
    {
        let cookie = try #require(try cookie("a=b"))
        #expect(cookie.domain == "www.shop.example" && cookie.isHostOnly)
        #expect(cookie.path == "/a")
        #expect(cookie.expiryTime == nil)
        #expect(!cookie.isSecure && !cookie.isHTTPOnly)
        #expect(cookie.source.text == "https://www.shop.example")
    }

    @Test(arguments: [
        ("https://www.shop.example/", "shop.example", "shop.example"),
        ("https://www.shop.example/", "WWW.Shop.Example", "www.shop.example"),
        ("https://www.shop.example/", ".shop.example", "shop.example"),
        ("https://www.shop.example/", "", "host"),
        ("https://www.shop.example/", "a.www.shop.example", nil),
        ("https://www.shop.example/", "hop.example", nil),
        ("https://www.shop.example/", "other.example", nil),
        ("https://www.shop.example/", "shop.example.", nil),
        ("https://www.shop.example/", "..shop.example", nil),
        ("https://www.shop.example/", "shöp.example", nil),
        // Public suffixes, however they are spelled (CVE-2023-46218).
        ("https://www.shop.example/", "example", nil),
        ("https://shop.co.example/", "co.example", nil),
        ("https://SHOP.CO.EXAMPLE/", "Co.ExamPle", nil),
        ("https://shop.co.example/", "shop.co.example", "shop.co.example"),
        ("https://co.example/", "co.example", "host"),
        ("http://localhost/", "localhost", "host"),
        // Addresses have nothing above them.
        ("http://127.0.0.1/", "127.0.0.1", "host"), ("http://127.0.0.1/", "0.0.1", nil),
        ("http://127.0.0.1/", "1", nil), ("http://[::1]/", "[::1]", "host"),
    ])
    func `a cookie's domain is its host or a parent of it`(
        url: String,
        domain: String,
        expected: String?
    ) throws {
        let cookie = try cookie("a=b; Domain=\(domain)", from: url)
        #expect(cookie.map { $0.isHostOnly ? "host" : $0.domain } == expected)
    }

    @Test func `without a list of suffixes no cookie is for more than its host`() throws {
        let field = try #require(SetCookie(Array("a=b; Domain=shop.example".utf8)[...]))
        let none = PublicSuffixes { _ in true }
        let url = try TransferURL("https://www.shop.example/")
        #expect(Cookie(field, from: url, suffixes: none, at: time(0)) == nil)
        let home = try TransferURL("https://shop.example/")
        #expect(Cookie(field, from: home, suffixes: none, at: time(0))?.isHostOnly == true)
    }

    @Test(arguments: [
        ("http://shop.example/", "a=b; Secure", false), ("http://shop.example/", "a=b", true),
        ("https://shop.example/", "a=b; Secure", true),
        ("http://localhost/", "a=b; Secure", true), ("http://127.0.0.1/", "a=b; Secure", true),
        ("https://shop.example/", "a=b; SameSite=None", false),
        ("https://shop.example/", "a=b; SameSite=None; Secure", true),
        ("https://shop.example/", "__Secure-a=b", false),
        ("https://shop.example/", "__SECURE-a=b; Domain=shop.example", false),
        ("https://shop.example/", "__secure-a=b; Secure; Domain=shop.example", true),
        ("https://shop.example/", "__Host-a=b; Secure", false),
        ("https://shop.example/", "__Host-a=b; Path=/", false),
        ("https://shop.example/", "__Host-a=b; Secure; Path=/x", false),
        ("https://shop.example/", "__HOST-a=b; Secure; Path=/; Domain=shop.example", false),
        ("https://shop.example/", "__host-a=b; Secure; Path=/", true),
        ("https://shop.example/", "__Host-a; Secure; Path=/", false),
        ("https://shop.example/", "=__Secure-a=b; Secure", false),
        ("http://shop.example/", "__Host-a=b; Secure; Path=/", false),
    ])
    func `a cookie must fulfil its name prefix and attributes`(
        url: String,
        field: String,
        isAccepted: Bool
    ) throws {
        #expect((try cookie(field, from: url) != nil) == isAccepted)
    }

    /// From second 1000 on.
    @Test(arguments: [
        ("a=b; Max-Age=60", 1060), ("a=b; Max-Age=0", Int64.min), ("a=b; Max-Age=-5", .min),
        ("a=b; Expires=Thu, 01 Jan 1970 00:33:20 GMT", 2000),
        ("a=b; Max-Age=60; Expires=Thu, 01 Jan 1970 00:33:20 GMT", 1060),
        ("a=b; Expires=Thu, 01 Jan 1970 00:33:20 GMT; Max-Age=never", 2000),
        ("a=b; Max-Age=99999999999999999999", 34_561_000),
        ("a=b; Max-Age=34560001", 34_561_000), ("a=b; Max-Age=34559999", 34_560_999),
        ("a=b; Expires=Fri, 31 Dec 9999 23:59:59 GMT", 34_561_000),
    ])
    func `Max-Age overrides Expires, and no cookie lives longer than 400 days`(
        field: String,
        seconds: Int64
    ) throws {
        let cookie = try #require(try cookie(field))
        let expected = seconds == .min ? Timestamp(microseconds: .min) : time(seconds)
        #expect(cookie.expiryTime == expected)
    }
}
