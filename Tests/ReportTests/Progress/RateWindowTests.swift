import Testing
import TransferModel

@testable import Report

@Suite struct RateWindowTests {
    private func window(_ samples: [(seconds: Double, bytes: Int64)]) -> RateWindow {
        var window = RateWindow()
        for (index, sample) in samples.enumerated() {
            let time = MonotonicTime(nanoseconds: Int64(sample.seconds * 1e9))
            window.add(bytes: sample.bytes, tasks: index, at: time)
        }
        return window
    }

    @Test func `one sample gives no rate, nor do two at one time`() {
        #expect(window([]).bytesPerSecond == nil)
        #expect(window([(1, 10)]).bytesPerSecond == nil)
        #expect(window([(1, 10), (1, 20)]).bytesPerSecond == nil)
    }

    @Test func `the rate is that of the last five seconds`() {
        #expect(window([(0, 0), (2, 200)]).bytesPerSecond == 100)
        #expect(
            window([(0, 0), (1, 1_000_000), (10, 1_000_000), (11, 1_000_100)]).bytesPerSecond == 10
        )
        #expect(window([(0, 0), (2, 200)]).tasksPerSecond == 0.5)
    }

    @Test func `bytes that an attempt takes back are no negative rate`() {
        #expect(window([(0, 500), (1, 100)]).bytesPerSecond == 0)
    }
}
