import Testing

@testable import Report

@Suite struct QuantityTests {
    @Test(arguments: [
        (0, "0 B"), (-5, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"),
        (1_048_575, "1.0 MiB"), (1_048_576, "1.0 MiB"), (5_000_000_000, "4.7 GiB"),
        (Int64.max, "8.0 EiB"),
    ])
    func `sizes are read in powers of 1024`(count: Int64, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(arguments: [
        (0, "0.0 ms"), (-1, "0.0 ms"), (400, "0.4 ms"), (12_300, "12 ms"), (999_499, "999 ms"),
        (999_500, "1.0 s"), (59_940_000, "59.9 s"), (59_960_000, "1m00s"), (125_000_000, "2m05s"),
        (3_780_000_000, "1h03m"), (Int64.max, "2562047788h00m"),
    ])
    func `durations have two or three digits`(microseconds: Int64, text: String) {
        #expect(Quantity.duration(microseconds: microseconds) == text)
    }

    @Test(arguments: [(0, "0:00"), (72, "1:12"), (3599, "59:59"), (3800, "1:03:20")])
    func `the remaining time is shown as on a clock`(seconds: Int64, text: String) {
        #expect(Quantity.clock(seconds: seconds) == text)
    }
}
