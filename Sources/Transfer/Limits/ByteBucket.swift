internal import TransferModel

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

    /// Reserves bytes behind all spent or reserved bytes; returns the sum that must be granted
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
