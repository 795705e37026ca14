import Testing

@testable import Plan

@Suite struct ByteRateTextTests {
    @Test(arguments: [
        ("100B/s", 100), ("1kB/s", 1000), ("1KB/s", 1000), ("1KiB/s", 1024), ("10MB/s", 10_000_000),
        ("5MiB/s", 5 << 20), ("1.5GiB/s", 3 << 29), ("2GB/s", 2_000_000_000), ("1TiB/s", 1 << 40),
        ("1024TiB/s", 1 << 50),
    ])
    func `a rate is bytes in a second`(text: String, expected: Int64) throws {
        #expect(try ByteRateText.parse(text) == expected)
    }

    @Test(arguments: [
        ("100", "100B/s"), ("5MiB", "5MiB/s"), ("5 MiB/s", "5MiB/s"), ("10mbps", "10MB/s"),
        ("1.5k", "1.5kB/s"),
    ])
    func `a probable spelling is offered`(text: String, likely: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteRateText.parse(text) }
        #expect(fault?.code == .badRate)
        #expect(fault?.likely == likely)
    }

    @Test(arguments: ["", "B/s", "-1B/s", "1B/m", "1 per second", "/s"])
    func `an invalid rate is an error`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteRateText.parse(text) }
        #expect(fault?.code == .badRate)
    }

    @Test(arguments: [
        "0B/s", "0.4B/s", "1025TiB/s", "9223372036854775807TiB/s", "99999999999999999999B/s",
    ])
    func `a rate of nothing or past the largest is out of range`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try ByteRateText.parse(text) }
        #expect(fault?.code == .outOfRange)
    }
}
