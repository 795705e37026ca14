import SystemKit
import Testing
import TransferModel

@testable import Cookies

@Suite struct CookieJarTests {
    private static func jar(
        sends: Bool = true,
        policy: HTTPCookieAcceptPolicy = .always,
        store: CookieStore = CookieStore(),
        findSecret: SecretFinder? = nil
    ) -> CookieJar {
        var session = SessionConfiguration(name: "s")
        session.httpShouldSetCookies = sends
        session.httpCookieAcceptPolicy = policy
        return CookieJar(
            session,
            storage: CookieStorage(store),
            suffixes: testSuffixes,
            findSecret: findSecret
        )
    }

    private static func accept(
        _ fields: [String],
        in jar: CookieJar,
        from url: String = "https://www.shop.example/",
        first: String = "https://www.shop.example/"
    ) throws {
        jar.accept(
            HeaderFields(fields.map { HeaderField(name: "Set-Cookie", value: $0) }),
            from: try TransferURL(url),
            first: try TransferURL(first),
            at: time(1000)
        )
    }

    private static func field(_ jar: CookieJar, for url: String) throws -> String? {
        let url = try TransferURL(url)
        return jar.field(for: url, first: url, at: time(1000))
    }

    @Test(arguments: [true, false], HTTPCookieAcceptPolicy.allCases)
    func `sending and accepting cookies are independent`(
        sends: Bool,
        policy: HTTPCookieAcceptPolicy
    ) throws {
        var store = CookieStore()
        try store.receive("old=1; Path=/")
        let jar = Self.jar(sends: sends, policy: policy, store: store)
        try Self.accept(["new=2; Max-Age=60"], in: jar)
        let field = try Self.field(jar, for: "https://www.shop.example/")
        let isAccepted = policy != .never
        #expect(field == (sends ? "old=1" + (isAccepted ? "; new=2" : "") : nil))
        #expect(jar.changes.map(\.name) == (isAccepted ? ["new"] : []))
        #expect(jar.isOfUse(isShared: false) == (sends || isAccepted))
    }

    @Test func `a jar that accepts and has no cookies is not used`() {
        #expect(!Self.jar(policy: .never).isOfUse(isShared: false))
        #expect(Self.jar().isOfUse(isShared: false))
    }

    @Test(arguments: [
        ("https://www.shop.example/", "https://www.shop.example/", true),
        ("https://login.shop.example/", "https://www.shop.example/", true),
        ("http://www.shop.example:81/", "https://www.shop.example/", true),
        ("https://shop.example/", "https://www.shop.example/", true),
        ("https://other.example/", "https://www.shop.example/", false),
        ("https://a.co.example/", "https://b.co.example/", false),
        ("http://localhost/", "http://127.0.0.1/", false),
        ("http://127.0.0.1:81/", "http://127.0.0.1:82/", true),
        ("http://127.0.0.2/", "http://127.0.0.1/", false),
    ])
    func `the first party is the site of the task's own URL`(
        url: String,
        first: String,
        isAccepted: Bool
    ) throws {
        let jar = Self.jar(policy: .onlyFromMainDocumentDomain)
        try Self.accept(["a=b; Path=/"], in: jar, from: url, first: first)
        #expect((try Self.field(jar, for: url) == "a=b") == isAccepted)
    }

    @Test func `several fields are several cookies, and bad ones harm none`() throws {
        let jar = Self.jar()
        try Self.accept(["a=1", "b=2; Domain=other.example", "\u{1}", "c=3"], in: jar)
        #expect(try Self.field(jar, for: "https://www.shop.example/") == "a=1; c=3")
    }

    @Test func `a cookie with a secret stays at its origin and off the disk`() throws {
        let jar = Self.jar(findSecret: { $0.contains("hush") ? 0 : nil })
        try Self.accept(
            ["a=hush; Max-Age=60; Domain=shop.example", "b=2; Max-Age=60; Domain=shop.example"],
            in: jar
        )
        #expect(try Self.field(jar, for: "https://www.shop.example/") == "a=hush; b=2")
        #expect(try Self.field(jar, for: "https://shop.example/") == "b=2")
        #expect(jar.changes.map(\.name) == ["b"])
    }

    @Test(arguments: ["user=hush", "=user=hush"])
    func `a secret over name and value is found as one`(field: String) throws {
        let jar = Self.jar(findSecret: { $0.contains("user=hush") ? 0 : nil })
        try Self.accept([field + "; Max-Age=60; Domain=shop.example; Path=/"], in: jar)
        #expect(try Self.field(jar, for: "https://www.shop.example/") == "user=hush")
        #expect(try Self.field(jar, for: "https://shop.example/") == nil)
        #expect(jar.changes.isEmpty)
    }

    @Test(arguments: ["a=hush; Max-Age=60", "a=hush", "a=hush; Max-Age=0"])
    func `a value that becomes a secret leaves no old one on the disk`(field: String) throws {
        let kept = try #require(try cookie("a=plain; Path=/; Max-Age=60"))
        let jar = Self.jar(
            store: CookieStore([kept], at: time(1000)),
            findSecret: { $0.contains("hush") ? 0 : nil }
        )
        try Self.accept([field + "; Path=/"], in: jar)
        let changes = jar.changes
        #expect(changes.map(\.value) == [""])
        #expect(changes.allSatisfy { $0.isExpired(at: time(1000)) && $0.isSame(as: kept) })
    }

    @Test func `jars with one storage send the cookies of each other by their own policies`() throws
    {
        let storage = CookieStorage()
        var session = SessionConfiguration(name: "s")
        session.httpCookieAcceptPolicy = .always
        let accepting = CookieJar(session, storage: storage, suffixes: testSuffixes)
        session.httpCookieAcceptPolicy = .never
        let sending = CookieJar(session, storage: storage, suffixes: testSuffixes)
        session.httpShouldSetCookies = false
        let idle = CookieJar(session, storage: storage, suffixes: testSuffixes)
        #expect(sending.isOfUse(isShared: true) && !sending.isOfUse(isShared: false))
        #expect(!idle.isOfUse(isShared: true))
        try Self.accept(["a=1; Max-Age=60"], in: accepting)
        try Self.accept(["b=2; Max-Age=60"], in: sending)
        #expect(try Self.field(sending, for: "https://www.shop.example/") == "a=1")
        #expect(try Self.field(idle, for: "https://www.shop.example/") == nil)
        #expect(storage.changes.map(\.name) == ["a"])
    }
}

extension CookieJar {
    fileprivate var changes: [Cookie] { storage.changes }
}
