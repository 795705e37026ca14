internal import TransferModel

/// Knows which engine thread has which attempt.
///
/// Chooses it so that no thread has more of a host than its share of connections, and puts together
/// what the threads say of their attempts.
struct EngineDispatch {
    private struct Host: Hashable {
        var session: Int
        var origin: Origin
    }

    /// What goes on at a host.
    private final class Load {
        let host: Host
        /// How many attempts run there, by thread.
        var running: [Int]

        init(_ host: Host, threadCount: Int) {
            self.host = host
            running = Array(repeating: 0, count: threadCount)
        }
    }

    /// What each thread has.
    let shares: [EngineShare]
    private let connectionsPerHost: [Int]
    /// The threads that each session's attempts go to.
    private let threads: [Range<Int>]
    /// Of the hosts with running attempts.
    private var loads: [Host: Load] = [:]
    /// That of the last attempt's host, which most often is the next one's too.
    private var recent: Load?
    /// Where each running attempt is.
    private var places: [Int: (load: Load, thread: Int)] = [:]
    private var collapsing: RequestCollapsing
    /// Attempts that waited for another one and go on now.
    private var released: [AttemptRequest] = []
    private var isStopping = false
    /// What the threads have answered so far to a question for progress.
    private var progress: [Int: AttemptProgress] = [:]
    private var awaitedAnswers = 0

    /// - Parameters:
    ///   - sessions: Those of the engine.
    ///   - hasCache: Whether each of them has a cache; empty when none has.
    ///   - threadCount: How many threads there are for most of them; those that ask for tickets
    ///     have one more for themselves.
    init(sessions: [SessionConfiguration], hasCache: [Bool] = [], threadCount: Int) {
        collapsing = RequestCollapsing(hasCache: hasCache)
        shares = EngineShare.all(
            sharing: threadCount,
            hasAnother: sessions.contains(where: \.asksForTickets)
        )
        threads = sessions.map {
            $0.asksForTickets ? threadCount..<threadCount + 1 : 0..<threadCount
        }
        connectionsPerHost = sessions.map(\.httpMaximumConnectionsPerHost)
    }

    /// Whether an attempt waits for another one that may bring what answers it, too.
    @inline(__always)
    mutating func holds(_ attempt: borrowing AttemptRequest) -> Bool {
        collapsing.isUsed && !isStopping && collapsing.holds(attempt)
    }

    /// Those that waited and go on now, each once.
    mutating func takeReleased() -> [AttemptRequest] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }

    /// Takes those out that wait and are to be cancelled.
    mutating func withdraw(_ keys: [Int]) -> [AttemptRequest] { collapsing.withdraw(keys) }

    /// Nobody waits from now on; returns those that did.
    mutating func stopHolding() -> [AttemptRequest] {
        isStopping = true
        return collapsing.endAll()
    }

    /// The thread that an attempt goes to: the one with the most room at its host.
    mutating func place(_ key: Int, session: Int, origin: Origin) -> Int {
        let load = load(of: Host(session: session, origin: origin))
        let limit = connectionsPerHost[session]
        func room(_ thread: Int) -> Int { shares[thread].part(of: limit) - load.running[thread] }
        var best = threads[session].lowerBound
        // Over connections with streams go more attempts than there are connections: not to a
        // thread that has none.
        for thread in threads[session]
        where room(thread) > room(best) && shares[thread].part(of: limit) > 0 { best = thread }
        load.running[best] += 1
        places[key] = (load, best)
        return best
    }

    private mutating func load(of host: Host) -> Load {
        if let recent, recent.host == host { return recent }
        let load = loads[host] ?? Load(host, threadCount: shares.count)
        loads[host] = load
        recent = load
        return load
    }

    /// The thread of a running attempt; nil when it runs no more.
    func thread(of key: Int) -> Int? {
        places[key]?.thread
    }

    /// A question for progress goes out to every thread.
    mutating func beginProgress() {
        progress = [:]
        // Whatever still comes of an earlier question counts for this one: it is as fresh.
        awaitedAnswers = shares.count
    }

    /// Takes in the events of one thread; what is left is for the engine's owner.
    mutating func pass(_ events: [AttemptEvent]) -> [AttemptEvent] {
        var hasProgress = false
        for event in events {
            switch event {
            case .finished:
                finish(event)
            case .progress(let answer):
                for attempt in answer { progress[attempt.key] = attempt }
                awaitedAnswers -= 1
                hasProgress = true
            }
        }
        guard hasProgress else { return events }
        var passed = events.filter { if case .finished = $0 { true } else { false } }
        if awaitedAnswers <= 0 {
            passed.append(.progress(progress.values.sorted { $0.key < $1.key }))
        }
        return passed
    }

    /// Takes in the end of an attempt, whose result is large and read in its place.
    private mutating func finish(_ event: AttemptEvent) {
        guard let key = event.finishedKey else { return }
        finish(key)
        if collapsing.isUsed, case .finished(let result) = event {
            released += collapsing.end(result)
        }
    }

    /// Frees the room of a finished attempt.
    private mutating func finish(_ key: Int) {
        guard let (load, thread) = places.removeValue(forKey: key) else { return }
        load.running[thread] -= 1
        guard load.running.allSatisfy({ $0 == 0 }) else { return }
        loads[load.host] = nil
        if recent === load { recent = nil }
    }
}
