internal import TransferModel

/// The tasks that have begun and not ended, as a display shows them: with their rates, and with the
/// waits between their attempts.
struct ActiveRows: Sendable {
    /// A wait before the next attempt.
    private struct Wait: Sendable {
        var words: String
        /// When the wait ends; nil if unknown.
        var end: MonotonicTime?
    }

    private var running: [TaskProgress] = []
    /// The ids of the tasks that wait, in order.
    private var waiting: [String] = []
    private var waits: [String: Wait] = [:]
    private var rates: [String: RateWindow] = [:]

    /// Whether no task has begun that has not ended.
    var isEmpty: Bool { running.isEmpty && waiting.isEmpty }
    /// The number of attempts.
    var runningCount: Int { running.count }
    /// The number of tasks between two attempts.
    var waitingCount: Int { waiting.count }
    /// The attempts that the bandwidth of their session holds up.
    var awaitingBandwidthCount: Int { running.count { $0.isAwaitingBandwidth } }
    /// The running tasks, then the waiting tasks.
    var ids: [String] { running.map(\.id) + waiting }
    /// The payload's bytes of the attempts.
    var payloadBytes: Int64 { running.reduce(0) { $0 + $1.payloadBytes } }
    /// The sum of the finished parts of the attempts, each from 0 to 1.
    var fractions: Double { running.reduce(0) { $0 + ($1.fraction ?? 0) } }

    /// The remaining bytes of the attempts; nil if one of them is unknown or a task waits.
    var bytesLeft: Double? {
        let expected = running.compactMap(\.countOfBytesExpected)
        guard waiting.isEmpty, expected.count == running.count else { return nil }
        return zip(expected, running).reduce(0) {
            $0 + max(0, Double($1.0) - Double($1.1.payloadBytes))
        }
    }

    /// A task has begun.
    mutating func begin(_ task: TaskProgress) {
        endWait(of: task.id)
        running.append(task)
    }

    /// Records the attempts at a time; with rates only where a display shows them.
    mutating func update(_ tasks: [TaskProgress], at time: MonotonicTime, measuresRates: Bool) {
        running = tasks
        for task in tasks { endWait(of: task.id) }
        guard measuresRates else { return }
        let old = rates
        rates = [:]
        for task in tasks {
            var rate = old[task.id] ?? RateWindow()
            rate.add(bytes: task.payloadBytes, tasks: 0, at: time)
            rates[task.id] = rate
        }
    }

    /// A task waits for its next attempt, to a time if that is known.
    mutating func wait(_ id: String, _ failure: TransferFailure, until end: MonotonicTime?) {
        running.removeAll { $0.id == id }
        if waits[id] == nil { waiting.append(id) }
        let words =
            switch failure.kind {
            case _ where end != nil:
                failure.kind == .httpStatus
                    ? failure.httpStatus.map { "\($0)" } ?? failure.kind.label : failure.kind.label
            case .power: "waiting for power"
            default: "waiting for network"
            }
        waits[id] = Wait(words: words, end: end)
    }

    /// A task has ended.
    mutating func end(_ id: String) {
        if let index = running.firstIndex(where: { $0.id == id }) { running.remove(at: index) }
        endWait(of: id)
    }

    /// At most `limit` rows, the attempts first.
    func rows(limit: Int, at time: MonotonicTime) -> [ProgressFrame.Row] {
        let attempts = running.prefix(limit).map { task in
            ProgressFrame.Row(
                task: task,
                bytesPerSecond: rates[task.id]?.bytesPerSecond,
                words: task.phaseWords
            )
        }
        return attempts
            + waiting.prefix(limit - attempts.count).map { id in
                ProgressFrame.Row(
                    task: TaskProgress(id: id, kind: .data),
                    words: waits[id].map { Self.words($0, at: time) }
                )
            }
    }

    /// `backing off 12 s: 503`.
    private static func words(_ wait: Wait, at time: MonotonicTime) -> String {
        guard let end = wait.end else { return wait.words }
        guard time < end else { return "waiting for its turn" }
        let left = (end - time).microseconds
        // Whole seconds, so that the picture does not change more often.
        let seconds = (left + 999_999) / 1_000_000
        let text = seconds < 60 ? "\(seconds) s" : Quantity.clock(seconds: seconds)
        return "backing off \(text): \(wait.words)"
    }

    private mutating func endWait(of id: String) {
        guard !waits.isEmpty, waits.removeValue(forKey: id) != nil else { return }
        waiting.removeAll { $0 == id }
    }
}

extension TaskProgress {
    /// The bytes in the direction of the payload.
    var payloadBytes: Int64 { kind == .upload ? countOfBytesSent : countOfBytesReceived }

    /// From 0 to 1; nil if the length is unknown.
    var fraction: Double? {
        guard let expected = countOfBytesExpected, expected > 0 else { return nil }
        let resumed = Double(countOfBytesResumed)
        return min(1, max(0, (Double(payloadBytes) + resumed) / (Double(expected) + resumed)))
    }

    /// The step of an attempt in which no payload moves; nil while it does.
    fileprivate var phaseWords: String? {
        switch phase {
        case .prepare: "starting"
        case .resolve: "resolving"
        case .connect: "connecting"
        case .tls: "TLS handshake"
        case .wait: "waiting for response"
        case .finish: "finishing"
        case .send where kind != .upload: "sending"
        case .send, .receive, nil: nil
        }
    }
}

/// The speed of a run over the last seconds.
struct RateWindow: Sendable {
    private struct Sample {
        var time: MonotonicTime
        var bytes: Int64
        var tasks: Int
    }

    /// The length of the window.
    private static let length = Duration.seconds(5)

    private var samples: [Sample] = []

    /// Adds the bytes and tasks done at a time; times must not decrease.
    mutating func add(bytes: Int64, tasks: Int, at time: MonotonicTime) {
        samples.append(Sample(time: time, bytes: bytes, tasks: tasks))
        let inside = samples.firstIndex { time - $0.time <= Self.length } ?? 0
        // Keep the last sample outside: the window begins within its interval.
        samples.removeFirst(max(0, inside - 1))
    }

    /// nil with fewer than two samples; never negative, although a restarted attempt reduces the
    /// count.
    var bytesPerSecond: Double? {
        perSecond { max(0, Double($1.bytes) - Double($0.bytes)) }
    }

    /// nil with fewer than two samples.
    var tasksPerSecond: Double? {
        perSecond { Double($1.tasks - $0.tasks) }
    }

    private func perSecond(_ difference: (Sample, Sample) -> Double) -> Double? {
        guard let first = samples.first, let last = samples.last, first.time < last.time else {
            return nil
        }
        return difference(first, last) * 1e9 / Double((last.time - first.time).nanoseconds)
    }
}
