internal import TransferModel

/// The transfers of one session on one engine thread that wait for bandwidth.
final class SessionPacer {
    private struct Waiter {
        var key: Int
        var place: Double
        var direction: BandwidthLimit.Direction
    }

    let limit: BandwidthLimit
    private var waiters: [Waiter] = []
    /// When `takeDue` has something to do; the largest time without waiters.
    private(set) var nextTime = MonotonicTime(nanoseconds: .max)
    /// The end of the last wait.
    private var lastEnd: MonotonicTime?

    init(_ limit: BandwidthLimit) { self.limit = limit }

    /// Adds an attempt that continues when so much was granted.
    func add(
        _ key: Int,
        _ place: Double,
        _ direction: BandwidthLimit.Direction,
        _ now: MonotonicTime
    ) {
        waiters.append(Waiter(key: key, place: place, direction: direction))
        nextTime = min(nextTime, time(of: waiters[waiters.count - 1], now))
        // Another rate may let the attempt continue earlier.
        if let change = limit.nextChange() { nextTime = min(nextTime, change) }
    }

    /// Takes out the attempts whose turn has come, in the order of their turns.
    func takeDue(_ now: MonotonicTime) -> [Int] {
        guard now >= nextTime else { return [] }
        var due: [Waiter] = []
        var later: [Waiter] = []
        let times = waiters.map { time(of: $0, now) }
        // After the times were asked for, because that takes the rate of the present time of day.
        nextTime = limit.nextChange() ?? MonotonicTime(nanoseconds: .max)
        for (waiter, time) in zip(waiters, times) {
            if time <= now {
                due.append(waiter)
            } else {
                later.append(waiter)
                nextTime = min(nextTime, time)
            }
        }
        waiters = later
        if later.isEmpty { nextTime = MonotonicTime(nanoseconds: .max) }
        if !due.isEmpty { lastEnd = now }
        return due.sorted { $0.place < $1.place }.map(\.key)
    }

    /// The last time at which a transfer waited: others on its connection may have been silent
    /// for that reason.
    func lastWait(_ now: MonotonicTime) -> MonotonicTime? { waiters.isEmpty ? lastEnd : now }

    private func time(of waiter: Waiter, _ now: MonotonicTime) -> MonotonicTime {
        limit.time(of: waiter.place, waiter.direction, now: now)
    }
}
