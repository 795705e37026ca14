import Testing
import TransferModel

@Suite struct MonotonicTimeTests {
    @Test func `a sum beyond the range is the nearest time`() {
        let late = MonotonicTime(nanoseconds: .max - 1)
        let early = MonotonicTime(nanoseconds: .min + 1)
        #expect(late + .seconds(1) == MonotonicTime(nanoseconds: .max))
        #expect(early + .seconds(-1) == MonotonicTime(nanoseconds: .min))
        #expect(MonotonicTime(nanoseconds: 5) + .nanoseconds(7) == MonotonicTime(nanoseconds: 12))
    }

    @Test func `a difference is a duration of either sign`() {
        let first = MonotonicTime(nanoseconds: 1_000)
        let second = MonotonicTime(nanoseconds: 3_500)
        #expect(second - first == .nanoseconds(2_500))
        #expect(first - second == .nanoseconds(-2_500))
        #expect(first < second)
    }

    @Test(
        arguments: [
            (.seconds(2), 2_000_000_000), (.nanoseconds(-3), -3), (.zero, 0),
            (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.milliseconds(-1_500), -1_500_000_000),
        ] as [(Duration, Int64)]
    )
    func `nanoseconds saturate`(duration: Duration, nanoseconds: Int64) {
        #expect(duration.nanoseconds == nanoseconds)
        #expect(duration.microseconds == nanoseconds / 1000)
    }
}
