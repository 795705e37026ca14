package import SystemKit

/// Keeps a snapshot of the machine's network and hears of its changes, on a thread of its own.
package final class NetworkMonitor: Sendable {
    private let survey: NetworkSurvey
    private let changes: NetlinkSocket
    private let state: Lock<State>
    private let wakeUp: EventPoll.WakeUp
    /// Held while somebody is told of a change.
    private let isStopped = Lock(false)

    private struct State {
        /// What daemons were asked about last.
        var surveyed: NetworkSnapshot
        /// The network as it was seen last.
        var current: NetworkSnapshot
    }

    /// How long after a first change the network is looked at again: one change seldom comes alone.
    private static let settlingNanoseconds: Int64 = 250_000_000
    /// How long after that it is looked at although nothing was heard: daemons learn things that the kernel does not tell.
    private static let surveyNanoseconds: Int64 = 30_000_000_000
    private static let changesTag: UInt64 = 1

    /// Looks at the network.
    ///
    /// - Throws: What netlink(7) says.
    package init(_ survey: NetworkSurvey) throws(SystemError) {
        self.survey = survey
        wakeUp = try EventPoll.WakeUp()
        // Before the first look, so that no change is missed between the two.
        changes = try NetlinkSocket(hearing: [.links, .addresses, .routes])
        let found = try survey.snapshot(RouteSocket())
        state = Lock(State(surveyed: found, current: found))
    }

    /// The network as it was seen last; any thread may ask.
    package var current: NetworkSnapshot { state.withLock { $0.current } }

    /// Reads interfaces and routes anew, on the calling thread, and asks no daemon.
    ///
    /// What has come or changed since the last survey is left out: what it is, is not known yet.
    ///
    /// - Parameter socket: The caller's own.
    /// - Returns: What was found; what was known when nothing can be.
    package func refresh(_ socket: RouteSocket) -> NetworkSnapshot {
        guard let tables = try? socket.tables() else { return current }
        return state.withLock { state in
            state.current = state.surveyed.refreshed(tables.interfaces, tables.routes)
            return state.current
        }
    }

    /// Begins to listen; to be called once.
    ///
    /// - Parameter didChange: Called on the monitor's thread when interfaces, addresses, routes or classes are others.
    /// - Throws: Without threads.
    package func start(_ didChange: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try JoinableThread(name: "network") { [self] in listen(didChange) }
    }

    /// Lets the thread end; nothing is told afterwards.
    ///
    /// It is not waited for: a daemon may hold it up.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
    }

    private func listen(_ didChange: () -> Void) {
        let poll = EventPoll(wakeUp)
        guard (try? poll.watch(changes.descriptor, for: .readable, tag: Self.changesTag)) != nil,
            let socket = try? RouteSocket()
        else { return }
        var events: [EventPoll.Event] = []
        var settled = nextSurvey
        // Others may have seen a change before, by `refresh`: it is to be told of all the same.
        var told = current
        func tell(_ found: NetworkSnapshot) {
            guard found != told else { return }
            told = found
            isStopped.withLock { if !$0 { didChange() } }
        }
        while true {
            poll.wait(milliseconds: Self.milliseconds(until: settled), into: &events)
            if isStopped.withLock({ $0 }) { return }
            if !events.isEmpty {
                // What it was is seen by looking: messages may have been lost.
                changes.drain()
                let soon = Clock.monotonicNanoseconds() + Self.settlingNanoseconds
                settled = min(settled ?? soon, soon)
            }
            guard let due = settled, Clock.monotonicNanoseconds() >= due else { continue }
            // What the kernel knows is told before daemons are waited for.
            tell(refresh(socket))
            guard let found = try? survey.snapshot(socket) else {
                settled = Clock.monotonicNanoseconds() + Self.settlingNanoseconds
                continue
            }
            state.withLock { $0.surveyed = found }
            // Daemons take their time, and the network may be another one by then.
            tell(refresh(socket))
            settled = nextSurvey
        }
    }

    /// When the network is looked at without a word of the kernel; nil for never.
    private var nextSurvey: Int64? {
        survey.asksDaemons ? Clock.monotonicNanoseconds() + Self.surveyNanoseconds : nil
    }

    private static func milliseconds(until time: Int64?) -> Int32 {
        guard let time else { return -1 }
        return Int32(clamping: max(0, time - Clock.monotonicNanoseconds() + 999_999) / 1_000_000)
    }
}
