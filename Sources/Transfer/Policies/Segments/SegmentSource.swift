internal import TransferModel

/// A URL from which segments of a file are fetched, and its record so far.
struct SegmentSource: Sendable {
    /// A request that brought fewer bytes than this brought nothing.
    private static let leastProgress: Int64 = 64 << 10
    private static let mostFailures = 2
    /// The assumed time until the first byte, seconds, before one has arrived.
    private static let assumedLatency = 0.1

    /// The most connections that the server takes; falls when it refuses more.
    private var most: Int
    /// The connections that are free for it now.
    var places = Int.max
    /// The most connections at once.
    var limit: Int { min(most, places) }
    /// Whether it has sent a part.
    private(set) var hasSentPart = false
    /// Whether no more requests are made.
    private(set) var isClosed = false
    /// The speed of the last request, bytes per second; nil before one is known.
    private(set) var rate: Double?
    /// The time until the first byte of a response, seconds.
    private(set) var latency = assumedLatency
    private var failures = 0

    init(limit: Int) {
        most = max(1, limit)
    }

    /// Makes no more requests.
    mutating func close() { isClosed = true }

    /// Notes the time until a part began.
    mutating func didAnswer(after time: Duration) {
        hasSentPart = true
        didRespond(after: time)
    }

    /// Notes the time until a response began.
    mutating func didRespond(after time: Duration) { latency = Double(time.nanoseconds) / 1e9 }

    /// Notes the end of a request.
    ///
    /// - Parameters:
    ///   - rate: The speed of its response, bytes per second; nil when unknown.
    ///   - received: The number of its bytes.
    ///   - isWhole: Whether it brought all bytes that were still wanted from it.
    ///   - others: The number of running requests that remain.
    mutating func didEnd(rate: Double?, received: Int64, isWhole: Bool, others: Int) {
        if let rate { self.rate = rate }
        guard !isWhole, received < Self.leastProgress else { return failures = 0 }
        guard others == 0 else { return most = min(most, others) }
        failures += 1
        if failures >= Self.mostFailures { isClosed = true }
    }
}
