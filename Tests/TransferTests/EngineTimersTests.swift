import Testing
import TransferModel

@testable import Transfer

@Suite struct EngineTimersTests {
    private let start = MonotonicTime(nanoseconds: 1_000_000_000)

    private func timers(_ count: Int = 1) -> EngineTimers { EngineTimers(count: count) }

    @Test func `a call is due at its time and taken once`() {
        var timers = timers(2)
        timers.set(1, milliseconds: 20, at: start)
        #expect(timers.next == start + .milliseconds(20))
        #expect(timers.takeDue(from: 0, start + .milliseconds(19)) == nil)
        #expect(timers.takeDue(from: 0, start + .milliseconds(20)) == 1)
        #expect(timers.takeDue(from: 0, start + .milliseconds(20)) == nil)
        #expect(timers.next == nil)
    }

    @Test func `a handle that wants no call has none`() {
        var timers = timers()
        timers.set(0, milliseconds: 0, at: start)
        timers.set(0, milliseconds: nil, at: start)
        #expect(timers.takeDue(from: 0, start + .seconds(1)) == nil)
    }

    @Test func `after sixteen calls without a ready socket the next ones wait a millisecond`() {
        var timers = timers()
        for _ in 0..<16 {
            timers.set(0, milliseconds: 0, at: start)
            #expect(timers.takeDue(from: 0, start) == 0)
        }
        timers.set(0, milliseconds: 0, at: start)
        #expect(timers.next == start + .milliseconds(1))
    }

    @Test func `a ready socket lets calls follow each other at once again`() {
        var timers = timers(2)
        for _ in 0..<20 {
            timers.set(0, milliseconds: 0, at: start)
            timers.set(1, milliseconds: 0, at: start)
        }
        timers.didFindSocket(1)
        timers.set(0, milliseconds: 0, at: start)
        timers.set(1, milliseconds: 0, at: start)
        #expect(timers.takeDue(from: 0, start) == 1)
        #expect(timers.takeDue(from: 0, start) == nil)
    }
}
