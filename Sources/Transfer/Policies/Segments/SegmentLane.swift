internal import TransferModel

/// A running request for a segment of a file.
struct SegmentLane: Sendable {
    /// A response without bytes for so long is silent.
    private static let patience = Duration.seconds(2)

    /// Identifies the request; never used again.
    let number: Int
    /// The position of its URL among the sources.
    let source: Int
    let start: Int64
    /// The offset of the next byte.
    private(set) var position: Int64
    /// The end of the wanted bytes, at most `responseEnd`.
    var end: Int64
    /// The end of the bytes that the server sends.
    private(set) var responseEnd: Int64
    /// Whether the response's head was accepted.
    private(set) var hasAnswered = false
    /// Whether bytes after `end` are wanted, too, because no response has shown yet that others
    /// bring them.
    var goesOn = false
    /// Whether the response has fewer bytes than were requested.
    private(set) var isShort = false
    private(set) var meter = SpeedMeter()
    private let requestTime: MonotonicTime
    private var moved: MonotonicTime

    init(_ number: Int, source: Int, range: Range<Int64>, at now: MonotonicTime) {
        self.number = number
        self.source = source
        start = range.lowerBound
        position = range.lowerBound
        end = range.upperBound
        responseEnd = range.upperBound
        requestTime = now
        moved = now
    }

    /// The bytes that are in the file.
    var received: Range<Int64> { start..<position }

    /// The end of the bytes that it brings, as far as that is known.
    var reach: Int64 { max(position, end) }

    /// Whether the server has more to send than is in the file.
    var isCut: Bool { position < responseEnd }

    /// The bytes that are still wanted.
    var wanted: Range<Int64> { position..<max(position, goesOn ? responseEnd : end) }

    /// Whether nothing has moved for so long that the rest is better fetched by others.
    func isSilent(at now: MonotonicTime) -> Bool { now - moved >= Self.patience }

    /// Notes that the server sends the bytes up to `end`; returns the time until then.
    mutating func didAnswer(upTo end: Int64, at now: MonotonicTime) -> Duration {
        hasAnswered = true
        moved = now
        isShort = end < responseEnd
        responseEnd = end
        self.end = min(self.end, end)
        return now - requestTime
    }

    /// Notes arrived bytes, the first of which are wanted.
    mutating func take(_ wanted: Int, of count: Int, at now: MonotonicTime) {
        position += Int64(wanted)
        moved = now
        meter.add(count, at: now)
    }
}

/// Measures the speed at which bytes arrive, over the last two seconds.
struct SpeedMeter: Sendable {
    /// The parts of the measured time, and the duration of one.
    private static let slotCount: Int64 = 8
    private static let slot: Int64 = 250_000_000
    /// The speed of fewer nanoseconds says little.
    private static let leastTime: Int64 = 200_000_000

    /// The bytes of each slot, by the slot's number modulo `slotCount`.
    private var counts = [Int64](repeating: 0, count: Int(slotCount))
    private var newest: Int64 = 0
    private var start: MonotonicTime?

    /// Notes that bytes arrived.
    mutating func add(_ count: Int, at now: MonotonicTime) {
        if start == nil {
            start = now
            newest = now.nanoseconds / Self.slot
        }
        advance(to: now)
        counts[index(of: newest)] += Int64(count)
    }

    /// Bytes per second; nil until bytes have arrived for a fifth of a second.
    func rate(at now: MonotonicTime) -> Double? {
        guard let start, (now - start).nanoseconds >= Self.leastTime else { return nil }
        var meter = self
        meter.advance(to: now)
        let windowStart = (meter.newest - Self.slotCount + 1) * Self.slot
        let time = now.nanoseconds - max(windowStart, start.nanoseconds)
        return Double(meter.counts.reduce(0, +)) * 1e9 / Double(max(time, 1))
    }

    /// Empties the slots that begin again.
    private mutating func advance(to now: MonotonicTime) {
        let present = now.nanoseconds / Self.slot
        guard present > newest else { return }
        for number in max(newest + 1, present - Self.slotCount + 1)...present {
            counts[index(of: number)] = 0
        }
        newest = present
    }

    private func index(of slot: Int64) -> Int { Int(slot % Self.slotCount) }
}
