internal import HTTPCache
internal import TransferModel

/// Collapses concurrent requests for one URL: one is sent, and the others wait for its response,
/// which may answer them from the cache (RFC 9111 §4).
///
/// A URL whose response could not answer the others is not waited for again. A request that begins
/// after an unsafe request has ended does not wait for a request sent before.
struct RequestCollapsing {
    private struct Place: Hashable {
        var session: Int
        var url: String
    }

    /// An attempt that others wait for, and its time limits.
    private struct Leader {
        var key: Int
        var timeoutInterval: Duration?
        var deadline: MonotonicTime?

        /// Whether its limits end no later than those of an attempt that would wait for it.
        func ends(within attempt: borrowing AttemptRequest) -> Bool {
            isWithin(timeoutInterval, attempt.timeoutInterval?.duration)
                && isWithin(deadline, attempt.deadline)
        }

        private func isWithin<Limit: Comparable>(_ limit: Limit?, _ other: Limit?) -> Bool {
            guard let other else { return true }
            return limit.map { $0 <= other } ?? false
        }
    }

    /// Whether each session has a cache.
    private let hasCache: [Bool]
    /// Whether any request may wait for another; otherwise callers can skip the question.
    let isUsed: Bool
    /// The attempt that others wait for, by place.
    private var leaders: [Place: Leader] = [:]
    /// The places of those attempts, and of others that were waited for, by key.
    private var places: [Int: Place] = [:]
    /// The waiting attempts, by the key of the attempt they wait for.
    private var followers: [Int: [AttemptRequest]] = [:]
    /// The places where waiting was useless; only places that several attempts requested at once.
    private var unshared: Set<Place> = []

    /// - Parameter hasCache: Whether each session has a cache.
    init(hasCache: [Bool]) {
        self.hasCache = hasCache
        isUsed = hasCache.contains(true)
    }

    /// Whether an attempt must wait; otherwise others may wait for it from now on.
    mutating func holds(_ attempt: borrowing AttemptRequest) -> Bool {
        guard hasCache.indices.contains(attempt.session), hasCache[attempt.session],
            attempt.cachePolicy == .useProtocolCachePolicy
                || attempt.cachePolicy == .returnCacheDataElseLoad,
            attempt.request.method == "GET", !attempt.request.url.isOfFileServer,
            attempt.partial == nil, !attempt.ignoresStored
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
            timeoutInterval: attempt.timeoutInterval?.duration,
            deadline: attempt.deadline
        )
        places[attempt.key] = place
        return false
    }

    /// Ends an attempt; returns the attempts that waited for it and can start.
    mutating func end(_ result: AttemptResult) -> [AttemptRequest] {
        if !leaders.isEmpty, result.hasOrder { leaders = [:] }
        guard let place = places.removeValue(forKey: result.key) else { return [] }
        if leaders[place]?.key == result.key { leaders[place] = nil }
        guard let waiting = followers.removeValue(forKey: result.key) else { return [] }
        if result.cache?.answersOthers != true { unshared.insert(place) }
        return waiting
    }

    /// Takes the waiting attempts with those keys, which are to be cancelled; ignores all other
    /// keys.
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

    /// Lets no attempt wait any longer; returns the attempts that waited.
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
    /// Whether the attempt may have changed something at an origin.
    fileprivate var hasOrder: Bool {
        // By index: a record is large, and iteration would copy it.
        transactions.indices.contains { !RequestSpec.isSafe(transactions[$0].request.method) }
    }
}

extension CacheVerdict {
    /// Whether the cache can answer others: the response is stored, or was not stored only this
    /// time.
    fileprivate var answersOthers: Bool {
        switch storing {
        case .stored, .updated, .outdated: true
        case nil: outcome == .hit || outcome == .stale || outcome == .revalidated
        default: false
        }
    }
}
