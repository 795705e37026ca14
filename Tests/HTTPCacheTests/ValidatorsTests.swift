import Testing
import TransferModel

@testable import HTTPCache

// RFC 9111 §4.3.4
@Suite struct ValidatorsTests {
    private let strong = sample("ETag: \"a\"", "Date: \(startDate)")
    private let weak = sample("ETag: W/\"b\"", "Last-Modified: \(dayEarlier)")
    private let bare = sample()

    @Test(
        arguments: [
            ("ETag: \"a\"", 0), ("ETag: W/\"a\"", 0), ("ETag: W/\"b\"", 1), ("ETag: \"b\"", nil),
            ("ETag: \"c\"", nil), ("A: b", nil),
        ] as [(String, Int?)]
    )
    func `a 304 confirms the response with its validator`(line: String, index: Int?) {
        #expect(Validators.confirmed(by: headerFields([line]), among: [strong, weak]) == index)
    }

    @Test func `a date in a 304 rules out responses with another one`() {
        let same = headerFields(["Last-Modified: \(dayEarlier)"])
        let other = headerFields(["Last-Modified: \(startDate)"])
        #expect(Validators.confirmed(by: same, among: [weak]) == 0)
        #expect(Validators.confirmed(by: other, among: [weak]) == nil)
        #expect(Validators.confirmed(by: other, among: [strong]) == 0)
    }

    @Test func `a 304 without a validator confirms the only candidate`() {
        #expect(Validators.confirmed(by: HeaderFields(), among: [strong]) == 0)
        #expect(Validators.confirmed(by: HeaderFields(), among: [bare]) == 0)
        #expect(Validators.confirmed(by: HeaderFields(), among: []) == nil)
    }

    // RFC 9111 §4.3.5
    @Test(
        arguments: [
            (["ETag: \"a\"", "Content-Length: 7"], true), (["ETag: \"b\""], false),
            (["Content-Length: 8"], false), ([], true), (["Last-Modified: \(startDate)"], false),
        ] as [([String], Bool)]
    )
    func `a HEAD shows whether a stored response is still valid`(lines: [String], isSame: Bool) {
        #expect(Validators.isSame(headerFields(lines), as: strong) == isSame)
    }

    // RFC 9111 §4.4
    @Test(
        arguments: [
            ("POST", 200, ["http://a.example/x", "http://a.example/y", "http://a.example/z"]),
            ("M-SEARCH", 303, ["http://a.example/x", "http://a.example/y", "http://a.example/z"]),
            ("PUT", 500, []), ("DELETE", 404, []), ("GET", 200, []), ("HEAD", 200, []),
        ] as [(String, Int, [String])]
    )
    func `an unsafe request invalidates stored responses`(
        method: String,
        status: Int,
        urls: [String]
    ) throws {
        let answer = ResponseHead(
            statusCode: status,
            fields: headerFields(["Location: y", "Content-Location: http://a.example/z"])
        )
        let invalid = Invalidation.urls(
            after: answer,
            to: method,
            try TransferURL("http://a.example/x")
        )
        #expect(invalid.map(\.text) == urls)
    }

    @Test func `a response invalidates no stored responses of another origin`() throws {
        let answer = ResponseHead(
            statusCode: 200,
            fields: headerFields([
                "Location: http://b.example/x", "Content-Location: ftp://a.example/",
            ])
        )
        let invalid = Invalidation.urls(
            after: answer,
            to: "POST",
            try TransferURL("http://a.example/x")
        )
        #expect(invalid.map(\.text) == ["http://a.example/x"])
    }

    // RFC 3986 §5.4
    @Test(
        arguments: [
            ("g", "http://a.example/b/c/g"), ("/g", "http://a.example/g"),
            ("?y", "http://a.example/b/c/d?y"),
            ("g?y#s", "http://a.example/b/c/g?y"), ("", "http://a.example/b/c/d?q"),
            ("//g.example/h", "http://g.example/h"), ("../g", "http://a.example/b/g"),
            ("https://z.example/", "https://z.example/"), ("g:h", nil),
        ] as [(String, String?)]
    )
    func `a reference is resolved`(reference: String, url: String?) throws {
        let base = try TransferURL("http://a.example/b/c/d?q")
        #expect(base.resolving(reference)?.normalized.text == url)
    }

    // RFC 5861 §4
    @Test(
        arguments: [
            ("max-age=5, stale-if-error=60", 0, 30, true),
            ("max-age=5, stale-if-error=20", 0, 30, false),
            ("max-age=5", 60, 30, true), ("max-age=5", 0, 30, false),
            ("max-age=5, must-revalidate", 60, 30, false), ("no-cache", 60, 30, false),
        ] as [(String, Int64, Int64, Bool)]
    )
    func `a stale response replaces that of a failing origin`(
        given: String,
        allowance: Int64,
        seconds: Int64,
        isAllowed: Bool
    ) throws {
        let allowed = Judgement.mayStandIn(
            sample("Cache-Control: \(given)"),
            for: try request(),
            allowance: allowance,
            now: time(seconds)
        )
        #expect(allowed == isAllowed)
    }
}
