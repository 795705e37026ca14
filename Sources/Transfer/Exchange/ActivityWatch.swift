internal import CurlKit
internal import TransferModel

/// Detects transfers that are idle too long, too slow or out of time.
///
/// It is a value without a clock, so times are passed in. `nextCheck` is a lower bound, so that
/// most transfers need no check. After a quarter of the idle limit, the kernel is asked about
/// progress that libcurl does not report.
struct ActivityWatch {
    /// Why a transfer must end.
    enum Verdict: Hashable {
        case idle
        case stalled
        case deadline
    }

    private var idleLimit: Duration?
    private var minimumRate: MinimumRate?
    private let deadline: MonotonicTime?
    private var lastActivity: MonotonicTime
    /// The time of the last look at the kernel, and the acknowledged bytes then.
    private var lastLook: (time: MonotonicTime, acknowledgedBytes: UInt64)?
    /// Since when the runner itself has paused the transfer; nil while it has not.
    private var pauseStart: MonotonicTime?
    /// Whether libcurl has not started yet: waiting for a connection does not count as idle.
    private var isWaiting = true
    /// The bytes in both directions since the start.
    private var bytes: Int64 = 0
    /// The byte counts after each quarter of the rate's window, oldest first.
    private var samples: [(time: MonotonicTime, bytes: Int64)] = []

    init(
        idleLimit: Duration?,
        minimumRate: MinimumRate?,
        deadline: MonotonicTime?,
        now: MonotonicTime
    ) {
        self.idleLimit = idleLimit
        self.minimumRate = minimumRate
        self.deadline = deadline
        lastActivity = now
        if minimumRate != nil { samples = [(now, 0)] }
    }

    /// Another exchange was passed to libcurl.
    mutating func willBegin(at now: MonotonicTime) {
        lastActivity = now
        isWaiting = true
    }

    /// libcurl has started the exchange.
    mutating func didBegin(at now: MonotonicTime) {
        lastActivity = now
        if isWaiting, minimumRate != nil { samples = [(now, bytes)] }
        isWaiting = false
    }

    /// From now on only the deadline ends the exchange.
    mutating func keepOnlyDeadline() { (idleLimit, minimumRate) = (nil, nil) }

    /// Records progress of the exchange, with its payload bytes.
    mutating func didMove(bytes count: Int, at now: MonotonicTime) {
        lastActivity = now
        bytes += Int64(count)
    }

    /// The runner pauses the transfer, which then has only its deadline.
    mutating func pause(at now: MonotonicTime) { pauseStart = pauseStart ?? now }

    /// The runner lets the transfer continue; the pause counts neither as silence nor as slowness.
    mutating func resume(at now: MonotonicTime) {
        guard let start = pauseStart else { return }
        pauseStart = nil
        lastActivity = max(lastActivity, now)
        for index in samples.indices {
            samples[index].time = samples[index].time + (now - start)
        }
    }

    /// Forgives silence up to a time at which the peer could not send.
    mutating func excuse(until time: MonotonicTime) { lastActivity = max(lastActivity, time) }

    /// How long the transfer may be silent from now on; nil for no limit.
    func patience(at now: MonotonicTime) -> Duration? {
        let left = deadline.map { max(.zero, $0 - now) }
        guard let left, let idleLimit else { return left ?? idleLimit }
        return min(left, idleLimit)
    }

    /// The latest time for the next check.
    var nextCheck: MonotonicTime {
        var next = MonotonicTime(nanoseconds: .max)
        if pauseStart != nil { return deadline ?? next }
        if let idleLimit { next = min(next, nextLook(idleLimit)) }
        if let deadline { next = min(next, deadline) }
        if let minimumRate, let newest = samples.last {
            let sampled = isWaiting ? max(newest.time, lastActivity) : newest.time
            next = min(next, sampled + minimumRate.over / 4)
        }
        return next
    }

    /// The time of the next look at the kernel, four times within the idle limit.
    private func nextLook(_ idleLimit: Duration) -> MonotonicTime {
        let last = max(lastActivity, lastLook?.time ?? lastActivity)
        // Use nanoseconds: dividing a `Duration` is a slow 128-bit division.
        let interval = Duration.nanoseconds(idleLimit.nanoseconds / 4)
        return min(last + interval, lastActivity + idleLimit)
    }

    /// Records the kernel's progress.
    private mutating func look(at progress: SocketProgress?, _ now: MonotonicTime) {
        let last = lastLook.flatMap { $0.time >= lastActivity ? $0 : nil }
        lastLook = (now, progress?.acknowledgedBytes ?? 0)
        guard let progress else { return }
        func move(_ age: Duration) {
            let time = now + (.zero - age)
            if time > lastActivity { lastActivity = time }
        }
        move(progress.sinceReceived)
        if let last {
            if progress.acknowledgedBytes > last.acknowledgedBytes { move(.zero) }
        } else {
            // The bytes acknowledged at the start of the silence are unknown.
            move(progress.sinceAcknowledged)
        }
    }

    /// Checks the transfer.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - progress: The kernel's progress of the connection, called only if needed; nil if it does
    ///     not apply to this transfer alone.
    /// - Returns: Why the transfer must end; nil if it may continue.
    mutating func check(
        at now: MonotonicTime,
        progress: () -> SocketProgress? = { nil }
    ) -> Verdict? {
        if let deadline, now >= deadline { return .deadline }
        if pauseStart != nil { return nil }
        if isWaiting {
            willBegin(at: now)
            return nil
        }
        if let idleLimit, now >= nextLook(idleLimit) {
            look(at: progress(), now)
            if now >= lastActivity + idleLimit { return .idle }
        }
        guard let minimumRate else { return nil }
        return checkRate(minimumRate, at: now) ? nil : .stalled
    }

    /// Whether the last window reached the rate; true until the window is full.
    private mutating func checkRate(_ rate: MinimumRate, at now: MonotonicTime) -> Bool {
        if let newest = samples.last, now >= newest.time + rate.over / 4 {
            samples.append((now, bytes))
        }
        // Keep the newest sample that is at least one window old.
        while samples.count > 1, now >= samples[1].time + rate.over { samples.removeFirst() }
        guard let oldest = samples.first, now >= oldest.time + rate.over else { return true }
        let seconds = Double((now - oldest.time).nanoseconds) / 1e9
        return Double(bytes - oldest.bytes) >= Double(rate.bytesPerSecond) * seconds
    }
}
