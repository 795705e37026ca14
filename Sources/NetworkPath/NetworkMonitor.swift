package import SystemKit

/// Keeps a snapshot of the machine's network and watches for changes on its own thread.
package final class NetworkMonitor: Sendable {
    private let survey: NetworkSurvey
    private let changes: NetlinkSocket
    /// Held during a look at the network, so that no older result overwrites a newer one.
    private let sight: Lock<Sight>
    private let seen: Lock<SeenNetwork>
    private let wakeUp: EventPoll.WakeUp
    /// Held during a call of `didChange`.
    private let isStopped = Lock(false)

    /// The state for looking at the network.
    private struct Sight {
        let socket: RouteSocket
        /// The daemons' latest answers.
        var answers: DaemonAnswers
    }

    /// The interval after which daemons are asked again without an event: they learn things that
    /// the kernel does not report.
    private let surveyNanoseconds: Int64

    /// The delay before a change is reported.
    ///
    /// Changes often come in groups. A changed class is reported at once.
    private static let settlingNanoseconds: Int64 = 250_000_000
    /// The shortest time between two checks for changed classes.
    private static let glanceNanoseconds: Int64 = 10_000_000
    private static let changesTag: UInt64 = 1

    /// Takes a first snapshot.
    ///
    /// - Throws: The errors of netlink(7).
    package convenience init(_ survey: NetworkSurvey) throws(SystemError) {
        try self.init(survey, surveyNanoseconds: 30_000_000_000)
    }

    /// Asks daemons at another interval.
    init(_ survey: NetworkSurvey, surveyNanoseconds: Int64) throws(SystemError) {
        self.survey = survey
        self.surveyNanoseconds = surveyNanoseconds
        wakeUp = try EventPoll.WakeUp()
        // Listen before the first look, so that no change is missed.
        changes = try NetlinkSocket(hearing: [.links, .addresses, .routes])
        let socket = try RouteSocket()
        let first = try socket.tables()
        let heard = survey.neededAnswers(of: first.interfaces, first.routes)
        // The network may have changed while the daemons answered.
        let tables = try socket.tables()
        let found = survey.snapshot(of: tables.interfaces, tables.routes, by: heard)
        seen = Lock(SeenNetwork(found))
        sight = Lock(Sight(socket: socket, answers: heard))
    }

    /// The latest snapshot; any thread may ask.
    package var current: NetworkSnapshot { seen.withLock { $0.network } }

    /// Reads interfaces and routes again, on the calling thread, without asking daemons.
    ///
    /// Interfaces that changed since the daemons' last answer are pending: their class is unknown.
    ///
    /// - Returns: The new snapshot; the previous one when the kernel does not answer.
    package func refresh() -> NetworkSnapshot { look()?.network ?? current }

    private func look() -> SeenNetwork? {
        sight.withLock { sight in
            guard let tables = try? sight.socket.tables() else { return nil }
            let found = survey.snapshot(of: tables.interfaces, tables.routes, by: sight.answers)
            return seen.withLock {
                $0.see(found)
                return $0
            }
        }
    }

    /// Starts listening; call it once.
    ///
    /// - Parameter didChange: Called on the monitor's thread when interfaces, addresses, routes or
    ///   classes change.
    /// - Throws: When no thread is available.
    package func start(_ didChange: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try JoinableThread(name: "network") { [self] in listen(didChange) }
    }

    /// Stops the thread; makes no calls afterwards.
    ///
    /// Does not wait for the thread, because a daemon may delay it.
    package func stop() {
        isStopped.withLock { $0 = true }
        wakeUp.signal()
    }

    private func listen(_ didChange: () -> Void) {
        let poll = EventPoll(wakeUp)
        guard (try? poll.watch(changes.descriptor, for: .readable, tag: Self.changesTag)) != nil
        else { return }
        var events: [EventPoll.Event] = []
        var settled = nextSurvey(after: sight.withLock { $0.answers })
        // The number of reported changes: `refresh` may have seen others, which must be reported
        // too.
        var told = 0
        var toldNetwork = current
        /// Looks at the network and reports a change; nil when the kernel does not answer.
        func tell() -> NetworkSnapshot? {
            guard let seen = look() else { return nil }
            if seen.changes != told {
                (told, toldNetwork) = (seen.changes, seen.network)
                isStopped.withLock { if !$0 { didChange() } }
            }
            return seen.network
        }
        var glance: Int64?
        var lastGlance: Int64 = 0
        while true {
            let next = glance.map { min($0, settled ?? $0) } ?? settled
            poll.wait(milliseconds: Clock.milliseconds(until: next), into: &events)
            if isStopped.withLock({ $0 }) { return }
            if !events.isEmpty {
                // Look at the tables to see the changes: messages may have been lost.
                changes.drain()
                let now = Clock.monotonicNanoseconds()
                settled = min(settled ?? .max, now + Self.settlingNanoseconds)
                glance = min(glance ?? .max, max(now, lastGlance + Self.glanceNanoseconds))
            }
            if let due = glance, Clock.monotonicNanoseconds() >= due {
                glance = nil
                lastGlance = Clock.monotonicNanoseconds()
                if let seen = look(), seen.network.hasOtherClasses(than: toldNetwork) {
                    (told, toldNetwork) = (seen.changes, seen.network)
                    isStopped.withLock { if !$0 { didChange() } }
                }
            }
            guard let due = settled, Clock.monotonicNanoseconds() >= due else { continue }
            // Report the kernel's changes before waiting for daemons.
            if let found = tell() {
                let last = sight.withLock { $0.answers }
                let heard = survey.neededAnswers(of: found.interfaces, found.routes, after: last)
                sight.withLock { $0.answers = heard }
                // The network may have changed while the daemons answered.
                if tell() != nil {
                    settled = nextSurvey(after: heard)
                    continue
                }
            }
            settled = Clock.monotonicNanoseconds() + Self.settlingNanoseconds
        }
    }

    /// The time of the next look without a kernel message, soon if a daemon is late; nil for never.
    private func nextSurvey(after answers: DaemonAnswers) -> Int64? {
        guard survey.asksDaemons else { return nil }
        let pause = answers.isLate ? Self.settlingNanoseconds : surveyNanoseconds
        return Clock.monotonicNanoseconds() + pause
    }
}

/// The network at the last look, and the number of its changes.
///
/// Comparing two snapshots misses a change that was undone in between; hence a counter.
struct SeenNetwork: Sendable {
    private(set) var network: NetworkSnapshot
    /// The number of changes seen since the first look.
    private(set) var changes = 0

    init(_ network: NetworkSnapshot) { self.network = network }

    /// Records the result of a look.
    mutating func see(_ found: NetworkSnapshot) {
        if found == network { return }
        network = found
        changes += 1
    }
}
