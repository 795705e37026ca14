/// Gathers the needs of tasks in a graph while the tasks are read.
///
/// A `forEach` is one node, unless a row is needed by itself or has needs of its own.
struct TaskGraphBuilder {
    /// The needs of whole entries on whole entries; its nodes are entries.
    private var whole = TaskGraph()
    /// The needs of single rows or on single rows.
    private var single: [(task: Need, requirement: Requirement)] = []

    mutating func reserveCapacity(_ entries: Int) { whole.reserveCapacity(entries) }

    /// Adds the next entry with the needs of all its tasks.
    mutating func append(_ entry: Int, needs: [Requirement]) {
        for requirement in needs {
            if requirement.need.row == nil {
                whole.append(requirement.need.entry, requirement.term)
            } else {
                single.append((Need(entry: entry), requirement))
            }
        }
        whole.endNode()
    }

    /// Adds the needs of one row of an entry.
    mutating func append(_ entry: Int, row: Int, needs: [Requirement]) {
        for requirement in needs { single.append((Need(entry: entry, row: row), requirement)) }
    }

    /// The entries whose rows have or are needs of their own.
    var distinguishedEntries: Set<Int> {
        var entries: Set<Int> = []
        for (task, requirement) in single {
            if task.row != nil { entries.insert(task.entry) }
            if requirement.need.row != nil { entries.insert(requirement.need.entry) }
        }
        return entries
    }

    /// The graph of the tasks of a list; the rows of `chosen` are separate nodes, too.
    consuming func graph(of tasks: TaskList, chosen: [Need]) -> TaskGraph {
        var entries = distinguishedEntries
        for task in chosen where task.row != nil { entries.insert(task.entry) }
        guard !entries.isEmpty else {
            if !tasks.groups.isEmpty {
                whole.setUnits(tasks.entries.indices.map { tasks.tasks(of: $0).count })
            }
            return whole
        }
        var split = SplitGraph(tasks, split: entries)
        for entry in tasks.entries.indices {
            for (need, term) in whole.requirements(of: entry) {
                split.add(Need(entry: entry), Requirement(need: Need(entry: need), term: term))
            }
        }
        for (task, requirement) in single { split.add(task, requirement) }
        return split.graph()
    }
}

/// A graph in which some groups have one unit for each row.
///
/// A joint is a node that needs all rows of such a group.
private struct SplitGraph {
    private var firstUnits: [Int] = []
    private var unitSizes: [Int] = []
    private let split: Set<Int>
    /// The joint of each split entry that a task needs as a whole.
    private var joints: [Int: Int] = [:]
    private var nodeCount: Int
    private var edges: [TaskGraph.Edge] = []

    init(_ tasks: TaskList, split: Set<Int>) {
        self.split = split
        for entry in tasks.entries.indices {
            firstUnits.append(unitSizes.count)
            let size = tasks.tasks(of: entry).count
            if split.contains(entry) {
                unitSizes.append(contentsOf: repeatElement(1, count: size))
            } else {
                unitSizes.append(size)
            }
        }
        firstUnits.append(unitSizes.count)
        nodeCount = unitSizes.count
    }

    mutating func add(_ task: Need, _ requirement: Requirement) {
        let target = target(requirement.need)
        for unit in units(of: task) {
            edges.append(.init(unit, needs: target, requirement.term))
        }
    }

    func graph() -> TaskGraph {
        TaskGraph(nodes: nodeCount, unitSizes: unitSizes, edges: edges)
    }

    private func units(of task: Need) -> Range<Int> {
        let all = firstUnits[task.entry]..<firstUnits[task.entry + 1]
        return task.row.map { all.lowerBound + $0..<all.lowerBound + $0 + 1 } ?? all
    }

    /// The node to wait for: a task, or the joint of all rows of an entry.
    private mutating func target(_ need: Need) -> Int {
        let units = units(of: need)
        guard need.row == nil, split.contains(need.entry) else { return units.lowerBound }
        if let joint = joints[need.entry] { return joint }
        let joint = nodeCount
        nodeCount += 1
        joints[need.entry] = joint
        for unit in units { edges.append(.init(joint, needs: unit)) }
        return joint
    }
}
