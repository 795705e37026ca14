import Plan

/// The needs between tasks, and how many of them are open.
///
/// Empty when no task needs another; else some bytes for each need and for each unit of the plan's
/// graph, which is a task or a whole `forEach`.
struct DependencyGraph {
    private let graph: TaskGraph
    /// The nodes that need each node.
    private let dependants: TaskGraph
    /// How many needs of each node have not succeeded yet; `doomed` when one never will.
    private var openNeeds: [UInt32] = []
    /// How many tasks of each unit have not succeeded yet.
    private var openTasks: [UInt32] = []

    private static let doomed = UInt32.max

    init(_ graph: TaskGraph) {
        self.graph = graph
        guard graph.hasEdges else {
            dependants = TaskGraph()
            return
        }
        dependants = graph.reversed()
        openNeeds = (0..<graph.count).map { UInt32(graph.needs(of: $0).count) }
        openTasks = (0..<graph.count).map { UInt32(graph.tasks(of: $0).count) }
        // A node without tasks and needs has succeeded already.
        let empty = openNeeds.indices.filter { openNeeds[$0] == 0 && openTasks[$0] == 0 }
        for node in empty { _ = satisfy(node) }
    }

    /// The tasks without needs, which may start first.
    var freeTasks: [Range<Int>] {
        guard graph.hasEdges else { return [0..<graph.taskCount] }
        return openNeeds.indices.lazy.filter { openNeeds[$0] == 0 && openTasks[$0] > 0 }
            .map(graph.tasks)
    }

    /// Notes that a task has succeeded; returns the tasks that may start now.
    mutating func succeed(_ task: Int) -> [Range<Int>] {
        guard graph.hasEdges else { return [] }
        let unit = graph.unit(of: task)
        openTasks[unit] -= 1
        return openTasks[unit] == 0 ? satisfy(unit) : []
    }

    /// Notes that a task will never succeed; returns the tasks that need it directly and were not
    /// doomed before.
    mutating func fail(_ task: Int) -> [Range<Int>] {
        guard graph.hasEdges else { return [] }
        var doomed: [Range<Int>] = []
        var open = [graph.unit(of: task)]
        while let node = open.popLast() {
            for dependant in dependants.needs(of: node) where openNeeds[dependant] != Self.doomed {
                openNeeds[dependant] = Self.doomed
                let tasks = graph.tasks(of: dependant)
                if tasks.isEmpty { open.append(dependant) } else { doomed.append(tasks) }
            }
        }
        return doomed
    }

    /// Frees the tasks whose last open need was a node.
    private mutating func satisfy(_ node: Int) -> [Range<Int>] {
        var free: [Range<Int>] = []
        var open = [node]
        while let node = open.popLast() {
            for dependant in dependants.needs(of: node) where openNeeds[dependant] != Self.doomed {
                openNeeds[dependant] -= 1
                guard openNeeds[dependant] == 0 else { continue }
                let tasks = graph.tasks(of: dependant)
                if tasks.isEmpty { open.append(dependant) } else { free.append(tasks) }
            }
        }
        return free
    }
}
