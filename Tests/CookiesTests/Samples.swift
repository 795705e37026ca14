import Testing
import TransferModel

@testable import Cookies

/// A time in whole seconds since 1970.
func time(_ seconds: Int64) -> Timestamp {
    Timestamp(microseconds: seconds * 1_000_000)
}

/// The public suffixes of the tests: single labels, and `co.example`.
let testSuffixes = PublicSuffixes { !$0.contains(".") || $0 == "co.example" }

/// The cookie that a field makes at a URL, at second 1000.
func cookie(
    _ field: String,
    from url: String = "https://www.shop.example/a/b",
    at now: Timestamp = time(1000)
) throws -> Cookie? {
    guard let field = SetCookie(Array(field.utf8)[...]) else { return nil }
    return Cookie(field, from: try TransferURL(url), suffixes: testSuffixes, at: now)
}

extension CookieStore {
    /// Takes in a cookie that is expected to be one.
    @discardableResult
    mutating func receive(
        _ field: String,
        from url: String = "https://www.shop.example/a/b",
        at seconds: Int64 = 1000
    ) throws -> Bool {
        let cookie = try #require(try cookie(field, from: url, at: time(seconds)))
        return receive(cookie, at: time(seconds))
    }

    /// The value of a request's `Cookie` field.
    mutating func field(
        for url: String,
        isAway: Bool = false,
        at seconds: Int64 = 1000
    ) throws -> String? {
        field(for: try TransferURL(url), isAway: isAway, at: time(seconds))
    }
}
