import SystemKit
import Testing

@testable import Cookies

@Suite struct PublicSuffixesTests {
    @Test(arguments: [
        ("www.example.com", "example.com"), ("example.com", "example.com"), ("com", "com"),
        ("a.b.example.co.uk", "example.co.uk"), ("co.uk", "co.uk"), ("localhost", "localhost"),
        ("a.shop.localhost", "shop.localhost"), ("127.0.0.1", "127.0.0.1"), ("[::1]", "[::1]"),
        ("me.github.io", "me.github.io"), ("x.me.github.io", "me.github.io"),
        ("www.city.kawasaki.jp", "city.kawasaki.jp"), ("a.b.c.kawasaki.jp", "b.c.kawasaki.jp"),
    ])
    func `a site is a registered domain`(host: String, site: String) {
        #expect(PublicSuffixes.system.site(of: host) == site)
    }

    @Test func `without a list every host is a site of its own`() {
        let none = PublicSuffixes { _ in true }
        #expect(none.site(of: "www.example.com") == "www.example.com")
    }
}
