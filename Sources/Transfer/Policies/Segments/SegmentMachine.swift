internal import TransferModel

/// Decides which connection fetches which bytes of a file, from one server or several.
///
/// A value without I/O and clock: the caller reports responses, bytes and ends. After a response,
/// an end and at `nextCheck` it carries out the steps until `step` returns nil. Each missing byte
/// is requested once, except bytes that a cut or slow request did not bring: other connections take
/// over the end of the request that would end last, in proportion to their speeds.
struct SegmentMachine: Sendable {
    /// The caller's next step.
    enum Step: Sendable, Hashable {
        /// Request these bytes from that source.
        case request(lane: Int, source: Int, range: Range<Int64>)
        /// End the request; its bytes are no longer wanted.
        case cancel(lane: Int)
        /// The machine has ended, and no request is running.
        case end(Outcome)
    }

    /// How the segments end.
    enum Outcome: Sendable, Hashable {
        /// Every byte has arrived.
        case complete
        /// No source sends the missing bytes as parts; the bytes that have arrived stay of use.
        case incomplete
    }

    /// A smaller piece is not worth a request of its own.
    static let leastPiece: Int64 = 256 << 10
    /// Boundaries are at multiples of this, so that two connections write to no common page.
    private static let alignment: Int64 = 4096
    /// A whole rest changes hands only when that saves so many seconds.
    private static let leastSaving = 0.25
    private static let checkInterval = Duration.milliseconds(100)

    /// The length of the file.
    let total: Int64
    private var sources: [SegmentSource]
    private var growth: SegmentGrowth
    private var lanes: [SegmentLane] = []
    /// The bytes of ended requests and of earlier attempts.
    private var ended: ByteRangeSet
    private var dismissed: [Int] = []
    private var outcome: Outcome?
    private var hasToldEnd = false
    private var nextNumber = 0
    /// When `step` was called last.
    private var stepTime = MonotonicTime(nanoseconds: 0)

    /// Creates a machine without requests.
    ///
    /// - Parameters:
    ///   - total: The length of the file.
    ///   - present: The bytes that earlier attempts left.
    ///   - sources: The task's own URL, then its mirrors.
    ///   - limit: The number of connections.
    init(
        total: Int64,
        present: ByteRangeSet = ByteRangeSet(),
        sources: [SegmentSource],
        _ limit: SegmentGrowth.Limit
    ) {
        self.total = total
        self.sources = sources
        growth = SegmentGrowth(limit)
        ended = present
    }

    /// The bytes that are in the file.
    var received: ByteRangeSet {
        var received = ended
        for lane in lanes { received.insert(lane.received) }
        return received
    }

    /// When `step` must be called again though nothing happened; nil when there is no such time.
    ///
    /// Counted from the last step: the caller may ask far more often than it steps.
    var nextCheck: MonotonicTime? {
        guard outcome == nil, lanes.count < growth.count || growth.isMeasuring else { return nil }
        return stepTime + Self.checkInterval
    }

    // MARK: - Events

    /// Adopts the running request for the whole file or its rest, whose response has begun.
    ///
    /// - Parameters:
    ///   - source: Its source.
    ///   - start: Where it begins.
    ///   - latency: The time until its first byte; nil when unknown.
    ///   - now: The current time.
    /// - Returns: Its number.
    mutating func adopt(
        source: Int,
        from start: Int64 = 0,
        after latency: Duration? = nil,
        at now: MonotonicTime
    ) -> Int {
        if let latency { sources[source].didRespond(after: latency) }
        var lane = SegmentLane(nextNumber, source: source, range: start..<total, at: now)
        _ = lane.didAnswer(upTo: total, at: now)
        // The others share the rest. Bytes of earlier attempts need no request.
        let limit = ended.ranges.first { $0.lowerBound > start }?.lowerBound ?? total
        let share = max(Self.leastPiece, (total - start) / Int64(growth.count))
        let end = Self.aligned(start + share)
        lane.end = limit - end < Self.leastPiece ? limit : end
        lane.goesOn = limit == total
        lanes.append(lane)
        nextNumber += 1
        return lane.number
    }

    /// Notes the head of a response.
    mutating func didAnswer(_ number: Int, _ answer: SegmentAnswer, at now: MonotonicTime) {
        guard let index = index(of: number) else { return }
        let source = lanes[index].source
        switch answer {
        case .part(let end):
            let latency = lanes[index].didAnswer(upTo: end, at: now)
            sources[source].didAnswer(after: latency)
            keepToShares(at: now)
        case .refusal:
            dismiss(index, at: now)
        case .unusable:
            dismiss(index, at: now)
            // Behind the name of a server that has sent parts, there may be another one.
            if !sources[source].hasSentPart { close(source, at: now) }
        }
    }

    /// Requests no more parts from a useless source; a response that has begun continues.
    private mutating func close(_ source: Int, at now: MonotonicTime) {
        sources[source].close()
        for index in lanes.indices.reversed()
        where lanes[index].source == source && !lanes[index].hasAnswered {
            dismiss(index, at: now)
        }
    }

    /// Notes that bytes arrived.
    ///
    /// - Returns: The number of bytes to write, at `offset(of:)` before the call. The caller ends
    ///   the request when they are fewer than arrived or `isSatisfied` follows.
    mutating func take(_ count: Int, of number: Int, at now: MonotonicTime) -> Int {
        let wanted = claim(count, for: number)
        guard let index = index(of: number), lanes[index].hasAnswered else { return 0 }
        lanes[index].take(wanted, of: count, at: now)
        return wanted
    }

    /// Claims bytes that arrive next for a request, also in the gap after its range.
    ///
    /// - Returns: The number of bytes that the file still needs from the request.
    mutating func claim(_ count: Int, for number: Int) -> Int {
        guard let index = index(of: number), lanes[index].hasAnswered else { return 0 }
        if lanes[index].wanted.length <= count, lanes[index].isCut { extend(into: gaps) }
        return Int(clamping: min(Int64(count), lanes[index].wanted.length))
    }

    /// The number of bytes before the first gap.
    var prefix: Int64 {
        guard let first = received.ranges.first, first.lowerBound == 0 else { return 0 }
        return first.upperBound
    }

    /// Whether the server has more to send than is wanted from it.
    func isCut(_ number: Int) -> Bool {
        index(of: number).map { lanes[$0].isCut } ?? true
    }

    /// Sets how many requests a source may have now; the newest of more than that are ended.
    mutating func permit(_ places: Int, at source: Int, _ now: MonotonicTime) {
        sources[source].places = max(1, places)
        while lanes.count(where: { $0.source == source }) > sources[source].places,
            let index = lanes.lastIndex(where: { $0.source == source })
        {
            dismiss(index, at: now)
        }
    }

    /// Ends all requests, because the file cannot be written.
    mutating func giveUp(at now: MonotonicTime) {
        if outcome == nil { end(.incomplete, at: now) }
    }

    /// Where the next byte of a request is written; nil for a request that is over.
    func offset(of number: Int) -> Int64? { index(of: number).map { lanes[$0].position } }

    /// Whether a source sends no parts of the file.
    func isClosed(_ source: Int) -> Bool { sources[source].isClosed }

    /// Whether a source has sent a part of the file.
    func hasSentPart(_ source: Int) -> Bool { sources[source].hasSentPart }

    /// The source of a request; nil for a request that is over.
    func source(of number: Int) -> Int? { index(of: number).map { lanes[$0].source } }

    /// Whether a request has brought all bytes that are wanted from it.
    func isSatisfied(_ number: Int) -> Bool {
        index(of: number).map { lanes[$0].wanted.isEmpty } ?? true
    }

    /// Notes the end of a request, whatever the reason.
    mutating func didEnd(_ number: Int, at now: MonotonicTime) {
        guard let index = index(of: number) else { return }
        remove(index, at: now)
    }

    // MARK: - Steps

    /// The next step.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - takesTurn: Takes the turn of a request under the limit of requests, if there is one now;
    ///     called only for a request that leaves then.
    /// - Returns: The step; nil when there is none now.
    mutating func step(at now: MonotonicTime, takesTurn: () -> Bool = { true }) -> Step? {
        stepTime = now
        if let number = dismissed.popLast() { return .cancel(lane: number) }
        if let outcome {
            defer { hasToldEnd = true }
            return hasToldEnd ? nil : .end(outcome)
        }
        let gaps = gaps
        if hasAll || gaps.isEmpty && lanes.allSatisfy({ $0.wanted.isEmpty }) {
            end(.complete, at: now)
            return step(at: now)
        }
        judgeGrowth(at: now)
        if let source = freeSource(at: now) {
            var next = self
            if let range = next.share(of: gaps) ?? next.takeOver(for: source, at: now) {
                guard takesTurn() else { return nil }
                self = next
                return request(range, source, at: now)
            }
        } else if !gaps.isEmpty {
            extend(into: gaps)
            if lanes.isEmpty {
                end(.incomplete, at: now)
                return step(at: now)
            }
        }
        return dismissed.popLast().map { .cancel(lane: $0) }
    }

    private mutating func request(
        _ range: Range<Int64>,
        _ source: Int,
        at now: MonotonicTime
    ) -> Step {
        let lane = SegmentLane(nextNumber, source: source, range: range, at: now)
        nextNumber += 1
        lanes.append(lane)
        return .request(lane: lane.number, source: source, range: range)
    }

    /// Whether every byte has arrived, some perhaps before the request for them was answered.
    private var hasAll: Bool { received.missing(in: 0..<total).isEmpty }

    /// Lets no request go on into the share of another one, because the server has sent a part.
    private mutating func keepToShares(at now: MonotonicTime) {
        for index in lanes.indices.reversed() where lanes[index].goesOn {
            lanes[index].goesOn = false
            if lanes[index].wanted.isEmpty { extend(into: gaps) }
            if lanes[index].wanted.isEmpty { dismiss(index, at: now) }
        }
    }

    /// The bytes that no running request brings.
    private var gaps: [Range<Int64>] {
        var planned = ended
        for lane in lanes { planned.insert(lane.start..<lane.reach) }
        return planned.missing(in: 0..<total)
    }

    /// The piece of the gaps for one more request; nil when there is no gap.
    private func share(of gaps: [Range<Int64>]) -> Range<Int64>? {
        guard let largest = gaps.max(by: { $0.length < $1.length }) else { return nil }
        let sum = gaps.reduce(0) { $0 + $1.length }
        let most = sources.reduce(0) { $0 + ($1.isClosed ? 0 : min($1.limit, growth.count)) }
        let free = Int64(max(1, min(growth.count, most) - lanes.count))
        let share = Self.aligned(max(Self.leastPiece, (sum - 1) / free + 1))
        guard largest.length - share >= Self.leastPiece else { return largest }
        return largest.lowerBound..<(largest.lowerBound + share)
    }

    /// The source for one more request; nil when no connection is free.
    private func freeSource(at now: MonotonicTime) -> Int? {
        guard lanes.count < growth.count else { return nil }
        var best: (source: Int, running: Int, rate: Double)?
        for source in sources.indices where !sources[source].isClosed {
            let running = lanes.count { $0.source == source }
            guard running < sources[source].limit else { continue }
            let rate = rate(of: source, at: now) ?? 0
            guard let other = best else {
                best = (source, running, rate)
                continue
            }
            // A server without a connection adds its speed to that of the others.
            let isBetter =
                if (running == 0) != (other.running == 0) {
                    running == 0
                } else if rate > 0, other.rate > 0 {
                    rate > other.rate
                } else {
                    running < other.running
                }
            if isBetter { best = (source, running, rate) }
        }
        return best?.source
    }

    /// Lets a running request go on into a gap after it, if its response has those bytes: it needs
    /// no other request.
    private mutating func extend(into gaps: [Range<Int64>]) {
        for gap in gaps {
            for index in lanes.indices
            where lanes[index].hasAnswered && lanes[index].reach == gap.lowerBound
                && lanes[index].responseEnd > gap.lowerBound
            {
                lanes[index].end = min(gap.upperBound, lanes[index].responseEnd)
            }
        }
    }

    // MARK: - Taking over

    /// The expected speed of a request to a source, bytes per second; nil when unknown.
    private func rate(of source: Int, at now: MonotonicTime) -> Double? {
        let rates = lanes.lazy.filter { $0.source == source }.compactMap { $0.meter.rate(at: now) }
        let (sum, count) = rates.reduce((0.0, 0)) { ($0.0 + $1, $0.1 + 1) }
        return count > 0 ? sum / Double(count) : sources[source].rate
    }

    /// The end of the request that would end last, for a connection to that source; nil when that
    /// would not make the file complete earlier.
    private mutating func takeOver(for source: Int, at now: MonotonicTime) -> Range<Int64>? {
        let known = rate(of: source, at: now)
        var last: (index: Int, rate: Double, time: Double)?
        for index in lanes.indices where !lanes[index].wanted.isEmpty {
            let lane = lanes[index]
            let isSilent = lane.isSilent(at: now)
            let rate =
                isSilent
                ? 0 : lane.meter.rate(at: now) ?? self.rate(of: lane.source, at: now) ?? known ?? 1
            let time = rate > 0 ? Double(lane.wanted.length) / rate : .infinity
            if last.map({ time > $0.time }) ?? true { last = (index, rate, time) }
        }
        guard let last else { return nil }
        let lane = lanes[last.index]
        let rest = Double(lane.wanted.length)
        let ownRate = max(known ?? last.rate, 1)
        let latency = sources[source].latency
        // Both end at the same time: latency + share / ownRate = (rest - share) / rate.
        let share = (rest - latency * last.rate) * ownRate / (ownRate + last.rate)
        let count = share < rest ? Int64(max(0, share)) : lane.wanted.length
        let middle = Self.aligned(lane.end - count)
        if middle - lane.position >= Self.leastPiece / 4, lane.end - middle >= Self.leastPiece {
            lanes[last.index].end = middle
            return middle..<lane.end
        }
        let saving = last.time - latency - rest / ownRate
        guard saving >= Self.leastSaving, saving >= latency, known != nil || last.rate == 0,
            lane.isSilent(at: now) || lane.meter.rate(at: now) != nil
        else { return nil }
        let range = lane.wanted
        dismiss(last.index, at: now)
        // A silent server would get the next piece, and hold it up again.
        if lane.isSilent(at: now), lane.source != source,
            !lanes.contains(where: { $0.source == lane.source })
        {
            sources[lane.source].close()
        }
        return range
    }

    private mutating func judgeGrowth(at now: MonotonicTime) {
        guard growth.isMeasuring, lanes.allSatisfy({ $0.meter.rate(at: now) != nil })
        else { return }
        let received = received.count
        growth.judge(
            received: received,
            remaining: total - received,
            running: lanes.count,
            latency: lanes.map { sources[$0.source].latency }.max() ?? 0,
            at: now
        )
    }

    // MARK: - Ends

    /// Ends all requests, and then the machine.
    private mutating func end(_ outcome: Outcome, at now: MonotonicTime) {
        self.outcome = outcome
        while !lanes.isEmpty { dismiss(lanes.count - 1, at: now) }
    }

    private mutating func dismiss(_ index: Int, at now: MonotonicTime) {
        dismissed.append(lanes[index].number)
        remove(index, at: now)
    }

    private mutating func remove(_ index: Int, at now: MonotonicTime) {
        let lane = lanes.remove(at: index)
        ended.insert(lane.received)
        sources[lane.source].didEnd(
            rate: lane.meter.rate(at: now),
            received: lane.received.length,
            isWhole: lane.wanted.isEmpty && !lane.isShort,
            others: lanes.count { $0.source == lane.source }
        )
    }

    private func index(of number: Int) -> Int? { lanes.firstIndex { $0.number == number } }

    private static func aligned(_ offset: Int64) -> Int64 { offset / alignment * alignment }
}

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
