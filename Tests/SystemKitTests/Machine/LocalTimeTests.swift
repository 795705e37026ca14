import SystemKit
import Testing

@Suite struct LocalTimeTests {
    @Test func `a minute later it is the next minute of the day`() {
        let now = Clock.wallNanoseconds()
        let minute = LocalTime.minuteOfDay(at: now)
        #expect((0..<1440).contains(minute))
        let later = LocalTime.minuteOfDay(at: now + 60_000_000_000)
        // When clocks are set back or forward, whole quarters of an hour are skipped or repeated.
        #expect((later - minute - 1) % 15 == 0)
    }
}
