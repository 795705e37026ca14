internal import TransferModel

/// Requests that refresh stored responses which were used while stale, for the cache alone (RFC
/// 5861 §3).
///
/// Their attempts have the purpose `refresh`, and the scheduler does not see them. Each request is
/// refreshed at most once at a time.
struct Refreshes {
    private struct Place: Hashable {
        var session: Int
        var request: RequestSpec

        init(_ attempt: AttemptRequest) {
            session = attempt.session
            request = attempt.request
        }
    }

    /// The most concurrent refreshes: the run's own attempts take precedence.
    private static let mostRunning = 4
    /// The time that the end of a run waits for the next refresh to end.
    private static let patience = Duration.seconds(5)
    /// The time that the end of a run waits for all refreshes.
    private static let longestEnd = Duration.seconds(60)

    private var waiting: ArraySlice<AttemptRequest> = []
    /// The places of all waiting and running refreshes.
    private var places: Set<Place> = []
    private var running = 0
    /// The number of started refreshes.
    private var count = 0
    private var areOver = false
    /// When all refreshes are given up; nil before the run ends.
    private var limit: MonotonicTime?
    /// When refreshes are given up unless one ends before; nil before the run ends.
    private(set) var end: MonotonicTime?

    /// Whether no refresh waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Adds the refresh of a stale response that was used.
    ///
    /// - Parameter attempt: The request to repeat; its key is chosen later.
    mutating func add(_ attempt: AttemptRequest) {
        guard !areOver, places.insert(Place(attempt)).inserted else { return }
        waiting.append(attempt)
    }

    /// Takes the next refresh to start; nil without one.
    mutating func next() -> AttemptRequest? {
        guard running < Self.mostRunning, var attempt = waiting.popFirst() else { return nil }
        running += 1
        count += 1
        // Negative keys cannot clash with those of tasks on the same engine thread.
        attempt.key = -count
        attempt.purpose = .refresh
        return attempt
    }

    /// Notes that a started refresh has ended; the next use of the stale response adds another one.
    mutating func didEnd(_ attempt: AttemptRequest, at now: MonotonicTime) {
        places.remove(Place(attempt))
        running -= 1
        waitOn(from: now)
    }

    /// Notes that the run has ended except for its refreshes.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - limit: When all refreshes are given up; nil for the longest time that a run waits for
    ///     them.
    mutating func runEnds(at now: MonotonicTime, limit: MonotonicTime?) {
        guard self.limit == nil else { return }
        let latest = now + Self.longestEnd
        self.limit = limit.map { min($0, latest) } ?? latest
        waitOn(from: now)
    }

    /// Gives up all waiting refreshes and adds none from now on.
    mutating func giveUp() {
        areOver = true
        waiting = []
    }

    private mutating func waitOn(from now: MonotonicTime) {
        if let limit { end = min(now + Self.patience, limit) }
    }
}
