import Testing

@testable import Plan

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("0s", Duration.zero),
        ("250ms", .milliseconds(250)),
        ("30s", .seconds(30)),
        ("5m", .seconds(300)),
        ("1h30m", .seconds(5400)),
        ("7d", .seconds(604_800)),
        ("1d1h1m1s1ms", .seconds(90_061) + .milliseconds(1)),
        ("1.5s", .milliseconds(1500)),
        ("1m0.25s", .milliseconds(60_250)),
        ("0.0000005s", .nanoseconds(500)),
        ("0.00000000099s", .zero),
        ("36500d", .seconds(36_500 * 86_400)),
    ])
    func `a duration is the sum of its parts`(text: String, expected: Duration) throws {
        #expect(try DurationText.parse(text) == expected)
    }

    @Test(arguments: [
        ("30", "30s"), ("1.5", "1.5s"), ("0", "0s"), ("5 min", "5m"), ("5MIN", "5m"),
        ("10 seconds", "10s"), ("2hours", "2h"), ("100 msec", "100ms"), ("3 days", "3d"),
        ("30S", "30s"),
    ])
    func `a probable spelling is offered`(text: String, likely: String) {
        let fault = #expect(throws: ValueFault.self) { try DurationText.parse(text) }
        #expect(fault?.code == .badDuration)
        #expect(fault?.likely == likely)
    }

    @Test(arguments: [
        "", "s", "-1s", "+1s", "1e3s", "1s1s", "1s1m", "1.s", ".5s", "1.5m30s", "1us", "1h ", "١s",
        "soon",
    ])
    func `an invalid duration is an error without a suggestion`(text: String) {
        let fault = #expect(throws: ValueFault.self) { try DurationText.parse(text) }
        #expect(fault?.code == .badDuration)
        #expect(fault?.likely == nil)
    }

    @Test(arguments: [
        "36500d1ms", "36501d", "9223372036854775807d", "99999999999999999999999999s",
        "9223372036854775807ms9223372036854775807ms",
    ])
    func `a duration that overflows is refused`(text: String) {
        #expect(throws: ValueFault.self) { try DurationText.parse(text) }
    }
}
