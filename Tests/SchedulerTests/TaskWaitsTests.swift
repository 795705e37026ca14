import SystemKit
import Testing
import TransferModel

@testable import Scheduler

@Suite struct TaskWaitsTests {
    private static func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `the retry limit is the earlier of deadline and budget`() {
        let (early, late) = (Self.time(10), Self.time(60))
        #expect(TaskWaits(deadline: late, budgetEnd: early).retryLimit == early)
        #expect(TaskWaits(deadline: early, budgetEnd: late).retryLimit == early)
        #expect(TaskWaits(deadline: nil, budgetEnd: late).retryLimit == late)
        #expect(TaskWaits(deadline: nil, budgetEnd: nil).retryLimit == nil)
    }

    @Test func `a hold suspends the budget and moves its end on, the deadline stays`() {
        var waits = TaskWaits(deadline: Self.time(60), budgetEnd: Self.time(10))
        waits.hold(for: .connectivity, since: Self.time(4), continues: true)
        #expect(waits.retryLimit == Self.time(60))
        waits.endHold(Self.time(9))
        #expect(waits.retryLimit == Self.time(15))
        #expect(waits.held == .seconds(5))
        waits.endHold(Self.time(20))
        #expect(waits.held == .seconds(5))
    }

    @Test func `a hold that continues for the same reason is one wait`() {
        var waits = TaskWaits(deadline: nil, budgetEnd: nil)
        waits.hold(for: .power, since: Self.time(1), continues: true)
        waits.hold(for: .power, since: Self.time(5), continues: true)
        waits.attemptBegins(Self.time(9))
        #expect(waits.waited == .seconds(8))
        waits.hold(for: .connectivity, since: Self.time(20), continues: true)
        waits.attemptBegins(Self.time(21))
        #expect(waits.waited == .seconds(1))
        #expect(waits.reason == .connectivity)
    }

    @Test func `a paused origin is the reason of a wait before the first attempt`() {
        var waits = TaskWaits(deadline: nil, budgetEnd: nil, pausedSince: Self.time(2))
        waits.attemptBegins(Self.time(5))
        #expect(waits.reason == .originPaused)
        #expect(waits.waited == .seconds(3))
        waits.wait(nil, since: Self.time(6))
        #expect(waits.reason == nil)
    }
}
