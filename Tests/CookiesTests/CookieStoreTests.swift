import Testing
import TransferModel

@testable import Cookies

@Suite struct CookieStoreTests {
    // RFC 6265bis §5.8.3.
    @Test func `longer paths come first, then older cookies`() throws {
        var store = CookieStore()
        try store.receive("one=1; Path=/")
        try store.receive("two=2; Path=/a/b")
        try store.receive("three=3; Path=/a; Domain=shop.example")
        try store.receive("four=4; Path=/")
        try store.receive("five=5; Path=/a")
        #expect(
            try store.field(for: "https://www.shop.example/a/b/c")
                == "two=2; three=3; five=5; one=1; four=4"
        )
        #expect(try store.field(for: "https://www.shop.example/") == "one=1; four=4")
    }

    @Test func `a cookie that is set again keeps its place`() throws {
        var store = CookieStore()
        try store.receive("a=1; Path=/")
        try store.receive("b=2; Path=/")
        try store.receive("a=3; Path=/", at: 2000)
        #expect(try store.field(for: "https://www.shop.example/", at: 2000) == "a=3; b=2")
        #expect(store.count == 2)
    }

    @Test func `name, domain and path tell cookies apart`() throws {
        var store = CookieStore()
        try store.receive("a=1; Path=/")
        try store.receive("A=2; Path=/")
        try store.receive("a=3; Path=/; Domain=www.shop.example")
        try store.receive("a=4; Path=/x")
        #expect(store.count == 4)
        #expect(try store.field(for: "https://www.shop.example/x") == "a=4; a=1; A=2; a=3")
        #expect(try store.field(for: "https://in.www.shop.example/x") == "a=3")
    }

    @Test(arguments: [
        ("https://www.shop.example/a/b", true), ("https://www.shop.example/a", true),
        ("https://www.shop.example:8443/a", true), ("https://WWW.SHOP.EXAMPLE/a", true),
        ("https://www.shop.example/ab", false), ("https://www.shop.example/", false),
        ("https://shop.example/a", false), ("https://in.www.shop.example/a", false),
        ("https://www.shop.example./a", false), ("http://www.shop.example/a", false),
    ])
    func `a secure cookie of a host goes to that host, below its path, over TLS`(
        url: String,
        isSent: Bool
    ) throws {
        var store = CookieStore()
        try store.receive("a=b; Secure")
        #expect((try store.field(for: url) != nil) == isSent)
    }

    @Test(arguments: [
        ("https://shop.example/", true), ("https://www.shop.example/", true),
        ("http://a.b.shop.example:81/", true), ("https://myshop.example/", false),
        ("https://example/", false),
    ])
    func `a cookie of a domain goes to all hosts below it`(url: String, isSent: Bool) throws {
        var store = CookieStore()
        try store.receive("a=b; Path=/; Domain=shop.example")
        #expect((try store.field(for: url) != nil) == isSent)
    }

    @Test(arguments: [
        ("https://www.shop.example/", "host=1; domain=2"),
        ("https://www.shop.example:8443/", "domain=2"),
        ("http://www.shop.example/", "domain=2"),
    ])
    func `after a redirect a host's cookie goes only to its own origin`(
        url: String,
        field: String
    ) throws {
        var store = CookieStore()
        try store.receive("host=1; Path=/")
        try store.receive("domain=2; Path=/; Domain=shop.example")
        #expect(try store.field(for: url, isAway: true) == field)
        #expect(try store.field(for: url, isAway: false) == "host=1; domain=2")
    }

    @Test func `a cookie with a secret goes only to its origin`() throws {
        var store = CookieStore()
        var cookie = try #require(try cookie("a=b; Path=/; Domain=shop.example"))
        cookie.isConfined = true
        store.receive(cookie, at: time(1000))
        #expect(try store.field(for: "https://www.shop.example/") == "a=b")
        #expect(try store.field(for: "https://shop.example/") == nil)
        #expect(try store.field(for: "https://www.shop.example:8443/") == nil)
    }

    @Test func `a cookie's path is compared with the one that is sent`() throws {
        var store = CookieStore()
        try store.receive("a=1; Path=/admin")
        try store.receive("b=2", from: "https://www.shop.example/p/../w/set")
        #expect(try store.field(for: "https://www.shop.example/admin/../pub") == nil)
        #expect(try store.field(for: "https://www.shop.example/x/../admin/y") == "a=1")
        #expect(try store.field(for: "https://www.shop.example/w/x") == "b=2")
    }

    @Test func `an expired cookie is not sent, and an expired Set-Cookie deletes`() throws {
        var store = CookieStore()
        try store.receive("a=1; Path=/; Max-Age=10")
        try store.receive("b=2; Path=/")
        #expect(try store.field(for: "https://www.shop.example/", at: 1009) == "a=1; b=2")
        #expect(try store.field(for: "https://www.shop.example/", at: 1010) == "b=2")
        try store.receive("b=; Path=/; Max-Age=0")
        #expect(try store.field(for: "https://www.shop.example/") == "a=1")
    }

    @Test func `a cookie without a name is its value`() throws {
        var store = CookieStore()
        try store.receive("alone; Path=/")
        try store.receive("a=; Path=/")
        #expect(try store.field(for: "https://www.shop.example/") == "alone; a=")
    }

    // RFC 6265bis §5.7, step 16.
    @Test(arguments: [
        ("a=evil; Path=/login", false), ("a=evil; Path=/login/en", false),
        ("a=evil; Path=/login; Domain=shop.example", false), ("a=evil; Path=/", true),
        ("a=evil; Path=/other", true), ("b=evil; Path=/login", true),
    ])
    func `a cookie over plain http does not shadow a secure cookie`(
        field: String,
        isAccepted: Bool
    ) throws {
        var store = CookieStore()
        try store.receive("a=good; Path=/login; Secure")
        let url = "http://www.shop.example/"
        #expect(try store.receive(field, from: url) == isAccepted)
        #expect(try store.receive(field + "; Max-Age=0", from: url) == isAccepted)
        #expect(try store.field(for: "https://www.shop.example/login")?.contains("good") == true)
    }

    // CVE-2025-9086: the root's path ends with a slash as every path does that is cut at its end.
    @Test func `a secure cookie of the whole host is not replaced over plain http`() throws {
        var store = CookieStore()
        try store.receive("a=good; Path=/; Secure")
        #expect(try !store.receive("a=evil; Path=/", from: "http://www.shop.example/"))
        #expect(try !store.receive("a=evil; Path=/x", from: "http://www.shop.example/"))
        #expect(try store.field(for: "https://www.shop.example/x") == "a=good")
    }

    // RFC 6265bis §5.7, §6.1.
    @Test func `of one domain 50 are kept: expired, insecure and long unused ones go first`() throws
    {
        var store = CookieStore()
        try store.receive("insecure=1; Path=/")
        try store.receive("expired=1; Path=/; Secure; Max-Age=5")
        for number in 0..<48 { try store.receive("n\(number)=1; Path=/; Secure") }
        #expect(store.count == 50)
        try store.receive("x=1; Path=/; Secure", at: 2000)
        #expect(store.count == 50)
        #expect(!store.all.contains { $0.name == "expired" })
        try store.receive("y=1; Path=/; Secure", at: 2000)
        #expect(!store.all.contains { $0.name == "insecure" })
        _ = try store.field(for: "https://www.shop.example/", at: 3000)
        try store.receive("z=1; Path=/z; Secure", at: 2500)
        #expect(!store.all.contains { $0.name == "z" })
        #expect(store.count == 50)
    }

    @Test func `3000 cookies are kept in all, those that were used last`() throws {
        var store = CookieStore()
        for number in 0..<3000 {
            try store.receive("a=1; Path=/", from: "https://h\(number).example/")
        }
        _ = try store.field(for: "https://h0.example/", at: 2000)
        try store.receive("a=1", from: "https://last.example/", at: 2000)
        #expect(store.count == 3000)
        #expect(try store.field(for: "https://h0.example/") == "a=1")
        #expect(try store.field(for: "https://h1.example/") == nil)
    }

    @Test func `a request's cookies have 8190 bytes`() throws {
        var store = CookieStore()
        let value = String(repeating: "x", count: 4000)
        for number in 0..<5 { try store.receive("n\(number)=\(value); Path=/") }
        let field = try #require(try store.field(for: "https://www.shop.example/"))
        #expect(field == "n0=\(value); n1=\(value)")
    }

    @Test func `names are distinguished by their bytes`() throws {
        var store = CookieStore()
        try store.receive("\u{E9}=1; Path=/")
        try store.receive("e\u{301}=2; Path=/")
        #expect(store.count == 2)
    }

    @Test func `a store's changes are its new and changed lasting cookies`() throws {
        let kept = try #require(try cookie("old=1; Path=/; Max-Age=60"))
        let other = try #require(try cookie("gone=1; Path=/; Max-Age=60"))
        var store = CookieStore([kept, other], at: time(1000))
        #expect(store.changes.isEmpty)
        try store.receive("session=1; Path=/")
        #expect(store.changes.isEmpty)
        try store.receive("new=1; Path=/; Max-Age=60")
        try store.receive("gone=; Path=/; Max-Age=0")
        // Now it ends with the run, which other processes are to learn.
        try store.receive("old=2; Path=/")
        let changes = store.changes
        #expect(Set(changes.map(\.name)) == ["gone", "old", "new"])
        #expect(changes.filter { $0.isExpired(at: time(1000)) }.map(\.name) == ["gone", "old"])
        #expect(changes.allSatisfy { $0.modificationTime > kept.modificationTime })
    }
}
