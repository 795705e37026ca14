import Testing

@testable import Scheduler

@Suite struct AttemptCountTests {
    private static let mebibyte: Int64 = 1 << 20

    @Test func `attempts of earlier runs count until an attempt makes progress`() {
        var count = AttemptCount(earlierAttempts: 5, earlierFailures: 2)
        count.begin()
        count.begin()
        #expect(count.failures == 4)
        count.noteProgress(to: Self.mebibyte, of: 1000 * Self.mebibyte)
        #expect(count.failures == 1)
        #expect(count.earlierAttempts == 5)
        #expect(count.number == 2)
    }

    @Test(arguments: [(999, 100_000, false), (1000, 100_000, true), (0, 10, false), (1, 10, true)])
    func `progress is a hundredth of the file and at least a byte`(
        size: Int64,
        total: Int64,
        isProgress: Bool
    ) {
        var count = AttemptCount()
        count.begin()
        count.begin()
        count.noteProgress(to: size, of: total)
        #expect(count.failures == (isProgress ? 1 : 2))
    }

    @Test func `the same size is no progress a second time`() {
        var count = AttemptCount()
        for _ in 0..<3 {
            count.begin()
            count.noteProgress(to: Self.mebibyte, of: Self.mebibyte)
        }
        #expect(count.failures == 3)
    }

    @Test func `a retracted attempt gives its number back and a forgiven one keeps it`() {
        var count = AttemptCount()
        count.begin()
        count.retract()
        #expect(count.number == 0)
        count.begin()
        count.forgive()
        #expect(count.number == 1)
        #expect(count.failures == 0)
    }

    @Test func `attempts without a network count in this run and not in a later one`() {
        var count = AttemptCount()
        count.begin()
        count.failWithoutNetwork()
        count.begin()
        #expect(count.failures == 2)
        #expect(count.failuresForLaterRuns == 1)
    }
}
