internal import SystemKit

/// The dependencies between tasks, with all edges in one array.
///
/// The nodes are units, then joints. A unit is one task, or all tasks of a `forEach` if no
/// dependency distinguishes them: a million rows that need a million other rows are one edge. A
/// joint is a node without a task that stands for all rows of a `forEach` with distinguished rows:
/// it needs all their units, and the nodes that need all rows need the joint.
package struct TaskGraph: Sendable {
    /// Edges of node n are at `starts[n]` to `starts[n + 1]`.
    private var starts: [UInt32] = [0]
    private var edges: [UInt32] = []
    /// The term of each edge; empty when all needs must succeed.
    private var terms: [NeedTerm] = []
    /// The first task of each unit, and at the end how many tasks there are; empty when node n is
    /// task n.
    private var firstTasks: [UInt32] = []

    /// A need of a node, and the outcomes of the need after which the node starts.
    package struct Edge: Sendable {
        var node: UInt32
        var need: UInt32
        var term: NeedTerm

        /// An edge between two nodes by their numbers.
        package init(_ node: Int, needs need: Int, _ term: NeedTerm = .success) {
            self.node = UInt32(truncatingIfNeeded: node)
            self.need = UInt32(truncatingIfNeeded: need)
            self.term = term
        }
    }

    /// A graph without tasks.
    package init() {}

    /// A graph whose units have these many tasks, and whose other nodes are joints.
    ///
    /// - Parameters:
    ///   - nodes: How many units and joints there are.
    ///   - unitSizes: Nil when each node is a task.
    ///   - edges: The needs of the nodes, in any order.
    package init(nodes: Int, unitSizes: [Int]?, edges: [Edge]) {
        setUnits(unitSizes)
        group(edges, nodes: nodes)
    }

    /// How many nodes there are.
    package var count: Int { starts.count - 1 }

    /// The number of tasks in all units.
    package var taskCount: Int { firstTasks.last.map { Int($0) } ?? count }

    /// Whether any node needs another.
    package var hasEdges: Bool { !edges.isEmpty }

    mutating func reserveCapacity(_ nodes: Int) { starts.reserveCapacity(nodes + 1) }

    /// Adds a need of the next node.
    package mutating func append(_ need: Int, _ term: NeedTerm) {
        if term.isCondition, terms.isEmpty {
            terms = [NeedTerm](repeating: .success, count: edges.count)
        }
        edges.append(UInt32(truncatingIfNeeded: need))
        if term.isCondition || !terms.isEmpty { terms.append(term) }
    }

    /// Adds the next node, whose needs were added.
    package mutating func endNode() { starts.append(UInt32(truncatingIfNeeded: edges.count)) }

    /// Says how many tasks each unit has; nil when each node is one task.
    mutating func setUnits(_ sizes: [Int]?) {
        firstTasks = []
        guard let sizes else { return }
        var first = 0
        firstTasks.reserveCapacity(sizes.count + 1)
        for size in sizes {
            firstTasks.append(UInt32(truncatingIfNeeded: first))
            first += size
        }
        firstTasks.append(UInt32(truncatingIfNeeded: first))
    }

    /// The nodes that a node needs.
    package func needs(of node: Int) -> some RandomAccessCollection<Int> {
        edges[Int(starts[node])..<Int(starts[node + 1])].lazy.map { Int($0) }
    }

    /// The nodes that a node needs, with their terms: one for each alternative that names the need.
    package func requirements(of node: Int) -> some RandomAccessCollection<(Int, NeedTerm)> {
        (Int(starts[node])..<Int(starts[node + 1])).lazy.map { edge in
            (Int(edges[edge]), terms.isEmpty ? .success : terms[edge])
        }
    }

    /// Whether any task starts after another outcome of a need than success.
    package var hasConditions: Bool { !terms.isEmpty }

    /// Whether a node is a joint.
    package func isJoint(_ node: Int) -> Bool {
        !firstTasks.isEmpty && node + 1 >= firstTasks.count
    }

    /// The tasks of a node; none of a joint.
    package func tasks(of node: Int) -> Range<Int> {
        guard !firstTasks.isEmpty else { return node..<node + 1 }
        guard !isJoint(node) else { return 0..<0 }
        return Int(firstTasks[node])..<Int(firstTasks[node + 1])
    }

    /// The unit of a task.
    package func unit(of task: Int) -> Int {
        guard !firstTasks.isEmpty else { return task }
        // The search skips units without tasks, which begin at the same task as the next unit.
        return (1..<firstTasks.count).partitioningIndex { Int(firstTasks[$0]) > task } - 1
    }

    /// The units of adjacent tasks.
    func units(of tasks: Range<Int>) -> Range<Int> {
        guard let first = tasks.first, let last = tasks.last else { return 0..<0 }
        return unit(of: first)..<unit(of: last) + 1
    }

    /// The tasks that a node needs, as ranges, each once.
    func targets(of node: Int) -> [Range<Int>] {
        let targets = needs(of: node).compactMap { need -> Range<Int>? in
            guard isJoint(need) else { return tasks(of: need) }
            let units = needs(of: need)
            guard let first = units.first, let last = units.last else { return nil }
            return tasks(of: first).lowerBound..<tasks(of: last).upperBound
        }.filter { !$0.isEmpty }
        guard hasConditions, targets.count > 1 else { return targets }
        var known: Set<Range<Int>> = []
        return targets.filter { known.insert($0).inserted }
    }

    /// The same nodes, but only the needs without whose success a node never starts.
    func ofSuccesses() -> TaskGraph {
        guard hasConditions else { return self }
        var graph = TaskGraph()
        for node in 0..<count {
            let terms = Dictionary(grouping: requirements(of: node), by: \.0)
            for (need, terms) in terms where terms.map(\.1).demandSuccess {
                graph.append(need, .success)
            }
            graph.endNode()
        }
        graph.firstTasks = firstTasks
        return graph
    }

    /// The same nodes with every edge turned around: the needs of a node become the nodes that need
    /// it, in their order.
    package func reversed() -> TaskGraph {
        var turned: [Edge] = []
        turned.reserveCapacity(edges.count)
        for node in 0..<count {
            for (need, term) in requirements(of: node) {
                turned.append(Edge(need, needs: node, term))
            }
        }
        var graph = self
        graph.group(turned, nodes: count)
        return graph
    }

    /// Stores edges by their nodes; the edges of one node keep the given order.
    private mutating func group(_ all: [Edge], nodes: Int) {
        starts = [UInt32](repeating: 0, count: nodes + 1)
        for edge in all { starts[Int(edge.node) + 1] += 1 }
        for node in 0..<nodes { starts[node + 1] += starts[node] }
        var next = starts
        edges = [UInt32](repeating: 0, count: all.count)
        terms = []
        if all.contains(where: \.term.isCondition) {
            terms = [NeedTerm](repeating: .success, count: all.count)
        }
        for edge in all {
            let place = Int(next[Int(edge.node)])
            edges[place] = edge.need
            if !terms.isEmpty { terms[place] = edge.term }
            next[Int(edge.node)] += 1
        }
    }

    /// An order in which every node stands after its needs: first the nodes without needs, in file
    /// order.
    ///
    /// Nodes in a cycle, and nodes that need one of them, are missing.
    func order() -> [Int] {
        guard hasEdges else { return Array(0..<count) }
        let dependants = reversed()
        var waiting = (0..<count).map { starts[$0 + 1] - starts[$0] }
        var order = (0..<count).filter { waiting[$0] == 0 }
        var done = 0
        while done < order.count {
            for dependent in dependants.needs(of: order[done]) {
                waiting[dependent] -= 1
                if waiting[dependent] == 0 { order.append(dependent) }
            }
            done += 1
        }
        return order
    }

    /// Cycles that share no node; each begins with the node that is first in the file.
    func cycles() -> [[Int]] {
        guard hasEdges else { return [] }
        var isOrdered = [Bool](repeating: false, count: count)
        for node in order() { isOrdered[node] = true }
        /// The walk on which a node was met first; 0 means none.
        var walkOf = [Int](repeating: 0, count: count)
        var cycles: [[Int]] = []
        for start in 0..<count where !isOrdered[start] && walkOf[start] == 0 {
            let walk = start + 1
            var path: [Int] = []
            var node: Int? = start
            while let current = node, walkOf[current] == 0 {
                walkOf[current] = walk
                path.append(current)
                node = needs(of: current).first { !isOrdered[$0] }
            }
            guard let end = node, walkOf[end] == walk, let first = path.firstIndex(of: end) else {
                continue
            }
            let cycle = path[first...]
            let least = cycle.indices.min { cycle[$0] < cycle[$1] } ?? first
            cycles.append(Array(cycle[least...] + cycle[..<least]))
        }
        return cycles
    }

    /// Some nodes and all their needs, direct or not, in file order.
    func closure(of nodes: [Int]) -> [Int] {
        var isWanted = [Bool](repeating: false, count: count)
        var open = nodes
        while let node = open.popLast() {
            guard !isWanted[node] else { continue }
            isWanted[node] = true
            open.append(contentsOf: needs(of: node))
        }
        return isWanted.indices.filter { isWanted[$0] }
    }

    /// The graph of some nodes, which are numbered anew; all their needs must be among them.
    func restricted(to nodes: [Int]) -> TaskGraph {
        var numbers: [Int: Int] = [:]
        for (number, node) in nodes.enumerated() { numbers[node] = number }
        var graph = TaskGraph()
        for node in nodes {
            for (need, term) in requirements(of: node) {
                if let number = numbers[need] { graph.append(number, term) }
            }
            graph.endNode()
        }
        if !firstTasks.isEmpty {
            let units = nodes.prefix { $0 + 1 < firstTasks.count }
            graph.setUnits(units.map { tasks(of: $0).count })
        }
        return graph
    }
}
