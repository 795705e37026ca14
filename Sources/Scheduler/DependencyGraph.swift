import Plan
import TransferModel

/// The needs between tasks: which needs have not ended, and which tasks an outcome lets start.
///
/// One rule decides about every task: it starts when all of its needs have ended and one of its
/// alternatives holds, and it never starts once none of them can hold any more. A task without
/// `when` has one alternative, that all needs succeed.
///
/// Empty when no task needs another; else some bytes for each need and for each unit of the plan's
/// graph, which is a task or a whole `forEach`.
struct DependencyGraph {
    /// The consequences of a task's end for other tasks.
    struct Decisions {
        /// The tasks that may start.
        var free: [Range<Int>] = []
        /// The tasks that never start, because they need a task that did not succeed.
        var doomed: [Range<Int>] = []
        /// The tasks that never start, because their `when` names another outcome.
        var refused: [Range<Int>] = []
    }

    /// A change of a node: one of its parts has ended, or has become worse.
    private struct Change {
        var node: Int
        var end: NeedEnd
        /// Whether the part has ended.
        var isLast = true
        /// Whether a `when` does not hold, as for a unit without tasks.
        var isRefusal = false
    }

    private let graph: TaskGraph
    /// The nodes that need each node.
    private let dependants: TaskGraph
    /// How many needs of each node have not ended yet; `decided` when it never starts.
    private var openNeeds: [UInt32] = []
    /// How many parts of each node have not ended yet: the tasks of a unit, the needs of a joint.
    private var openParts: [UInt32] = []
    /// The worst end of a part of each node.
    private var worst: [NeedEnd] = []
    /// The alternatives of each node that cannot hold any more; empty without conditions.
    private var lost: [AlternativeSet] = []

    /// The tasks that never start, because of their own `when` or that of a `forEach` without items
    /// that they need.
    private(set) var refusedAtStart: [Range<Int>] = []

    private static let decided = UInt32.max

    init(_ graph: TaskGraph) {
        self.graph = graph
        guard graph.hasEdges else {
            dependants = TaskGraph()
            return
        }
        dependants = graph.reversed()
        openNeeds = (0..<graph.count).map { UInt32(graph.needs(of: $0).count) }
        openParts = (0..<graph.count).map { node in
            graph.isJoint(node) ? openNeeds[node] : UInt32(max(graph.tasks(of: node).count, 1))
        }
        worst = Array(repeating: .succeeded, count: graph.count)
        if graph.hasConditions { lost = Array(repeating: [], count: graph.count) }
        // A unit without tasks and needs has succeeded already.
        let empty = openNeeds.indices.filter {
            openNeeds[$0] == 0 && !graph.isJoint($0) && graph.tasks(of: $0).isEmpty
        }
        for node in empty { refusedAtStart += decide(Change(node: node, end: .succeeded)).refused }
    }

    /// The tasks without needs, which may start first.
    var freeTasks: [Range<Int>] {
        guard graph.hasEdges else { return [0..<graph.taskCount] }
        return openNeeds.indices.lazy.filter { openNeeds[$0] == 0 }.map(graph.tasks)
            .filter { !$0.isEmpty }
    }

    /// The alternatives of a task that may start, as far as its needs decide.
    func alternatives(of task: Int) -> AlternativeSet {
        lost.isEmpty ? .all : AlternativeSet.all.subtracting(lost[graph.unit(of: task)])
    }

    /// Notes that a task has ended; returns what that decides about tasks that need it directly.
    mutating func end(_ task: Int, as end: NeedEnd) -> Decisions {
        guard graph.hasEdges else { return Decisions() }
        return decide(Change(node: graph.unit(of: task), end: end))
    }

    /// Follows a change through joints and units without tasks.
    private mutating func decide(_ first: Change) -> Decisions {
        var decisions = Decisions()
        var open = [first]
        while let change = open.popLast() {
            let node = change.node
            if change.isLast { openParts[node] -= 1 }
            let isLast = openParts[node] == 0
            guard isLast || change.end > worst[node] else { continue }
            worst[node] = max(worst[node], change.end)
            for (dependant, term) in dependants.requirements(of: node) {
                let next = Change(
                    node: dependant,
                    end: worst[node],
                    isLast: isLast,
                    isRefusal: change.isRefusal
                )
                if graph.isJoint(dependant) {
                    open.append(next)
                } else if openNeeds[dependant] != Self.decided {
                    note(next, term, &decisions, &open)
                }
            }
        }
        return decisions
    }

    /// Notes a change of a need for a node that is not decided.
    private mutating func note(
        _ change: Change,
        _ term: NeedTerm,
        _ decisions: inout Decisions,
        _ open: inout [Change]
    ) {
        let node = change.node
        let tasks = graph.tasks(of: node)
        if !term.admits(change.end, isLast: change.isLast), loses(term, node) {
            openNeeds[node] = Self.decided
            let isRefusal = term.isCondition || change.isRefusal
            if tasks.isEmpty {
                open.append(Change(node: node, end: .skipped, isRefusal: isRefusal))
            } else if isRefusal {
                decisions.refused.append(tasks)
            } else {
                decisions.doomed.append(tasks)
            }
            return
        }
        guard change.isLast else { return }
        openNeeds[node] -= 1
        guard openNeeds[node] == 0 else { return }
        if tasks.isEmpty {
            open.append(Change(node: node, end: .succeeded))
        } else {
            decisions.free.append(tasks)
        }
    }

    /// Notes that a term of a node is not met; true when no alternative is left.
    private mutating func loses(_ term: NeedTerm, _ node: Int) -> Bool {
        guard term.isCondition else { return true }
        lost[node].formUnion(term.alternatives)
        return lost[node].isSuperset(of: term.allAlternatives)
    }
}
