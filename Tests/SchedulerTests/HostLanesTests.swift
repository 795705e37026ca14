import Testing
import TransferModel

@testable import Scheduler

/// Lanes that an expectation can call.
private final class Lanes {
    private var lanes: HostLanes

    init(limits: [Int]) { lanes = HostLanes(limits: limits) }

    var nextResumption: MonotonicTime? { lanes.nextResumption }
    func enter(
        _ task: TaskKey,
        _ lane: HostLanes.Lane,
        at now: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) -> Bool {
        lanes.enter(task, lane, at: now)
    }
    func didSpeakStreams(_ lane: HostLanes.Lane) { lanes.didSpeakStreams(lane) }
    func park(_ task: TaskKey, _ lane: HostLanes.Lane) { lanes.park(task, lane) }
    func leave(_ lane: HostLanes.Lane) { lanes.leave(lane) }
    func next() -> TaskKey? { lanes.next() }
    func takeNext() -> TaskKey? { lanes.takeNext()?.task }
    func heldSinceOfNext() -> MonotonicTime? { lanes.takeNext()?.heldSince }
    func dropParked() { lanes.dropParked() }
    func pause(
        _ origin: Origin,
        until time: MonotonicTime,
        from now: MonotonicTime = MonotonicTime(nanoseconds: 0)
    ) {
        lanes.pause(origin, until: time, from: now)
    }
    func pauseEnd(_ origin: Origin) -> MonotonicTime? { lanes.pauseEnd(origin) }
    func resume(_ now: MonotonicTime) { lanes.resume(now) }
}

@Suite struct HostLanesTests {
    private func lane(_ host: String, session: Int = 0) -> HostLanes.Lane {
        let origin = Origin(scheme: .http, host: host, port: 80)
        return HostLanes.Lane(session: session, origin: origin)
    }

    private func key(_ task: Int, _ priority: Double = 0.5) -> TaskKey {
        TaskKey(task: task, priority: priority)
    }

    private func time(_ seconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: seconds * 1_000_000_000)
    }

    @Test func `a full lane parks and gives its place to the best when one leaves`() {
        let lanes = Lanes(limits: [1])
        #expect(lanes.enter(key(0), lane("a")))
        #expect(!lanes.enter(key(1), lane("a")))
        #expect(!lanes.enter(key(2, 1), lane("a")))
        #expect(lanes.next() == nil)
        lanes.leave(lane("a"))
        #expect(lanes.takeNext() == key(2, 1))
        #expect(lanes.next() == nil)
        lanes.leave(lane("a"))
        #expect(lanes.takeNext() == key(1))
    }

    @Test func `a lane whose server has streams has room for a hundred on each connection`() {
        let lanes = Lanes(limits: [2, 1])
        #expect(lanes.enter(key(0), lane("a")))
        #expect(lanes.enter(key(1), lane("a")))
        #expect(!lanes.enter(key(2), lane("a")))
        lanes.didSpeakStreams(lane("a"))
        #expect(lanes.takeNext() == key(2))
        for task in 3..<200 { #expect(lanes.enter(key(task), lane("a"))) }
        #expect(!lanes.enter(key(200), lane("a")))
        #expect(lanes.enter(key(201), lane("a", session: 1)))
        #expect(!lanes.enter(key(202), lane("a", session: 1)))
    }

    @Test func `a lane that was empty still knows that its server has streams`() {
        let lanes = Lanes(limits: [1])
        #expect(lanes.enter(key(0), lane("a")))
        lanes.leave(lane("a"))
        lanes.didSpeakStreams(lane("a"))
        #expect(lanes.enter(key(1), lane("a")))
        #expect(lanes.enter(key(2), lane("a")))
    }

    @Test func `sessions and origins have places of their own`() {
        let lanes = Lanes(limits: [1, 1])
        #expect(lanes.enter(key(0), lane("a")))
        #expect(lanes.enter(key(1), lane("a", session: 1)))
        #expect(lanes.enter(key(2), lane("b")))
    }

    @Test func `the best of all lanes with room comes first`() {
        let lanes = Lanes(limits: [1])
        for host in ["a", "b"] { #expect(lanes.enter(key(0), lane(host))) }
        #expect(!lanes.enter(key(5), lane("a")))
        #expect(!lanes.enter(key(4), lane("b")))
        lanes.leave(lane("a"))
        lanes.leave(lane("b"))
        #expect(lanes.takeNext() == key(4))
        #expect(lanes.takeNext() == key(5))
    }

    @Test func `a later task with higher priority starts first`() {
        let lanes = Lanes(limits: [1])
        lanes.park(key(5), lane("a"))
        #expect(lanes.next() == key(5))
        lanes.park(key(3), lane("a"))
        #expect(lanes.takeNext() == key(3))
        #expect(lanes.next() == nil)
        lanes.leave(lane("a"))
        #expect(lanes.takeNext() == key(5))
    }

    @Test func `a pause holds every session of the origin and no other origin`() {
        let lanes = Lanes(limits: [2, 2])
        lanes.pause(lane("a").origin, until: time(5))
        #expect(!lanes.enter(key(0), lane("a")))
        #expect(!lanes.enter(key(1), lane("a", session: 1)))
        #expect(lanes.enter(key(2), lane("b")))
        lanes.resume(time(4))
        #expect(lanes.next() == nil)
        #expect(lanes.nextResumption == time(5))
        lanes.resume(time(5))
        #expect(lanes.takeNext() == key(0))
        #expect(lanes.takeNext() == key(1))
        #expect(lanes.nextResumption == nil)
    }

    @Test func `a pause can be made longer but not shorter`() {
        let lanes = Lanes(limits: [1])
        let origin = lane("a").origin
        lanes.pause(origin, until: time(5))
        lanes.pause(origin, until: time(9))
        lanes.pause(origin, until: time(7))
        lanes.resume(time(5))
        #expect(lanes.pauseEnd(origin) == time(9))
        lanes.resume(time(9))
        #expect(lanes.pauseEnd(origin) == nil)
    }

    @Test func `dropped tasks do not come back`() {
        let lanes = Lanes(limits: [1])
        #expect(lanes.enter(key(0), lane("a")))
        #expect(!lanes.enter(key(1), lane("a")))
        lanes.park(key(2), lane("b"))
        lanes.dropParked()
        lanes.leave(lane("a"))
        #expect(lanes.next() == nil)
    }

    @Test func `a pause knows how long it has kept tasks from free places`() {
        let lanes = Lanes(limits: [2])
        let origin = lane("a").origin
        #expect(lanes.enter(key(0), lane("a")))
        lanes.pause(origin, until: time(9), from: time(3))
        for task in 1...3 { #expect(!lanes.enter(key(task), lane("a"), at: time(4))) }
        lanes.resume(time(9))
        #expect(lanes.heldSinceOfNext() == time(4))
        // The others wait for a place, which no pause keeps from them.
        lanes.leave(lane("a"))
        #expect(lanes.heldSinceOfNext() == nil)
    }

    @Test func `a task from before a pause is held from the pause's beginning on`() {
        let lanes = Lanes(limits: [1])
        #expect(lanes.enter(key(0), lane("a")))
        #expect(!lanes.enter(key(1), lane("a"), at: time(1)))
        lanes.pause(lane("a").origin, until: time(9), from: time(3))
        lanes.leave(lane("a"))
        lanes.resume(time(9))
        #expect(lanes.heldSinceOfNext() == time(3))
    }
}
