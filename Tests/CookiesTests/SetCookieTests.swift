import Testing
import TransferModel

@testable import Cookies

@Suite struct SetCookieTests {
    @Test(arguments: [
        ("a=b", "a", "b"), (" a = b \t", "a", "b"), ("a=b=c", "a", "b=c"), ("a=", "a", ""),
        ("=b", "", "b"), ("b", "", "b"), ("a=\"b c\"", "a", "\"b c\""), ("a=b;", "a", "b"),
        ("a=b;;; ;", "a", "b"), ("a=%20", "a", "%20"), ("a=b, c=d", "a", "b, c=d"),
        ("ä=ö", "ä", "ö"), ("a\tb=c\td", "a\tb", "c\td"), (" ; Secure; a=b", "", ""),
    ])
    func `name and value stand around the first equals sign`(
        text: String,
        name: String,
        value: String
    ) throws {
        let field = SetCookie(Array(text.utf8)[...])
        guard !name.isEmpty || !value.isEmpty else {
            #expect(field == nil)
            return
        }
        #expect(field?.name == name)
        #expect(field?.value == value)
    }

    @Test(arguments: [
        "a=b\u{0}", "a=b\u{1B}[1m", "a\u{7F}=b", "a=b; Path=/\u{1}", "", "=", "; a=b",
    ])
    func `control bytes and emptiness are refused`(text: String) {
        #expect(SetCookie(Array(text.utf8)[...]) == nil)
    }

    @Test func `a field that is not UTF-8 is refused`() {
        #expect(SetCookie((Array("a=".utf8) + [0xE4])[...]) == nil)
    }

    @Test(arguments: [(4095, true), (4096, false)])
    func `name and value have 4096 bytes together`(valueSize: Int, isAccepted: Bool) {
        let field = Array("a=\(String(repeating: "x", count: valueSize)); Secure".utf8)
        #expect((SetCookie(field[...]) != nil) == isAccepted)
    }

    @Test func `the last attribute of a name counts, in any case`() throws {
        let text = "a=b; PATH=/x; path=/y; Domain=A.example; domain=.B.Example; SECURE; httponly"
        let field = try #require(SetCookie(Array(text.utf8)[...]))
        #expect(field.path == "/y")
        #expect(field.domain == "b.example")
        #expect(field.isSecure && field.isHTTPOnly)
        #expect(field.sameSite == .unspecified)
    }

    @Test(arguments: [
        ("Strict", SetCookie.SameSite.strict), ("LAX", .lax), ("none", .none),
        ("other", .unspecified),
        ("", .unspecified),
    ])
    func `SameSite is one of three words`(text: String, sameSite: SetCookie.SameSite) throws {
        let field = try #require(SetCookie(Array("a=b; samesite=\(text)".utf8)[...]))
        #expect(field.sameSite == sameSite)
    }

    @Test(arguments: [
        ("0", 0), ("60", 60), ("-1", -1), ("99999999999999999999", Int64.max),
        ("-99999999999999999999", .min), ("007", 7),
    ])
    func `an age is a whole number of any size`(text: String, seconds: Int64) throws {
        let field = try #require(SetCookie(Array("a=b; Max-Age=\(text)".utf8)[...]))
        #expect(field.maximumAge == seconds)
    }

    @Test(arguments: ["", "-", "+5", "5s", "1.5", "0x10", " ", "--1", "٣"])
    func `a Max-Age that is no number is ignored`(text: String) throws {
        let field = try #require(SetCookie(Array("a=b; Max-Age=9; Max-Age=\(text)".utf8)[...]))
        #expect(field.maximumAge == 9)
    }

    @Test func `unreadable attributes are ignored`() throws {
        let long = String(repeating: "x", count: 1025)
        let text = "a=b; Path=/\(long); Domain=\(long); Expires=tomorrow; Path=/ok; Fresh=1; =; x"
        let field = try #require(SetCookie(Array(text.utf8)[...]))
        #expect(field.path == "/ok")
        #expect(field.domain == "")
        #expect(field.expires == nil)
    }

    /// Pieces of fields in any order: the result is within the bounds for any input.
    @Test func `no field can do harm`() throws {
        let pieces = [
            "a", "=", ";", " ", "\t", ",", "\"", "Path", "/", "Domain", ".", "example", "Max-Age",
            "-",
            "9", "99999999999", "Expires", "Thu, 01-Jan-70 00:00:00 GMT", ":", "Secure", "SameSite",
            "None", "__Host-", "__Secure-", "\u{E4}", "\u{301}", "\u{0}", "\u{7F}", "%00", "[::1]",
        ]
        let urls = try ["https://www.shop.example/a/b", "http://[::1]/", "http://127.0.0.1"]
            .map { try TransferURL($0) }
        var state: UInt64 = 42
        func next(_ count: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % count
        }
        var store = CookieStore()
        for round in 0..<20_000 {
            let text = (0..<next(24)).map { _ in pieces[next(pieces.count)] }.joined()
            guard let field = SetCookie(Array(text.utf8)[...]) else { continue }
            let url = urls[next(urls.count)]
            let now = time(Int64(round))
            guard let cookie = Cookie(field, from: url, suffixes: testSuffixes, at: now) else {
                continue
            }
            store.receive(cookie, at: now)
            #expect(CookieScope.host(url.origin.host, matches: cookie.domain), "\(text)")
            #expect(cookie.path.utf8.first == UInt8(ascii: "/"), "\(text)")
        }
        #expect(store.count > 0)
        #expect(store.all.allSatisfy { !($0.name + $0.value).contains(";") })
    }

    @Test func `a path that does not begin with a slash is the default one`() throws {
        let field = try #require(SetCookie(Array("a=b; Path=/x; Path=y".utf8)[...]))
        #expect(field.path == "")
    }
}
