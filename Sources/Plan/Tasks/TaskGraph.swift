/// Which task needs which: all edges in one array.
struct TaskGraph: Sendable {
    /// Edges of task n stand from `starts[n]` to `starts[n + 1]`.
    private var starts: [UInt32] = [0]
    private var edges: [UInt32] = []

    var count: Int { starts.count - 1 }

    mutating func reserveCapacity(_ tasks: Int) { starts.reserveCapacity(tasks + 1) }

    /// Adds the next task with the numbers of those that it needs.
    mutating func append(needs: [Int]) {
        for need in needs { edges.append(UInt32(truncatingIfNeeded: need)) }
        starts.append(UInt32(truncatingIfNeeded: edges.count))
    }

    /// The tasks that a task needs.
    func needs(of task: Int) -> some Collection<Int> {
        edges[Int(starts[task])..<Int(starts[task + 1])].lazy.map { Int($0) }
    }

    /// An order in which every task stands behind those that it needs: first those that need none, in file order.
    ///
    /// Tasks in a cycle, and those that need one of them, are missing.
    func order() -> [Int] {
        guard !edges.isEmpty else { return Array(0..<count) }
        var waiting = [UInt32](repeating: 0, count: count)
        var dependents = [[UInt32]](repeating: [], count: count)
        for task in 0..<count {
            waiting[task] = starts[task + 1] - starts[task]
            for need in needs(of: task) {
                dependents[need].append(UInt32(truncatingIfNeeded: task))
            }
        }
        var order = (0..<count).filter { waiting[$0] == 0 }
        var done = 0
        while done < order.count {
            for dependent in dependents[order[done]].lazy.map({ Int($0) }) {
                waiting[dependent] -= 1
                if waiting[dependent] == 0 { order.append(dependent) }
            }
            done += 1
        }
        return order
    }

    /// Cycles, each from its first task in file order on; every task is in one at most.
    func cycles() -> [[Int]] {
        var isOrdered = [Bool](repeating: false, count: count)
        for task in order() { isOrdered[task] = true }
        /// The walk on which a task was met first; 0 means none.
        var walkOf = [Int](repeating: 0, count: count)
        var cycles: [[Int]] = []
        for start in 0..<count where !isOrdered[start] && walkOf[start] == 0 {
            let walk = start + 1
            var path: [Int] = []
            var task: Int? = start
            while let current = task, walkOf[current] == 0 {
                walkOf[current] = walk
                path.append(current)
                task = needs(of: current).first { !isOrdered[$0] }
            }
            guard let end = task, walkOf[end] == walk, let first = path.firstIndex(of: end) else {
                continue
            }
            let cycle = path[first...]
            let least = cycle.indices.min { cycle[$0] < cycle[$1] } ?? first
            cycles.append(Array(cycle[least...] + cycle[..<least]))
        }
        return cycles
    }

    /// Some tasks and all that they need, directly or not, in file order.
    func closure(of tasks: [Int]) -> [Int] {
        var isWanted = [Bool](repeating: false, count: count)
        var open = tasks
        while let task = open.popLast() {
            guard !isWanted[task] else { continue }
            isWanted[task] = true
            open.append(contentsOf: needs(of: task))
        }
        return isWanted.indices.filter { isWanted[$0] }
    }

    /// The graph of some tasks, which are numbered anew; all that they need must be among them.
    func restricted(to tasks: [Int]) -> TaskGraph {
        var numbers: [Int: Int] = [:]
        for (number, task) in tasks.enumerated() { numbers[task] = number }
        var graph = TaskGraph()
        for task in tasks { graph.append(needs: needs(of: task).compactMap { numbers[$0] }) }
        return graph
    }
}
