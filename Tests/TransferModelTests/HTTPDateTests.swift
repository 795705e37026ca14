import Testing
import TransferModel

// RFC 9110 §5.6.7
@Suite struct HTTPDateTests {
    private static let now = Timestamp(microseconds: 1_795_223_043_000_000)

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994", "Sun, 6 Nov 1994 08:49:37 GMT",
        "SUN, 06 NOV 1994 08:49:37 gmt", "sunday, 06-nov-94 08:49:37 GmT",
    ])
    func `the three formats name one time`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now)?.rfc3339 == "1994-11-06T08:49:37.000000Z")
    }

    @Test(arguments: [
        ("76", "2076"), ("77", "1977"), ("26", "2026"), ("00", "2000"), ("99", "1999"),
    ])
    func `a two-digit year is within fifty years of now`(digits: String, year: String) {
        let time = HTTPDate.parse("Sunday, 06-Nov-\(digits) 08:49:37 GMT", now: Self.now)
        #expect(time?.rfc3339.hasPrefix(year) == true)
    }

    @Test func `at the end of a century two digits may mean the next one`() {
        let late = Timestamp(microseconds: 4_085_000_000_000_000)
        let time = HTTPDate.parse("Sunday, 06-Nov-10 08:49:37 GMT", now: late)
        #expect(late.rfc3339.hasPrefix("2099"))
        #expect(time?.rfc3339.hasPrefix("2110") == true)
    }

    @Test func `a leap second and a leap day are times`() {
        let second = HTTPDate.parse("Sat, 31 Dec 2016 23:59:60 GMT", now: Self.now)
        #expect(second?.rfc3339 == "2017-01-01T00:00:00.000000Z")
        #expect(HTTPDate.parse("Tue, 29 Feb 2000 00:00:00 GMT", now: Self.now) != nil)
    }

    @Test(arguments: [
        "", "120", "soon", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 CET",
        "Sun, 31 Feb 1994 08:49:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06  Nov  1994 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 1994 08.49.37 GMT", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sonntag, 06-Nov-94 08:49:37 GMT", "Sun Nov 6  08:49:37 1994",
        "Sun, 06 Nov 199４ 08:49:37 GMT",
        "Thu, 29 Feb 1900 00:00:00 GMT", "Sun, -6 Nov 1994 08:49:37 GMT GMT",
    ])
    func `anything else is no date`(text: String) {
        #expect(HTTPDate.parse(text, now: Self.now) == nil)
    }
}
