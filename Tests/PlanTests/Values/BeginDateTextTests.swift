import Testing
import TransferModel

@testable import Plan

@Suite struct BeginDateTextTests {
    @Test(arguments: [
        ("0s", BeginDate.delay(.zero)), ("1h30m", .delay(.seconds(5400))),
        ("1970-01-01T00:00:10Z", .date(Timestamp(microseconds: 10_000_000))),
        ("1970-01-01T01:00:00.25+01:00", .date(Timestamp(microseconds: 250_000))),
        ("1969-12-31T23:00:00-01:00", .date(Timestamp(microseconds: 0))),
    ])
    func `a date with its zone, or a duration`(text: String, date: BeginDate) throws {
        #expect(try BeginDateText.parse(text) == date)
        #expect(try Regex(BeginDateText.pattern).wholeMatch(in: text) != nil)
    }

    @Test(arguments: [
        ("2026-11-21", "2026-11-21T00:00:00Z"), ("2026-11-21T08:30:00", nil),
        ("2026-11-21 08:30:00Z", nil), ("2026-11-21T8:30:00Z", nil), ("2026-11-21T08:30:00+1", nil),
        ("tomorrow", nil), ("10", "10s"),
    ])
    func `an incomplete date is an error`(text: String, likely: String?) throws {
        let fault = try #require(throws: ValueFault.self) { try BeginDateText.parse(text) }
        #expect(fault.likely == likely)
        #expect(try Regex(BeginDateText.pattern).wholeMatch(in: text) == nil)
    }

    @Test(arguments: ["2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-13-01T00:00:00Z"])
    func `a date that the calendar does not have is an error`(text: String) {
        #expect(throws: ValueFault.self) { try BeginDateText.parse(text) }
    }
}
