internal import TransferModel

/// The tasks that a stopping run ends: a few get a line, the others are counted.
struct StopTally: Sendable {
    /// The most tasks with a line.
    private static let mostLines = 3

    private var isStopping = false
    private var shown = 0
    /// The number of tasks without a line, by outcome.
    private(set) var unlisted: [TaskOutcome: Int] = [:]

    /// The run starts no more tasks.
    mutating func begin() { isStopping = true }

    /// Whether the end of a task gets a line; otherwise it is counted.
    mutating func lists(_ record: TaskRecord) -> Bool {
        guard isStopping, record.outcome.isOfStop else { return true }
        shown += 1
        if shown > Self.mostLines { unlisted[record.outcome, default: 0] += 1 }
        return shown <= Self.mostLines
    }
}

extension TaskOutcome {
    /// Whether a stopping run gives this outcome to tasks that it does not finish.
    fileprivate var isOfStop: Bool {
        switch self {
        case .cancelled, .deferred, .skipped: true
        case .succeeded, .unchanged, .failed: false
        }
    }
}
