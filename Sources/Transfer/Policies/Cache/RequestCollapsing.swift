internal import HTTPCache
internal import TransferModel

/// Requests for one URL at the same time: one asks, and the others wait for what it brings, which
/// may answer them from the cache (RFC 9111 §4).
///
/// A URL whose response has answered nobody else is not waited for again. Who begins when an order
/// has ended waits for nobody who has asked before.
struct RequestCollapsing {
    private struct Place: Hashable {
        var session: Int
        var url: String
    }

    /// An attempt that asks, and for how long at most.
    private struct Leader {
        var key: Int
        var timeoutInterval: Duration?
        var deadline: MonotonicTime?

        /// Whether an attempt that waits for it waits no longer than its own limits are.
        func ends(within attempt: borrowing AttemptRequest) -> Bool {
            isWithin(timeoutInterval, attempt.timeoutInterval)
                && isWithin(deadline, attempt.deadline)
        }

        private func isWithin<Limit: Comparable>(_ limit: Limit?, _ other: Limit?) -> Bool {
            guard let other else { return true }
            return limit.map { $0 <= other } ?? false
        }
    }

    /// Of each session, whether it has a cache.
    private let hasCache: [Bool]
    /// Whether a request may ever wait for another one: otherwise nobody has to ask.
    let isUsed: Bool
    /// The attempt that asks for each URL and is waited for.
    private var leaders: [Place: Leader] = [:]
    /// What each of those asks for, and of others that were waited for.
    private var places: [Int: Place] = [:]
    /// Those that wait, by the key of the one that asks.
    private var followers: [Int: [AttemptRequest]] = [:]
    /// Where waiting was of no use; only URLs that several attempts have asked for at once.
    private var unshared: Set<Place> = []

    /// - Parameter hasCache: Of each session, whether it has a cache.
    init(hasCache: [Bool]) {
        self.hasCache = hasCache
        isUsed = hasCache.contains(true)
    }

    /// Whether an attempt has to wait; otherwise others may wait for it from now on.
    mutating func holds(_ attempt: borrowing AttemptRequest) -> Bool {
        guard hasCache.indices.contains(attempt.session), hasCache[attempt.session],
            attempt.cachePolicy == .useProtocolCachePolicy
                || attempt.cachePolicy == .returnCacheDataElseLoad,
            attempt.request.method == "GET", attempt.partial == nil, !attempt.ignoresStored
        else { return false }
        let place = Place(session: attempt.session, url: attempt.request.url.text)
        if let leader = leaders[place] {
            guard leader.ends(within: attempt) else { return false }
            followers[leader.key, default: []].append(copy attempt)
            return true
        }
        if unshared.contains(place) { return false }
        leaders[place] = Leader(
            key: attempt.key,
            timeoutInterval: attempt.timeoutInterval,
            deadline: attempt.deadline
        )
        places[attempt.key] = place
        return false
    }

    /// Ends an attempt; returns those that waited for it and go on.
    mutating func end(_ result: AttemptResult) -> [AttemptRequest] {
        if !leaders.isEmpty, result.hasOrder { leaders = [:] }
        guard let place = places.removeValue(forKey: result.key) else { return [] }
        if leaders[place]?.key == result.key { leaders[place] = nil }
        guard let waiting = followers.removeValue(forKey: result.key) else { return [] }
        if result.cache?.answersOthers != true { unshared.insert(place) }
        return waiting
    }

    /// Takes those out that wait and are to be cancelled; the other keys are of nobody who waits.
    mutating func withdraw(_ keys: [Int]) -> [AttemptRequest] {
        guard !followers.isEmpty else { return [] }
        let keys = Set(keys)
        var withdrawn: [AttemptRequest] = []
        for (leader, waiting) in followers {
            withdrawn += waiting.filter { keys.contains($0.key) }
            followers[leader] = waiting.filter { !keys.contains($0.key) }
        }
        return withdrawn
    }

    /// Nobody waits any more.
    mutating func endAll() -> [AttemptRequest] {
        defer {
            leaders = [:]
            places = [:]
            followers = [:]
        }
        return followers.values.flatMap(\.self)
    }
}

extension AttemptResult {
    /// Whether it may have changed something at an origin.
    fileprivate var hasOrder: Bool {
        // By position: a record is large, and would be copied.
        transactions.indices.contains { !RequestSpec.isSafe(transactions[$0].request.method) }
    }
}

extension CacheVerdict {
    /// Whether the response is in the cache now, or was kept from it this once only.
    fileprivate var answersOthers: Bool {
        switch storing {
        case .stored, .updated, .outdated: true
        case nil: outcome == .hit || outcome == .stale || outcome == .revalidated
        default: false
        }
    }
}
