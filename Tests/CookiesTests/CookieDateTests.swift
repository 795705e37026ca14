import Testing
import TransferModel

@testable import Cookies

@Suite struct CookieDateTests {
    @Test(arguments: [
        ("Wed, 09 Jun 2021 10:18:14 GMT", 1_623_233_894),
        ("Wednesday, 09-Jun-21 10:18:14 GMT", 1_623_233_894),
        ("Wed Jun  9 10:18:14 2021", 1_623_233_894),
        // The parser ignores everything except the four tokens, and the text after them.
        ("10:18:14 9 JUNE 2021 PST (nobody reads this)", 1_623_233_894),
        ("9jun... no, 9 Jun 2021 10:18:14.999", 1_623_233_894),
        ("Thu, 01-Jan-70 00:00:00 GMT", 0),
        ("Thu, 01-Jan-69 00:00:00 GMT", 3_124_224_000),
        ("Thu, 01 Jan 1970 0:0:0 GMT", 0),
        ("Mon, 01 Jan 1601 00:00:00 GMT", -11_644_473_600),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799),
        ("29 Feb 2024 00:00:00", 1_709_164_800),
    ])
    func `a date is read in any order and spelling`(text: String, seconds: Int64) {
        #expect(CookieDate.parse(text[...])?.microseconds == seconds * 1_000_000)
    }

    @Test(arguments: [
        "", "GMT", "Wed, 09 Jun 2021", "09 Jun 10:18:14", "Jun 2021 10:18:14", "9 2021 10:18:14",
        "09 Jun 2021 24:00:00", "09 Jun 2021 10:60:00", "09 Jun 2021 10:18:60",
        "32 Jun 2021 10:18:14", "00 Jun 2021 10:18:14", "29 Feb 2023 00:00:00",
        "09 Jun 1600 10:18:14", "09 Jun 20210 10:18:14", "009 Jun 2021 10:18:14",
        "09 Jun 2021 10:18", "09 Jun 2021 010:18:14", "09 Jun 2021 1a:18:14",
        "99:99:99 09 Jun 2021 10:18:14",
    ])
    func `an invalid date is nil`(text: String) {
        #expect(CookieDate.parse(text[...]) == nil)
    }
}
