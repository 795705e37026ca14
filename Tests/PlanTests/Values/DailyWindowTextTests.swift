import Testing
import TransferModel

@testable import Plan

@Suite struct DailyWindowTextTests {
    @Test(arguments: [
        ("01:00-05:00", DailyWindow(start: 60, end: 300)),
        ("22:30-05:15", DailyWindow(start: 1350, end: 315)),
        ("00:00-23:59", DailyWindow(start: 0, end: 1439)),
        ("18:00-24:00", DailyWindow(start: 1080, end: 0)),
    ])
    func `a beginning and an end in minutes of the day`(text: String, window: DailyWindow) throws {
        #expect(try DailyWindowText.parse(text) == window)
        #expect(try Regex(DailyWindowText.pattern).wholeMatch(in: text) != nil)
    }

    @Test(arguments: [
        ("1:00-5:00", "01:00-05:00"), ("01:00 - 05:00", "01:00-05:00"), ("1-5", "01:00-05:00"),
        ("01:00–05:00", "01:00-05:00"), ("24:00-05:00", nil), ("01:00-05:60", nil),
        ("25:00-05:00", nil), ("01:00", nil), ("nights", nil), ("01:00-05:00-06:00", nil),
    ])
    func `anything else is refused`(text: String, likely: String?) throws {
        let fault = try #require(throws: ValueFault.self) { try DailyWindowText.parse(text) }
        #expect(fault.likely == likely)
        #expect(try Regex(DailyWindowText.pattern).wholeMatch(in: text) == nil)
    }

    @Test(arguments: ["05:00-05:00", "00:00-24:00"])
    func `a window of no length is refused, and one that is always open`(text: String) {
        #expect(throws: ValueFault.self) { try DailyWindowText.parse(text) }
    }
}
