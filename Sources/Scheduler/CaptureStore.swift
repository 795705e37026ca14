import TransferModel

/// What ended tasks have captured, kept as long as a task that is filled in with it has not ended.
struct CaptureStore {
    /// The values that are kept.
    private(set) var values: CapturedValues = [:]
    private let uses: CaptureUses
    /// How many tasks that have not ended are filled in with what a task captures.
    private var openUsers: [Int: Int] = [:]

    init(_ uses: CaptureUses) {
        self.uses = uses
        for pair in uses.pairs { openUsers[pair.source, default: 0] += 1 }
    }

    /// Whether a task is filled in with what others capture.
    func fillsIn(_ task: Int) -> Bool {
        !uses.isEmpty && !uses.sources(of: task).isEmpty
    }

    /// Keeps what a task has captured, if anybody waits for it.
    mutating func keep(_ captured: [CapturedValue], of task: Int) {
        guard !captured.isEmpty, openUsers[task] != nil else { return }
        values[task] = captured
    }

    /// Drops what only this task was waiting for.
    mutating func taskEnded(_ task: Int) {
        guard !uses.isEmpty else { return }
        for source in uses.sources(of: task) {
            guard let users = openUsers[source] else { continue }
            openUsers[source] = users > 1 ? users - 1 : nil
            if users == 1 { values[source] = nil }
        }
    }
}
