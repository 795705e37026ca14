internal import TransferModel

/// Assigns attempts to engine threads and remembers the thread of each.
///
/// It keeps each thread within its share of a host's connections, and combines the threads'
/// progress reports.
struct EngineDispatch {
    private struct Host: Hashable {
        var session: Int
        var origin: Origin
    }

    /// The running attempts at a host.
    private final class Load {
        let host: Host
        /// The number of running attempts at the host, by thread.
        var running: [Int]

        init(_ host: Host, threadCount: Int) {
            self.host = host
            running = Array(repeating: 0, count: threadCount)
        }
    }

    /// The host and thread of a running attempt.
    private struct Place {
        let load: Load
        let thread: Int
        /// The list that the attempt came with, and its position there; shared by all of the list.
        let batch: [AttemptRequest]
        let position: Int
    }

    /// The share of each thread.
    let shares: [EngineShare]
    private let connectionsPerHost: [Int]
    /// The threads for each session's attempts.
    private let threads: [Range<Int>]
    /// The loads of the hosts with running attempts.
    private var loads: [Host: Load] = [:]
    /// The load of the last attempt's host, which is most often the host of the next attempt too.
    private var recent: Load?
    /// The running attempts, by their keys.
    private var places: [Int: Place] = [:]
    private var collapsing: RequestCollapsing
    /// Attempts that no longer wait for another one and can start.
    private var released: [AttemptRequest] = []
    private var isStopping = false
    /// The threads' answers so far to a progress request.
    private var progress: [Int: AttemptProgress] = [:]
    private var awaitedAnswers = 0

    /// - Parameters:
    ///   - sessions: The engine's sessions.
    ///   - hasCache: Whether each session has a cache; empty when none has.
    ///   - threadCount: The number of threads for most sessions; sessions with tickets or file
    ///     servers have one more thread of their own.
    init(sessions: [SessionConfiguration], hasCache: [Bool] = [], threadCount: Int) {
        collapsing = RequestCollapsing(hasCache: hasCache)
        shares = EngineShare.all(
            sharing: threadCount,
            hasAnother: sessions.contains(where: \.mayBlock)
        )
        threads = sessions.map {
            $0.mayBlock ? threadCount..<threadCount + 1 : 0..<threadCount
        }
        connectionsPerHost = sessions.map(\.httpMaximumConnectionsPerHost)
    }

    /// Whether an attempt waits for another one whose response may answer it too.
    @inline(__always)
    mutating func holds(_ attempt: borrowing AttemptRequest) -> Bool {
        collapsing.isUsed && !isStopping && collapsing.holds(attempt)
    }

    /// Takes the attempts that no longer wait; returns each once.
    mutating func takeReleased() -> [AttemptRequest] {
        if released.isEmpty { return [] }
        defer { released = [] }
        return released
    }

    /// Removes and returns the waiting attempts with those keys, for cancellation.
    mutating func withdraw(_ keys: [Int]) -> [AttemptRequest] { collapsing.withdraw(keys) }

    /// Lets no attempt wait from now on; returns the attempts that waited.
    mutating func stopHolding() -> [AttemptRequest] {
        isStopping = true
        return collapsing.endAll()
    }

    /// Chooses the thread for an attempt: the thread with the most room at its host.
    ///
    /// `batch` is a list that has the attempt at a position.
    mutating func place(
        _ key: Int,
        session: Int,
        origin: Origin,
        in batch: [AttemptRequest] = [],
        at position: Int = 0
    ) -> Int {
        let load = load(of: Host(session: session, origin: origin))
        let limit = connectionsPerHost[session]
        func room(_ thread: Int) -> Int { shares[thread].part(of: limit) - load.running[thread] }
        var best = threads[session].lowerBound
        // Connections with streams carry more attempts than there are connections; avoid threads
        // without a connection.
        for thread in threads[session]
        where room(thread) > room(best) && shares[thread].part(of: limit) > 0 { best = thread }
        load.running[best] += 1
        places[key] = Place(load: load, thread: best, batch: batch, position: position)
        return best
    }

    private mutating func load(of host: Host) -> Load {
        if let recent, recent.host == host { return recent }
        let load = loads[host] ?? Load(host, threadCount: shares.count)
        loads[host] = load
        recent = load
        return load
    }

    /// The thread of a running attempt; nil when it no longer runs.
    func thread(of key: Int) -> Int? {
        places[key]?.thread
    }

    /// The attempts that a thread has begun, in the order of their keys.
    ///
    /// `unbegun` has the keys of the attempts that the thread has not taken yet.
    func begun(by thread: Int, except unbegun: Set<Int>) -> [AttemptRequest] {
        places.filter { $0.value.thread == thread && !unbegun.contains($0.key) }
            .sorted { $0.key < $1.key }
            .compactMap {
                $0.value.batch.indices.contains($0.value.position)
                    ? $0.value.batch[$0.value.position] : nil
            }
    }

    /// Begins a progress request, which goes to every thread.
    mutating func beginProgress() {
        progress = [:]
        // Late answers to an earlier request count for this one: they are as fresh.
        awaitedAnswers = shares.count
    }

    /// Handles the events of one thread; returns the events for the engine's owner.
    mutating func pass(_ events: [AttemptEvent]) -> [AttemptEvent] {
        var hasProgress = false
        for event in events {
            switch event {
            case .finished(let ended):
                finish(ended)
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

    /// Handles the end of an attempt.
    private mutating func finish(_ ended: EndedAttempt) {
        finish(ended.result.key)
        if collapsing.isUsed { released += collapsing.end(ended.result) }
    }

    /// Frees the room of a finished attempt.
    private mutating func finish(_ key: Int) {
        guard let place = places.removeValue(forKey: key) else { return }
        let load = place.load
        load.running[place.thread] -= 1
        guard load.running.allSatisfy({ $0 == 0 }) else { return }
        loads[load.host] = nil
        if recent === load { recent = nil }
    }
}
