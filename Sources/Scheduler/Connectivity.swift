import SystemKit
import Transfer
import TransferModel

/// Which tasks wait for an interface or for external power, and which events let them try again.
///
/// It reads no interface and no battery: `RunMachine` passes on the changes.
struct Connectivity {
    /// How long a task waits before its next try: the kernel does not report every change that
    /// helps.
    static let retryInterval = Duration.seconds(30)

    private var closedPaths = ClosedPaths()
    /// How often the network has changed.
    private(set) var networkChanges = 0
    private var hasExternalPower: Bool
    private let sessions: [SessionConfiguration]

    /// The state of a run that begins.
    init(_ sessions: [SessionConfiguration], hasExternalPower: Bool) {
        self.hasExternalPower = hasExternalPower
        self.sessions = sessions
    }

    /// Whether no path is closed.
    var isEmpty: Bool { closedPaths.isEmpty }

    /// Whether attempts of the session must wait for external power.
    func lacksPower(session: Int) -> Bool { !hasExternalPower && sessions[session].isDiscretionary }

    /// Whether the network has changed since it had changed `changes` times.
    func hasChanged(since changes: Int) -> Bool { networkChanges != changes }

    /// Closes the path of a waiting task, if there is one, and returns when the task tries again.
    mutating func holdBack(
        _ path: ClosedPaths.Path?,
        _ failure: TransferFailure,
        until deadline: MonotonicTime?,
        _ now: MonotonicTime
    ) -> MonotonicTime {
        if let path { closedPaths.close(path, failure) }
        let time = now + Self.retryInterval
        return deadline.map { min($0, time) } ?? time
    }

    /// Keeps a task back if its path is closed; returns whether it did.
    mutating func hold(_ spec: TaskSpec, _ now: MonotonicTime) -> Bool {
        !closedPaths.isEmpty && closedPaths.hold(spec, now, isLocal: staysOnMachine(spec))
    }

    /// Whether the server of a task's URL, or its session's other server, is this machine.
    private func staysOnMachine(_ spec: TaskSpec) -> Bool {
        let origin = spec.request.url.origin
        return (sessions[spec.session].connectTo.target(for: origin) ?? origin).isLoopback
    }

    /// How a task that begins was kept back; nil when it was not.
    mutating func takeHold(of task: Int) -> ClosedPaths.Hold? { closedPaths.takeHold(of: task) }

    /// Opens the paths of a task that has found a way or waits no more; returns the tasks to start.
    mutating func open(for spec: TaskSpec, isWaiting: Bool) -> [Int] {
        // A request that stays on this machine proves no way to other hosts.
        guard !closedPaths.isEmpty, isWaiting || !staysOnMachine(spec) else { return [] }
        return closedPaths.open([
            ClosedPaths.Path(spec), .init(spec, origin: spec.request.url.origin),
        ])
    }

    /// Opens the paths of some sessions; returns the tasks to start.
    mutating func open(sessions: Set<Int>) -> [Int] {
        closedPaths.openAll { sessions.contains($0.session) }
    }

    /// Counts a change of the network; returns the tasks to start.
    mutating func networkChanged() -> [Int] {
        networkChanges += 1
        let (hasPower, sessions) = (hasExternalPower, sessions)
        return closedPaths.openAll { hasPower || !sessions[$0.session].isDiscretionary }
    }

    /// Notes a change of the power supply; returns the tasks to start, or nil when power is not
    /// external.
    mutating func powerChanged(isExternal: Bool) -> [Int]? {
        hasExternalPower = isExternal
        guard isExternal else { return nil }
        let sessions = sessions
        return closedPaths.openAll { sessions[$0.session].isDiscretionary }
    }

    /// Forgets the closed paths and the tasks that wait for them, because the run starts no more
    /// attempts.
    mutating func stop() { closedPaths = ClosedPaths() }
}
