package import SystemKit

/// Keeps a snapshot of the machine's network and hears of its changes, on a thread of its own.
package final class NetworkMonitor: Sendable {
    private let survey: NetworkSurvey
    private let changes: NetlinkSocket
    /// Held while the network is looked at, so that no look is overwritten by an older one.
    private let sight: Lock<Sight>
    private let seen: Lock<SeenNetwork>
    private let wakeUp: EventPoll.WakeUp
    /// Held while somebody is told of a change.
    private let isStopped = Lock(false)

    /// What it takes to look at the network.
    private struct Sight {
        let socket: RouteSocket
        /// What daemons have said last.
        var answers: DaemonAnswers
    }

    /// How long after a survey daemons are asked again although nothing was heard: they learn
    /// things that the kernel does not tell.
    private let surveyNanoseconds: Int64

    /// How long after a first change it is told.
    ///
    /// One change seldom comes alone. What makes a class another one is told at once.
    private static let settlingNanoseconds: Int64 = 250_000_000
    /// How long after a look for other classes the next one follows at the soonest.
    private static let glanceNanoseconds: Int64 = 10_000_000
    private static let changesTag: UInt64 = 1

    /// Looks at the network.
    ///
    /// - Throws: What netlink(7) says.
    package convenience init(_ survey: NetworkSurvey) throws(SystemError) {
        try self.init(survey, surveyNanoseconds: 30_000_000_000)
    }

    /// Asks daemons more often, or less.
    init(_ survey: NetworkSurvey, surveyNanoseconds: Int64) throws(SystemError) {
        self.survey = survey
        self.surveyNanoseconds = surveyNanoseconds
        wakeUp = try EventPoll.WakeUp()
        // Before the first look, so that no change is missed between the two.
        changes = try NetlinkSocket(hearing: [.links, .addresses, .routes])
        let socket = try RouteSocket()
        let first = try socket.tables()
        let heard = survey.neededAnswers(of: first.interfaces, first.routes)
        // Daemons take their time, and the network may be another one by then.
        let tables = try socket.tables()
        let found = survey.snapshot(of: tables.interfaces, tables.routes, by: heard)
        seen = Lock(SeenNetwork(found))
        sight = Lock(Sight(socket: socket, answers: heard))
    }

    /// The network as it was seen last; any thread may ask.
    package var current: NetworkSnapshot { seen.withLock { $0.network } }

    /// Reads interfaces and routes anew, on the calling thread, and asks no daemon.
    ///
    /// What has come or changed since daemons were asked is pending: what it is, is not known yet.
    ///
    /// - Returns: What was found; what was known when nothing can be.
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

    /// Begins to listen; to be called once.
    ///
    /// - Parameter didChange: Called on the monitor's thread when interfaces, addresses, routes or
    ///   classes are others.
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
        guard (try? poll.watch(changes.descriptor, for: .readable, tag: Self.changesTag)) != nil
        else { return }
        var events: [EventPoll.Event] = []
        var settled = nextSurvey(after: sight.withLock { $0.answers })
        // Of those that were seen: others may have seen some before, by `refresh`, which are to be
        // told of all the same.
        var told = 0
        var toldNetwork = current
        /// Looks, and tells of what is different; nil when the kernel does not answer.
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
                // What it was is seen by looking: messages may have been lost.
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
            // What the kernel knows is told before daemons are waited for.
            if let found = tell() {
                let last = sight.withLock { $0.answers }
                let heard = survey.neededAnswers(of: found.interfaces, found.routes, after: last)
                sight.withLock { $0.answers = heard }
                // Daemons take their time, and the network may be another one by then.
                if tell() != nil {
                    settled = nextSurvey(after: heard)
                    continue
                }
            }
            settled = Clock.monotonicNanoseconds() + Self.settlingNanoseconds
        }
    }

    /// When the network is looked at without a word of the kernel, which is soon when a daemon is
    /// late; nil for never.
    private func nextSurvey(after answers: DaemonAnswers) -> Int64? {
        guard survey.asksDaemons else { return nil }
        let pause = answers.isLate ? Self.settlingNanoseconds : surveyNanoseconds
        return Clock.monotonicNanoseconds() + pause
    }
}
