internal import CurlKit
internal import TransferModel

/// Tells when a transfer has been silent for too long, is too slow or has run out of time.
///
/// A value without a clock: readings are passed in. `nextCheck` is a lower bound, so that most
/// transfers are never looked at between their start and their end. One that is silent for a
/// quarter of what it may be has the kernel asked whether anything moved that libcurl does not tell
/// of.
struct ActivityWatch {
    /// Why a transfer is to be ended.
    enum Verdict: Hashable {
        case idle
        case stalled
        case deadline
    }

    private let idleLimit: Duration?
    private let minimumRate: MinimumRate?
    private let deadline: MonotonicTime?
    private var lastActivity: MonotonicTime
    /// When the kernel was asked last, and how many bytes the other end had acknowledged by then.
    private var lastLook: (time: MonotonicTime, acknowledgedBytes: UInt64)?
    /// Whether libcurl has not begun yet: waiting for a free connection is not silence.
    private var isWaiting = true
    /// Bytes in either direction since the beginning.
    private var bytes: Int64 = 0
    /// The byte counts at the ends of the last quarters of the rate's window, oldest first.
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

    /// Another exchange is handed to libcurl.
    mutating func willBegin(at now: MonotonicTime) {
        lastActivity = now
        isWaiting = true
    }

    /// libcurl works on the exchange.
    mutating func didBegin(at now: MonotonicTime) {
        lastActivity = now
        if isWaiting, minimumRate != nil { samples = [(now, bytes)] }
        isWaiting = false
    }

    /// Something moved: any progress of the exchange, `bytes` of payload among it.
    mutating func didMove(bytes count: Int, at now: MonotonicTime) {
        lastActivity = now
        bytes += Int64(count)
    }

    /// When to look again at the latest.
    var nextCheck: MonotonicTime {
        var next = MonotonicTime(nanoseconds: .max)
        if let idleLimit { next = min(next, nextLook(idleLimit)) }
        if let deadline { next = min(next, deadline) }
        if let minimumRate, let newest = samples.last {
            let sampled = isWaiting ? max(newest.time, lastActivity) : newest.time
            next = min(next, sampled + minimumRate.over / 4)
        }
        return next
    }

    /// When the kernel is asked, four times before the transfer is silent for too long.
    private func nextLook(_ idleLimit: Duration) -> MonotonicTime {
        let last = max(lastActivity, lastLook?.time ?? lastActivity)
        // In nanoseconds: a division of `Duration`s is one of 128-bit integers, which takes longer
        // than all else here.
        let interval = Duration.nanoseconds(idleLimit.nanoseconds / 4)
        return min(last + interval, lastActivity + idleLimit)
    }

    /// Takes what the kernel says.
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
            // Nobody knows what was acknowledged when the silence began.
            move(progress.sinceAcknowledged)
        }
    }

    /// Looks at the transfer.
    ///
    /// - Parameters:
    ///   - now: The current time.
    ///   - progress: What the kernel says of the connection, asked for only where it matters; nil
    ///     when nothing can be said that is about this transfer alone.
    /// - Returns: Why it is to end; nil when it may go on.
    mutating func check(
        at now: MonotonicTime,
        progress: () -> SocketProgress? = { nil }
    ) -> Verdict? {
        if let deadline, now >= deadline { return .deadline }
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

    /// Whether the bytes of the last window reach the rate; true while the window is not full.
    private mutating func checkRate(_ rate: MinimumRate, at now: MonotonicTime) -> Bool {
        if let newest = samples.last, now >= newest.time + rate.over / 4 {
            samples.append((now, bytes))
        }
        // Keep the youngest sample that is a whole window old.
        while samples.count > 1, now >= samples[1].time + rate.over { samples.removeFirst() }
        guard let oldest = samples.first, now >= oldest.time + rate.over else { return true }
        let seconds = Double((now - oldest.time).nanoseconds) / 1e9
        return Double(bytes - oldest.bytes) >= Double(rate.bytesPerSecond) * seconds
    }
}
