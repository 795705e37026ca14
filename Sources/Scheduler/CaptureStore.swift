import TransferModel

/// The captures of ended tasks, kept until every task that they fill in has ended.
struct CaptureStore {
    /// The captures, by task.
    private(set) var values: CapturedValues = [:]
    private let uses: CaptureUses
    /// For each task, how many tasks that have not ended use its captures.
    private var openUsers: [Int: Int] = [:]

    init(_ uses: CaptureUses) {
        self.uses = uses
        for pair in uses.pairs { openUsers[pair.source, default: 0] += 1 }
    }

    /// Keeps the captures of a task, if they fill in a task that has not ended.
    mutating func keep(_ captured: [CapturedValue], of task: Int) {
        guard !captured.isEmpty, openUsers[task] != nil else { return }
        values[task] = captured
    }

    /// Drops the captures that only this task still needed.
    mutating func taskEnded(_ task: Int) {
        guard !uses.isEmpty else { return }
        for source in uses.sources(of: task) {
            guard let users = openUsers[source] else { continue }
            openUsers[source] = users > 1 ? users - 1 : nil
            if users == 1 { values[source] = nil }
        }
    }
}

extension CaptureUses {
    /// Whether captures of other tasks fill in a task.
    func fillsIn(_ task: Int) -> Bool { !isEmpty && !sources(of: task).isEmpty }
}
