internal import TransferModel

/// Knows which engine thread has which attempt.
///
/// Chooses it so that no thread has more of a host than its share of connections, and puts together what the threads
/// say of their attempts.
struct EngineDispatch {
    private struct Host: Hashable {
        var session: Int
        var origin: Origin
    }

    private let shares: [EngineShare]
    private let emptyCounts: [Int]
    private let connectionsPerHost: [Int]
    /// How many attempts run at each host, by thread.
    private var running: [Host: [Int]] = [:]
    /// Where each running attempt is.
    private var places: [Int: (host: Host, thread: Int)] = [:]
    /// What the threads have answered so far to a question for progress.
    private var progress: [Int: AttemptProgress] = [:]
    private var awaitedAnswers = 0

    init(sessions: [SessionConfiguration], threadCount: Int) {
        shares = (0..<threadCount).map { EngineShare(index: $0, count: threadCount) }
        emptyCounts = Array(repeating: 0, count: threadCount)
        connectionsPerHost = sessions.map(\.httpMaximumConnectionsPerHost)
    }

    /// The thread that an attempt goes to: the one with the most room at its host.
    mutating func place(_ key: Int, session: Int, origin: Origin) -> Int {
        let host = Host(session: session, origin: origin)
        let limit = connectionsPerHost[session]
        let thread = Self.choose(&running[host, default: emptyCounts], shares, limit)
        places[key] = (host, thread)
        return thread
    }

    /// Takes a place on the thread that has the most room for connections.
    private static func choose(_ counts: inout [Int], _ shares: [EngineShare], _ limit: Int) -> Int
    {
        func room(_ thread: Int) -> Int { shares[thread].part(of: limit) - counts[thread] }
        var best = 0
        // Over connections with streams go more attempts than there are connections: not to a thread that has none.
        for thread in shares.indices
        where room(thread) > room(best) && shares[thread].part(of: limit) > 0 { best = thread }
        counts[best] += 1
        return best
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
        var passed = events
        passed.removeAll { event in
            switch event {
            case .finished(let result):
                finish(result.key)
                return false
            case .progress(let answer):
                for attempt in answer { progress[attempt.key] = attempt }
                awaitedAnswers -= 1
                return true
            }
        }
        if passed.count < events.count, awaitedAnswers <= 0 {
            passed.append(.progress(progress.values.sorted { $0.key < $1.key }))
        }
        return passed
    }

    /// Frees the room of a finished attempt.
    private mutating func finish(_ key: Int) {
        guard let (host, thread) = places.removeValue(forKey: key) else { return }
        running[host]?[thread] -= 1
        if running[host]?.allSatisfy({ $0 == 0 }) == true { running[host] = nil }
    }
}
