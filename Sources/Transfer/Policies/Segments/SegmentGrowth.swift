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
    /// The speed is measured for twenty times the time until a first byte, within these bounds: TCP
    /// needs some round trips to become fast.
    private static let measuredTime = 0.5...2.0

    /// The number of connections that should be in use now.
    private(set) var count: Int
    private var isSettled: Bool
    /// The speed with fewer connections, bytes per second; nil before the first change.
    private var previousRate: Double?
    /// When all connections had begun to send, and the bytes that were there then.
    private var since: (time: MonotonicTime, received: Int64)?

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

    /// Judges the number of connections by the bytes that they have brought since all of them send.
    ///
    /// - Parameters:
    ///   - received: The number of bytes that are there.
    ///   - remaining: The number of missing bytes.
    ///   - running: The number of running requests, all of which send.
    ///   - latency: The longest time until the first byte of a response, seconds.
    ///   - now: The current time.
    mutating func judge(
        received: Int64,
        remaining: Int64,
        running: Int,
        latency: Double,
        at now: MonotonicTime
    ) {
        guard !isSettled, running > 0 else { return }
        guard let start = since else { return since = (now, received) }
        let bounds = Self.measuredTime
        let seconds = Double((now - start.time).nanoseconds) / 1e9
        guard seconds >= max(bounds.lowerBound, min(bounds.upperBound, 20 * latency)),
            received > start.received
        else { return }
        let rate = Double(received - start.received) / seconds
        // A server that accepts fewer connections has answered the question, too.
        let hasGained = previousRate.map { rate >= $0 * Self.leastGain } ?? true
        guard hasGained, running >= count, count < Self.mostMeasured else {
            isSettled = true
            return
        }
        guard Double(remaining) / rate >= Self.leastTime else { return }
        previousRate = rate
        count = min(Self.mostMeasured, count * Self.factor)
        since = nil
    }
}
