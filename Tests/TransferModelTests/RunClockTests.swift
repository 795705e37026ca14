import Testing
import TransferModel

@Suite struct RunClockTests {
    private let clock = RunClock(
        wall: Timestamp(microseconds: 1_000_000),
        monotonic: MonotonicTime(nanoseconds: 500_000),
        maximumSkewMicroseconds: 3
    )

    @Test(
        arguments: [
            (500_000, 1_000_000), (502_999, 1_000_002), (0, 999_500),
            (Int64.max, 1_000_000 + (Int64.max - 500_000) / 1000),
            (Int64.min, 1_000_000 + Int64.min / 1000),
        ] as [(Int64, Int64)]
    )
    func `a reading is the wall clock's start plus monotonic time`(
        reading: Int64,
        microseconds: Int64
    ) {
        let date = clock.timestamp(of: MonotonicTime(nanoseconds: reading))
        #expect(date == Timestamp(microseconds: microseconds))
    }

    @Test func `an impossible wall clock gives the nearest date`() {
        var late = clock
        late.wall = Timestamp(microseconds: .max)
        #expect(late.timestamp(of: MonotonicTime(nanoseconds: .max)).microseconds == .max)
    }
}
