import Testing

@testable import HTTPCache

@Suite struct LockPatienceTests {
    @Test func `a lock is waited for, for a moment`() {
        #expect(LockPatience().deadline(for: "a", at: 5) == 5 + LockPatience.longestWait)
    }

    @Test func `after a vain wait a process waits only for other locks for a while`() {
        var patience = LockPatience()
        patience.didFail("a", askedAt: 0)
        let later = LockPatience.memory
        #expect(patience.deadline(for: "a", at: later) == later)
        #expect(patience.deadline(for: "b", at: later) > later)
        let end = LockPatience.longestWait + LockPatience.memory
        #expect(patience.deadline(for: "a", at: end) > end)
    }

    @Test func `a skipped wait does not extend the pause`() {
        var patience = LockPatience()
        patience.didFail("a", askedAt: 0)
        patience.didFail("a", askedAt: LockPatience.memory)
        let end = LockPatience.longestWait + LockPatience.memory
        #expect(patience.deadline(for: "a", at: end) > end)
    }

    @Test func `a lock that was taken is waited for again`() {
        var patience = LockPatience()
        patience.didFail("a", askedAt: 0)
        patience.didTake("a")
        #expect(patience.deadline(for: "a", at: 1) > 1)
    }
}
