internal import JobFile
internal import SystemKit

/// The tasks of one `forEach`, which are neighbours in the plan.
struct TaskGroup: Sendable {
    /// The position of the `forEach` task among the tasks of the job file.
    var entry: Int
    /// The index of its first task.
    var first: Int
    let rows: RowSource
    /// The rows that are run, ascending; nil for all.
    var chosen: [UInt32]?
    /// The settings of each task; empty when all have the same.
    var settings: [Settings] = []

    /// The facts that the scheduler needs about a task before the task starts.
    struct Settings: Sendable, Hashable {
        var isRequired: Bool
        var priority: Double
    }

    var count: Int { chosen?.count ?? rows.count }
    /// The indices of its tasks.
    var tasks: Range<Int> { first..<first + count }

    /// The row of a task of the group.
    func row(of task: Int) -> Int {
        chosen.map { Int($0[task - first]) } ?? task - first
    }

    /// The tasks of one of the source's rows: one, or none when the row is not run.
    func tasks(ofRow row: Int) -> Range<Int> {
        guard let chosen else { return first + row..<first + row + 1 }
        let position = chosen.indices.partitioningIndex { chosen[$0] >= row }
        let isThere = position < chosen.count && chosen[position] == row
        return first + position..<first + position + (isThere ? 1 : 0)
    }

    /// An empty group with the same rows, for an entry of another list of tasks.
    func emptied(entry: Int) -> TaskGroup {
        TaskGroup(entry: entry, first: 0, rows: rows, chosen: [])
    }

    /// Appends some tasks of a larger group with the same rows.
    mutating func append(_ tasks: Range<Int>, of whole: TaskGroup) {
        chosen?.append(contentsOf: tasks.lazy.map { UInt32(truncatingIfNeeded: whole.row(of: $0)) })
        guard !whole.settings.isEmpty else { return }
        settings.append(contentsOf: tasks.lazy.map { whole.settings[$0 - whole.first] })
    }
}

/// A task that another task needs: a task of the job file, or one of its rows.
///
/// Eight bytes, because each of some million rows may have a need of its own.
struct Need: Sendable, Hashable {
    private let number: UInt32
    /// One more than the row; 0 for all.
    private let rowNumber: UInt32

    init(entry: Int, row: Int? = nil) {
        number = UInt32(truncatingIfNeeded: entry)
        rowNumber = row.map { UInt32(truncatingIfNeeded: $0 + 1) } ?? 0
    }

    var entry: Int { Int(number) }
    /// Nil for all tasks of the entry.
    var row: Int? { rowNumber == 0 ? nil : Int(rowNumber) - 1 }
}
