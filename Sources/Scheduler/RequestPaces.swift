import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Keeps tasks back while their session has sent as many requests as its limit permits.
///
/// A task that is kept back keeps its place at its host.
struct RequestPaces {
    /// The next requests of one session.
    private struct Pace {
        let turns: RequestTurns
        var waiting = Heap<Waiting>()
        /// When the first of them may have a turn; nil until it was refused one in the scheduler's
        /// present turn.
        ///
        /// The engine's threads may take and free turns meanwhile.
        var nextTime: MonotonicTime?

        /// Whether a request may leave now, which is then counted.
        mutating func take(_ now: MonotonicTime) -> Bool {
            switch turns.take(now) {
            case .taken:
                nextTime = nil
                return true
            case .later(let time):
                nextTime = time
                return false
            }
        }
    }

    private struct Waiting: Comparable {
        var candidate: StartQueue.Candidate

        static func == (left: Waiting, right: Waiting) -> Bool {
            left.candidate.key == right.candidate.key
        }
        static func < (left: Waiting, right: Waiting) -> Bool {
            left.candidate.key < right.candidate.key
        }
    }

    /// By session; nil for a session without a limit, and empty when none has one.
    private var paces: [Pace?]
    private let hasTimetable: Bool
    /// The present turn.
    private var now: MonotonicTime
    /// When the wall clock was read last.
    private var readTime: MonotonicTime

    /// The turns of each session; nil for a session without a limit.
    init(_ turns: [RequestTurns?], now: MonotonicTime) {
        self.now = now
        readTime = now
        let isLimited = turns.contains { $0 != nil }
        paces = isLimited ? turns.map { $0.map { Pace(turns: $0) } } : []
        hasTimetable = turns.contains { $0?.hasTimetable == true }
    }

    /// Whether the wall clock must be read in each turn.
    var watchesWallClock: Bool { hasTimetable }

    /// Takes the rates of a time of day.
    mutating func read(minuteOfDay: Int, _ now: MonotonicTime) {
        readTime = now
        for session in paces.indices {
            paces[session]?.turns.read(minuteOfDay: minuteOfDay, now)
            paces[session]?.nextTime = nil
        }
    }

    /// Begins a turn.
    mutating func beginTurn(_ now: MonotonicTime) {
        self.now = now
        for session in paces.indices { paces[session]?.nextTime = nil }
    }

    /// When `next` may have another task; nil when only another event can make one ready.
    var nextTime: MonotonicTime? {
        var next: MonotonicTime?
        for case let pace? in paces where !pace.waiting.isEmpty {
            guard var time = pace.nextTime else { continue }
            if hasTimetable { time = min(time, readTime + WallReading.interval) }
            next = min(next ?? time, time)
        }
        return next
    }

    /// Whether a task with a place at its host may send its request now; otherwise it is kept back
    /// until `takeNext`.
    mutating func admits(_ candidate: StartQueue.Candidate?) -> Bool {
        guard !paces.isEmpty, var candidate, let session = candidate.lane?.session,
            let pace = paces[session], candidate.pacedSince == nil
        else { return true }
        if pace.waiting.isEmpty, paces[session]?.take(now) == true { return true }
        candidate.pacedSince = now
        paces[session]?.waiting.insert(Waiting(candidate: candidate))
        return false
    }

    /// Takes out the best task whose request may leave now.
    mutating func takeNext(acceptsFresh: Bool) -> StartQueue.Candidate? {
        while true {
            var best: (session: Int, key: TaskKey)?
            for (session, pace) in paces.enumerated() {
                guard let pace, let key = pace.waiting.min?.candidate.key,
                    acceptsFresh || key.isRetry, pace.nextTime == nil,
                    best.map({ key < $0.key }) ?? true
                else { continue }
                best = (session, key)
            }
            guard let best else { return nil }
            if paces[best.session]?.take(now) == true {
                return paces[best.session]?.waiting.popMin()?.candidate
            }
        }
    }

    /// Counts the requests of an attempt beyond the admitted one; a negative number takes back a
    /// request that was not sent.
    mutating func charge(_ requests: @autoclosure () -> Int, session: Int) {
        guard !paces.isEmpty, let pace = paces[session] else { return }
        pace.turns.charge(requests(), now)
        paces[session]?.nextTime = nil
    }

    /// Forgets every task, because the run starts no more attempts.
    mutating func removeAll() {
        for session in paces.indices { paces[session]?.waiting = Heap() }
    }
}

extension AttemptResult {
    /// The requests that the attempt has sent to a network or to a program, without requests with a
    /// turn of their own.
    var requestCount: Int {
        transactions.count { [.networkLoad, .program].contains($0.resourceFetchType) }
            + omittedTransactions - partRequests
    }
}
