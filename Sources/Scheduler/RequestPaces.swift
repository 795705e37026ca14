import HeapModule
import SystemKit
import Transfer
import TransferModel

/// Keeps tasks back while their session has sent as many requests as its limit permits.
///
/// Requests are evenly spaced, so that no part of a minute has more than its share. A task that is
/// kept back keeps its place at its host.
struct RequestPaces {
    /// The next requests of one session.
    private struct Pace {
        let limits: SessionLimits
        /// The time from one request to the next; nil for no limit.
        var spacing: Duration?
        /// When the next request may leave.
        var next: MonotonicTime
        var waiting = Heap<Waiting>()
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

    /// How late a request may be without moving those after it: a busy thread costs no requests.
    private static let slack = Duration.milliseconds(100)

    /// By session; nil for a session without a limit, and empty when none has one.
    private var paces: [Pace?]
    private let hasTimetable: Bool
    /// The present turn.
    private var now: MonotonicTime
    /// When the wall clock was read last.
    private var readTime: MonotonicTime

    init(_ limits: [SessionLimits], now: MonotonicTime) {
        self.now = now
        readTime = now
        let isLimited = limits.contains(where: \.limitsRequests)
        paces =
            isLimited
            ? limits.map { limits in
                guard limits.limitsRequests else { return nil }
                let spacing = limits.rates.requests?.rate?.spacing
                return Pace(limits: limits, spacing: spacing, next: now)
            } : []
        hasTimetable = paces.contains { $0?.limits.timetable.isEmpty == false }
    }

    /// Whether the wall clock is to be read in each turn.
    var watchesWallClock: Bool { hasTimetable }

    /// Takes the rates of a time of day.
    mutating func read(minuteOfDay: Int, _ now: MonotonicTime) {
        readTime = now
        for session in paces.indices {
            guard let limits = paces[session]?.limits else { continue }
            let spacing = limits.rates(atMinute: minuteOfDay).requests?.rate?.spacing
            guard spacing != paces[session]?.spacing else { continue }
            paces[session]?.spacing = spacing
            // A request that the old rate put off waits at most as long as the new rate says.
            let latest = now + (spacing ?? .zero)
            let next = paces[session]?.next ?? latest
            paces[session]?.next = min(next, latest)
        }
    }

    /// Begins a turn.
    mutating func beginTurn(_ now: MonotonicTime) { self.now = now }

    /// When `next` may have another task; nil when only another event can bring one.
    var nextTime: MonotonicTime? {
        var next: MonotonicTime?
        for case let pace? in paces where !pace.waiting.isEmpty && pace.next > now {
            var time = pace.next
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
        if pace.waiting.isEmpty, pace.spacing == nil || pace.next <= now {
            spend(session)
            return true
        }
        candidate.pacedSince = now
        paces[session]?.waiting.insert(Waiting(candidate: candidate))
        return false
    }

    /// Takes out the best task whose request may leave now.
    mutating func takeNext(acceptsFresh: Bool) -> StartQueue.Candidate? {
        var best: (session: Int, key: TaskKey)?
        for (session, pace) in paces.enumerated() {
            guard let pace, pace.spacing == nil || pace.next <= now,
                let key = pace.waiting.min?.candidate.key, acceptsFresh || key.isRetry,
                best.map({ key < $0.key }) ?? true
            else { continue }
            best = (session, key)
        }
        guard let best else { return nil }
        spend(best.session)
        return paces[best.session]?.waiting.popMin()?.candidate
    }

    /// Counts the requests of an attempt beyond the one that was admitted; a negative number takes
    /// back one that was not sent.
    mutating func charge(_ requests: @autoclosure () -> Int, session: Int) {
        guard !paces.isEmpty, let pace = paces[session], let spacing = pace.spacing else { return }
        let time = Duration.nanoseconds(spacing.nanoseconds * Int64(requests()))
        paces[session]?.next = max(pace.next, now) + time
    }

    /// Forgets every task, because the run starts no more attempts.
    mutating func removeAll() {
        for session in paces.indices { paces[session]?.waiting = Heap() }
    }

    private mutating func spend(_ session: Int) {
        guard let pace = paces[session], let spacing = pace.spacing else { return }
        let earliest = now + (.zero - Self.slack)
        paces[session]?.next = max(pace.next, earliest) + spacing
    }
}

extension AttemptResult {
    /// The requests that the attempt has sent to a network or to a program.
    var requestCount: Int {
        transactions.count { [.networkLoad, .program].contains($0.resourceFetchType) }
            + omittedTransactions
    }
}
