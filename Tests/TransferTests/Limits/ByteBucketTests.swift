import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

@Suite struct ByteBucketTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    }

    @Test func `bytes may flow until more are spent than time has granted`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        #expect(!bucket.isInDebt)
        bucket.spend(500)
        #expect(bucket.isInDebt)
        bucket.refill(time(499))
        #expect(bucket.isInDebt)
        bucket.refill(time(500))
        #expect(!bucket.isInDebt)
    }

    @Test func `a place in the queue comes after all bytes before it`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        bucket.spend(100)
        let first = bucket.reserve(200)
        let second = bucket.reserve(300)
        #expect(bucket.time(of: first, now: time(0)) > time(99))
        #expect(bucket.time(of: first, now: time(0)) < time(101))
        #expect(bucket.time(of: second, now: time(0)) > time(299))
        #expect(bucket.time(of: second, now: time(0)) < time(301))
        bucket.refill(time(301))
        #expect(bucket.hasGranted(first) && bucket.hasGranted(second))
    }

    @Test func `an idle bucket keeps a tenth of a second`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        bucket.refill(time(3_600_000))
        #expect(bucket.granted == 100)
        bucket.spend(101)
        #expect(bucket.isInDebt)
    }

    @Test func `another rate counts from its time on, for those who wait too`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        bucket.spend(2000)
        let place = bucket.reserve(1)
        bucket.change(to: 10_000, now: time(1000))
        #expect(bucket.time(of: place, now: time(1000)) <= time(1101))
        bucket.change(to: nil, now: time(1050))
        #expect(bucket.hasGranted(place))
        bucket.refill(time(2000))
        bucket.change(to: 1000, now: time(2000))
        // What was spent without a limit is no debt.
        #expect(!bucket.isInDebt)
    }

    @Test func `reserved bytes that were not used are for others`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        _ = bucket.reserve(400)
        #expect(bucket.isInDebt)
        bucket.giveBack(400)
        #expect(!bucket.isInDebt)
    }

    @Test func `bytes given back let every place before them have its turn`() {
        var bucket = ByteBucket(rate: 1000, now: time(0))
        bucket.spend(100)
        // Both transfers turn out to need none of their bytes.
        _ = bucket.reserve(5000)
        let place = bucket.reserve(5000)
        bucket.giveBack(5000)
        #expect(bucket.time(of: place, now: time(0)) <= time(101))
        bucket.refill(time(101))
        #expect(bucket.hasGranted(place))
        bucket.giveBack(5000)
        // An unused reservation is no credit for more than a tenth of a second.
        bucket.refill(time(3_600_000))
        #expect(bucket.granted <= bucket.spent + 100)
    }

    @Test func `a clock that does not advance grants nothing`() {
        var bucket = ByteBucket(rate: 1000, now: time(10))
        bucket.refill(time(5))
        #expect(bucket.granted == 0)
        bucket.spend(1)
        #expect(bucket.time(of: bucket.reserve(1), now: time(10)) > time(10))
    }

    @Test(arguments: [1 as UInt64, 2, 3])
    func `transfers of any size and pace together stay within the rate`(seed: UInt64) {
        var dice = SplitMix64(seed: seed)
        let rate: Int64 = 1 << 20
        var bucket = ByteBucket(rate: rate, now: time(0))
        var waiting: [(place: Double, count: Int)] = []
        var moved = 0
        for millisecond in 0..<10_000 as Range<Int64> {
            bucket.refill(time(millisecond))
            let due = waiting.filter { bucket.hasGranted($0.place) }
            waiting.removeAll { bucket.hasGranted($0.place) }
            for transfer in due { moved += transfer.count }
            while waiting.count < 8 {
                let count = Int(dice.next() % 65_536) + 1
                if bucket.isInDebt {
                    waiting.append((bucket.reserve(count), count))
                } else {
                    bucket.spend(count)
                    moved += count
                }
            }
        }
        let allowed = Double(rate) * 10
        #expect(abs(Double(moved) - allowed) < allowed * 0.06)
    }
}
