import SystemKit
import Testing
import Transfer
import TransferModel

@testable import Scheduler

@Suite struct ConnectivityTests {
    private static let start = MonotonicTime(nanoseconds: 0)
    private static let failure = TransferFailure(kind: .network, phase: .connect, detail: "no way")
    private static let noPower = TransferFailure(kind: .power, phase: .prepare, detail: "battery")

    /// Session 0 is discretionary, session 1 is not, session 2 reaches `a.test` on this machine.
    private static func connectivity(hasExternalPower: Bool = true) -> Connectivity {
        var nightly = SessionConfiguration(name: "nightly")
        nightly.isDiscretionary = true
        var trial = SessionConfiguration(name: "trial")
        trial.connectTo = [ConnectRule(host: "a.test", targetHost: "127.0.0.1")]
        return Connectivity(
            [nightly, SessionConfiguration(name: "other"), trial],
            hasExternalPower: hasExternalPower
        )
    }

    private static func spec(
        _ index: Int,
        session: Int,
        _ url: String = "http://a.test/"
    ) throws -> TaskSpec {
        var task = FakeSource.Task("t\(index)", url)
        task.session = session
        let tasks = Array(repeating: task, count: index + 1)
        return try FakeSource(tasks: tasks).task(at: index, captured: CapturedValues())
    }

    @Test func `a closed path holds tasks back until the network changes`() throws {
        var connectivity = Self.connectivity()
        let waiting = try Self.spec(0, session: 1)
        _ = connectivity.holdBack(ClosedPaths.Path(waiting), Self.failure, until: nil, Self.start)
        #expect(connectivity.hold(try Self.spec(2, session: 1), Self.start))
        #expect(connectivity.hold(try Self.spec(1, session: 1), Self.start))
        #expect(!connectivity.hold(try Self.spec(3, session: 0), Self.start))
        #expect(connectivity.networkChanged() == [1, 2])
        #expect(connectivity.isEmpty)
        #expect(connectivity.hasChanged(since: 0))
        #expect(!connectivity.hasChanged(since: 1))
    }

    @Test func `a waiting task tries again after thirty seconds, or at its deadline`() {
        var connectivity = Self.connectivity()
        let (early, late) = (Self.start + .seconds(9), Self.start + .seconds(90))
        let limit = Self.start + Connectivity.retryInterval
        #expect(connectivity.holdBack(nil, Self.failure, until: nil, Self.start) == limit)
        #expect(connectivity.holdBack(nil, Self.failure, until: late, Self.start) == limit)
        #expect(connectivity.holdBack(nil, Self.failure, until: early, Self.start) == early)
        #expect(connectivity.isEmpty)
    }

    @Test func `a change of the network starts no discretionary task on battery`() throws {
        var connectivity = Self.connectivity(hasExternalPower: false)
        #expect(connectivity.lacksPower(session: 0))
        #expect(!connectivity.lacksPower(session: 1))
        let waiting = try Self.spec(0, session: 0)
        _ = connectivity.holdBack(ClosedPaths.Path(waiting), Self.noPower, until: nil, Self.start)
        #expect(connectivity.hold(try Self.spec(1, session: 0), Self.start))
        #expect(connectivity.networkChanged() == [])
        #expect(connectivity.powerChanged(isExternal: false) == nil)
        #expect(connectivity.powerChanged(isExternal: true) == [1])
        #expect(!connectivity.lacksPower(session: 0))
    }

    @Test func `a task whose session reaches its host on this machine is local`() throws {
        var connectivity = Self.connectivity()
        let waiting = try Self.spec(0, session: 2, "http://b.test/")
        _ = connectivity.holdBack(ClosedPaths.Path(waiting), Self.failure, until: nil, Self.start)
        #expect(connectivity.hold(try Self.spec(1, session: 2, "http://b.test/"), Self.start))
        let local = try Self.spec(2, session: 2)
        #expect(connectivity.hold(local, Self.start) == false)
        #expect(connectivity.open(for: local, isWaiting: false) == [])
        #expect(connectivity.open(for: waiting, isWaiting: false) == [1])
    }

    @Test func `a loopback response opens no path, the end of a waiting task opens it`() throws {
        var connectivity = Self.connectivity()
        let local = try Self.spec(0, session: 1, "http://127.0.0.1/")
        _ = connectivity.holdBack(ClosedPaths.Path(local), Self.failure, until: nil, Self.start)
        #expect(connectivity.hold(try Self.spec(1, session: 1), Self.start))
        #expect(connectivity.open(for: local, isWaiting: false) == [])
        #expect(connectivity.open(for: local, isWaiting: true) == [1])
    }
}
