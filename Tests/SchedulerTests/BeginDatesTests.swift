import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct BeginDatesTests {
    private let start = RunSimulation.clock.monotonic
    private var dates = BeginDates(clock: RunSimulation.clock)

    private func wall(_ seconds: Int64) -> Timestamp {
        Timestamp(microseconds: RunSimulation.clock.wall.microseconds + seconds * 1_000_000)
    }

    @Test mutating func `a delay counts from the start of the run`() {
        let isKept = dates.keepBack(1, until: .delay(.seconds(9)), start + .seconds(4))
        let isLate = dates.keepBack(2, until: .delay(.seconds(3)), start + .seconds(4))
        #expect(isKept && !isLate)
        #expect(dates.nextTime == start + .seconds(9) && !dates.watchesWallClock)
        #expect(take(at: 8) == nil)
        #expect(take(at: 9) == 1)
    }

    @Test mutating func `a date counts by the wall clock, even when the clock is set`() {
        let isKept = dates.keepBack(1, until: .date(wall(3600)), start)
        #expect(isKept && dates.watchesWallClock)
        #expect(dates.nextTime == start + WallReading.interval)
        #expect(take(at: 7200) == nil)
        dates.read(wall: wall(3600), start + .seconds(2))
        #expect(take(at: 2) == 1)
        #expect(dates.nextTime == nil)
    }

    @Test mutating func `a forgotten task is never due`() {
        _ = dates.keepBack(1, until: .delay(.seconds(1)), start)
        _ = dates.keepBack(2, until: .date(wall(1)), start)
        dates.removeAll()
        #expect(dates.nextTime == nil && !dates.watchesWallClock)
    }

    private mutating func take(at seconds: Int64) -> Int? {
        dates.takeNext(start + .seconds(seconds))
    }
}
