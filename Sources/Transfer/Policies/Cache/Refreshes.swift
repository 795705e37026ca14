internal import TransferModel

/// Stored responses that were used although they were stale and are asked for again, for the cache
/// alone (RFC 5861 §3).
///
/// Their attempts have the purpose `refresh`, and the scheduler does not hear of them. Each request
/// has at most one at a time.
struct Refreshes {
    private struct Place: Hashable {
        var session: Int
        var request: RequestSpec

        init(_ attempt: AttemptRequest) {
            session = attempt.session
            request = attempt.request
        }
    }

    /// How many run at once: the run's own attempts come first.
    private static let mostRunning = 4
    /// How long the end of a run waits for the next one to end.
    private static let patience = Duration.seconds(5)
    /// How long it waits for all of them.
    private static let longestEnd = Duration.seconds(60)

    private var waiting: ArraySlice<AttemptRequest> = []
    /// What waits or runs.
    private var places: Set<Place> = []
    private var running = 0
    /// How many were begun.
    private var count = 0
    private var areOver = false
    /// When they are given up, however they get on; nil before the run ends.
    private var limit: MonotonicTime?
    /// When they are given up unless one of them ends before; nil before the run ends.
    private(set) var end: MonotonicTime?

    /// Whether none waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// A stale response was used.
    ///
    /// - Parameter attempt: Asks for it again; its key is chosen later.
    mutating func add(_ attempt: AttemptRequest) {
        guard !areOver, places.insert(Place(attempt)).inserted else { return }
        waiting.append(attempt)
    }

    /// What is to be started now; nil when nothing is.
    mutating func next() -> AttemptRequest? {
        guard running < Self.mostRunning, var attempt = waiting.popFirst() else { return nil }
        running += 1
        count += 1
        // Below those of the tasks, so that an engine thread tells all its attempts apart by their
        // keys.
        attempt.key = -count
        attempt.purpose = .refresh
        return attempt
    }

    /// One that was started has ended: the next use of that response asks again.
    mutating func didEnd(_ attempt: AttemptRequest, at now: MonotonicTime) {
        places.remove(Place(attempt))
        running -= 1
        waitOn(from: now)
    }

    /// The run has ended but for them.
    ///
    /// - Parameters:
    ///   - now: The present.
    ///   - limit: When they are given up however they get on; nil for the longest time that a run
    ///     waits for them.
    mutating func runEnds(at now: MonotonicTime, limit: MonotonicTime?) {
        guard self.limit == nil else { return }
        let latest = now + Self.longestEnd
        self.limit = limit.map { min($0, latest) } ?? latest
        waitOn(from: now)
    }

    /// Nothing is refreshed from now on.
    mutating func giveUp() {
        areOver = true
        waiting = []
    }

    private mutating func waitOn(from now: MonotonicTime) {
        if let limit { end = min(now + Self.patience, limit) }
    }
}
