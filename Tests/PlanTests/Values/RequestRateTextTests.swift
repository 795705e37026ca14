import Testing
import TransferModel

@testable import Plan

@Suite struct RequestRateTextTests {
    @Test(arguments: [
        ("1/s", 1 as Int64, 1.0), ("30/m", 30, 2.0), ("100/h", 100, 36.0),
        ("1000000/s", 1_000_000, 1e-6),
    ])
    func `a rate is a number per unit of time`(text: String, count: Int64, seconds: Double) throws {
        let rate = try RequestRateText.parse(text)
        #expect(rate.count == count)
        #expect(rate.spacing == .nanoseconds(Int64(seconds * 1e9)))
    }

    @Test(arguments: [
        "", "/", "10", "10/", "/s", "10/d", "-1/s", "1.5/s", "10 /s", "10/s/s", "0/s", "1000001/s",
        "99999999999999999999/s", "٣/s",
    ])
    func `everything else is refused`(text: String) {
        #expect(throws: ValueFault.self) { try RequestRateText.parse(text) }
    }

    @Test(arguments: [
        ("10", "10/s"), ("10 rps", "10/s"), ("30/min", "30/m"), ("30 / minute", "30/m"),
        ("5/hour", "5/h"),
    ])
    func `a likely rate is suggested`(text: String, likely: String) {
        let fault = #expect(throws: ValueFault.self) { try RequestRateText.parse(text) }
        #expect(fault?.likely == likely)
    }
}
