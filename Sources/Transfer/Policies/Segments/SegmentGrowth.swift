internal import TransferModel

/// Decides over how many connections a file is fetched at once.
struct SegmentGrowth: Sendable {
    /// The number of connections that the job asks for.
    enum Limit: Sendable, Hashable {
        /// Always as many, while there is enough to fetch; at most `mostFixed`.
        case fixed(Int)
        /// As many as make the file arrive faster.
        case measured
    }

    /// The most connections of one file.
    static let mostFixed = 256
    /// The most connections without a number in the job.
    private static let mostMeasured = 16
    /// The factor by which the number grows, and by which the speed must grow with it.
    private static let factor = 4
    private static let leastGain = 1.5
    /// More connections must have this long to pay, seconds.
    private static let leastTime = 3.0
    private static let measuredTime = Duration.seconds(2)

    /// The number of connections that should be in use now.
    private(set) var count: Int
    private var isSettled: Bool
    /// The speed with fewer connections, bytes per second; nil before the first change.
    private var previousRate: Double?
    private var since: MonotonicTime?

    init(_ limit: Limit) {
        switch limit {
        case .fixed(let count):
            self.count = min(max(1, count), Self.mostFixed)
            isSettled = true
        case .measured:
            count = 1
            isSettled = false
        }
    }

    /// Whether the number may still change.
    var isMeasuring: Bool { !isSettled }

    /// Judges the number of connections by the speed of all of them.
    ///
    /// - Parameters:
    ///   - rate: The sum of their speeds, bytes per second; nil until all are known.
    ///   - running: The number of running requests.
    ///   - remaining: The number of missing bytes.
    ///   - now: The current time.
    mutating func judge(rate: Double?, running: Int, remaining: Int64, at now: MonotonicTime) {
        guard !isSettled, running > 0 else { return }
        guard let start = since else { return since = now }
        guard let rate, rate > 0, now - start >= Self.measuredTime else { return }
        // A server that accepts fewer connections has answered the question, too.
        let hasGained = previousRate.map { rate >= $0 * Self.leastGain } ?? true
        guard hasGained, running >= count, count < Self.mostMeasured else {
            isSettled = true
            return
        }
        guard Double(remaining) / rate >= Self.leastTime else { return }
        previousRate = rate
        count = min(Self.mostMeasured, count * Self.factor)
        since = now
    }
}
