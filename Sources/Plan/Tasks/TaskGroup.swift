internal import JobFile

/// The tasks that one `forEach` makes, which stand side by side in the plan.
struct TaskGroup: Sendable {
    /// The position of the task among those of the job file.
    var entry: Int
    /// The index of its first task.
    var first: Int
    let rows: RowSource
    /// The rows that are run, ascending; nil for all.
    var chosen: [UInt32]?
    /// What each row says of its task; empty when all say the same.
    var settings: [Settings] = []

    /// What the scheduler needs of a task before it starts.
    struct Settings: Sendable, Hashable {
        var isRequired: Bool
        var priority: Double
    }

    init(entry: Int, first: Int, rows: RowSource) {
        self.entry = entry
        self.first = first
        self.rows = rows
    }

    var count: Int { chosen?.count ?? rows.count }
    /// The indices of its tasks.
    var tasks: Range<Int> { first..<first + count }

    /// The row of a task of the group.
    func row(of task: Int) -> Int {
        chosen.map { Int($0[task - first]) } ?? task - first
    }
}

/// A task that another one needs: one of the job file, or one row of it.
struct Need: Sendable, Hashable {
    var entry: Int
    /// Nil for all tasks of the entry.
    var row: Int?
}
