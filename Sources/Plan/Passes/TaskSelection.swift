internal import JobFile

/// The tasks that `--only` chooses.
struct TaskSelection {
    /// The chosen tasks; none for all.
    private(set) var needs: [Need] = []
    /// Ids of `--only` that no task has.
    private(set) var unknown: [PlanRejected.UnknownTask] = []
    /// Whether every task is chosen.
    private let isAll: Bool

    /// Finds tasks by their ids; none means all tasks.
    init(_ ids: [String], with reader: inout Reader) {
        isAll = ids.isEmpty
        for id in ids {
            if let need = reader.need(id) {
                needs.append(need)
            } else {
                unknown.append(.init(id: id, nearest: reader.nearestTask(id)))
            }
        }
    }

    /// The chosen tasks of a list with their needs, and their graph.
    func restrict(
        _ tasks: TaskList,
        _ graph: TaskGraph,
        in document: Document
    ) -> (TaskList, TaskGraph) {
        guard !isAll else { return (tasks, graph) }
        var units: [Int] = []
        for need in needs {
            let all = tasks.tasks(of: need.entry)
            let range = need.row.map { all.lowerBound + $0..<all.lowerBound + $0 + 1 } ?? all
            units.append(contentsOf: graph.units(of: range))
        }
        let nodes = graph.closure(of: units)
        return (
            tasks.restricted(to: nodes.lazy.map(graph.tasks), in: document),
            graph.restricted(to: nodes)
        )
    }

    /// The position of a job's entry in the list of `restrict`; nil if the list does not have it.
    func position(
        of entry: Int,
        of tasks: TaskList,
        in chosen: TaskList,
        _ document: Document
    ) -> Int? {
        isAll ? entry : chosen.find(idOf: tasks.entries[entry].key, in: document)
    }
}
