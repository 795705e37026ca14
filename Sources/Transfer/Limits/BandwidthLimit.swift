internal import CurlKit
internal import SystemKit
internal import TransferModel

/// The limits of a session's bytes in both directions, which all engine threads share.
final class BandwidthLimit: Sendable {
    enum Direction: Hashable, CaseIterable {
        case down
        case up
    }

    fileprivate struct State {
        var down: ByteBucket
        var up: ByteBucket
        /// When the time of day is read again.
        var nextReading: MonotonicTime
    }

    /// The time between two readings of the wall clock, which may be set at any time.
    private static let readingInterval = Duration.seconds(5)
    /// A transfer's share of a second's bytes: short enough that the others notice no wait, and
    /// long enough that a thread that wakes for it has work to do.
    private static let partsPerSecond: Int64 = 8
    private static let smallestPart = 16 << 10
    private static let largestPart = 2 * EasyRequest.largestReceiveBuffer

    private let limits: SessionLimits
    private let state: Lock<State>
    /// The minute of the local day.
    private let minuteOfDay: @Sendable () -> Int

    /// nil when no time of day has a limit.
    init?(
        _ limits: SessionLimits,
        now: MonotonicTime = .now,
        minuteOfDay: @escaping @Sendable () -> Int = { LocalTime.minuteOfDay }
    ) {
        guard limits.limitsBandwidth else { return nil }
        self.limits = limits
        self.minuteOfDay = minuteOfDay
        let rates = limits.rates(atMinute: limits.timetable.isEmpty ? 0 : minuteOfDay())
        state = Lock(
            State(
                down: ByteBucket(rate: rates.down?.rate, now: now),
                up: ByteBucket(rate: rates.up?.rate, now: now),
                nextReading: now + Self.readingInterval
            )
        )
    }

    /// Whether sent bytes have a limit at any time of day.
    var limitsUploads: Bool { limits.limitsUploads }

    /// When the rates may change; nil for never.
    func nextChange() -> MonotonicTime? {
        limits.timetable.isEmpty ? nil : state.withLock { $0.nextReading }
    }

    /// The bytes that a transfer moves before others have their turn.
    func part(_ direction: Direction) -> Int {
        let rate = state.withLock { $0[direction].rate }
        guard let rate else { return Self.largestPart }
        let part = Int(min(rate, 1e15)) / Int(Self.partsPerSecond)
        return min(max(part, Self.smallestPart), Self.largestPart)
    }

    /// Spends bytes and returns whether the transfer may move more at once.
    func spend(_ count: Int, _ direction: Direction, now: MonotonicTime) -> Bool {
        with(direction, now) { bucket in
            bucket.spend(count)
            return !bucket.isInDebt
        }
    }

    /// Takes back bytes that were reserved and not spent.
    func giveBack(_ count: Int, _ direction: Direction) {
        state.withLock { $0[direction].giveBack(count) }
    }

    /// Reserves bytes while the limit is exceeded; nil when they may flow at once, unreserved.
    func reserve(_ count: Int, _ direction: Direction, now: MonotonicTime) -> Double? {
        with(direction, now) { $0.isInDebt ? $0.reserve(count) : nil }
    }

    /// When reserved bytes may flow.
    func time(of place: Double, _ direction: Direction, now: MonotonicTime) -> MonotonicTime {
        with(direction, now) { $0.hasGranted(place) ? now : $0.time(of: place, now: now) }
    }

    private func with<Result>(
        _ direction: Direction,
        _ now: MonotonicTime,
        _ body: (inout ByteBucket) -> sending Result
    ) -> sending Result {
        state.withLock { state in
            if !limits.timetable.isEmpty, now >= state.nextReading { read(&state, now) }
            state[direction].refill(now)
            return body(&state[direction])
        }
    }

    /// Takes the rates of the present time of day.
    private func read(_ state: inout State, _ now: MonotonicTime) {
        state.nextReading = now + Self.readingInterval
        let rates = limits.rates(atMinute: minuteOfDay())
        state.down.change(to: rates.down?.rate, now: now)
        state.up.change(to: rates.up?.rate, now: now)
    }
}

extension BandwidthLimit.State {
    subscript(direction: BandwidthLimit.Direction) -> ByteBucket {
        get { direction == .down ? down : up }
        set { if direction == .down { down = newValue } else { up = newValue } }
    }
}
