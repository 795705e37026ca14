internal import TransferModel

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
