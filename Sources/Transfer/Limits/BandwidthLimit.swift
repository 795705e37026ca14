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

/// A token bucket whose tokens are bytes: time grants them at a rate, transfers spend them.
///
/// It is a value without a clock, so times are passed in. A transfer may spend more than was
/// granted, because libcurl delivers whatever it has read; the others then wait until that debt is
/// repaid. Both sums only grow, so that a place in the queue is simply the sum that must be granted
/// first: it stays right when the rate changes and when bytes are given back.
struct ByteBucket {
    /// The share of a second for which unspent bytes are kept.
    private static let burst = 0.1

    /// Bytes per second; nil for no limit.
    private(set) var rate: Double?
    /// The bytes granted since the start.
    private(set) var granted = 0.0
    /// The bytes spent or reserved since the start.
    private(set) var spent = 0.0
    private var time: MonotonicTime

    init(rate: Int64?, now: MonotonicTime) {
        self.rate = rate.map { Double($0) }
        time = now
    }

    /// Whether transfers have spent more than was granted.
    var isInDebt: Bool { rate != nil && spent > granted }

    /// Changes the rate from now on.
    mutating func change(to rate: Int64?, now: MonotonicTime) {
        refill(now)
        self.rate = rate.map { Double($0) }
    }

    /// Grants the bytes of the time since the last call.
    mutating func refill(_ now: MonotonicTime) {
        guard now > time else { return }
        let seconds = Double(now.nanoseconds - time.nanoseconds) / 1e9
        time = now
        guard let rate else {
            granted = max(granted, spent)
            return
        }
        granted = min(granted + rate * seconds, max(granted, spent + rate * Self.burst))
    }

    /// Spends bytes, whether or not they were granted.
    mutating func spend(_ count: Int) { spent += Double(count) }

    /// Takes back bytes that were reserved and not spent, by granting them once more.
    ///
    /// A smaller sum of spent bytes would leave places beyond all bytes that time ever grants.
    mutating func giveBack(_ count: Int) { granted += Double(count) }

    /// Reserves bytes after all spent or reserved bytes; returns the sum that must be granted
    /// before they may flow.
    mutating func reserve(_ count: Int) -> Double {
        defer { spent += Double(count) }
        return spent
    }

    /// Whether so much was granted.
    func hasGranted(_ sum: Double) -> Bool { rate == nil || granted >= sum }

    /// When so much will have been granted.
    func time(of sum: Double, now: MonotonicTime) -> MonotonicTime {
        guard let rate, sum > granted else { return now }
        // One nanosecond more, so that rounding does not wake a thread too early.
        let nanoseconds = min((sum - granted) / rate * 1e9 + 1, 1e18)
        return now + .nanoseconds(Int64(nanoseconds))
    }
}
