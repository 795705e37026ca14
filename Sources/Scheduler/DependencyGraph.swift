/// Who waits for whom, and for how many.
///
/// Empty when no task needs another; else four bytes for each need and eight for each task.
struct DependencyGraph {
    /// Where each task's part of `dependants` begins, and at the end where the last one's ends.
    private var offsets: [UInt32] = []
    private var dependants: [UInt32] = []
    /// How many needs of each task have not succeeded yet.
    private var openNeeds: [UInt32] = []

    init(_ source: any TaskSource) {
        var edges: [(need: UInt32, task: UInt32)] = []
        for task in 0..<source.taskCount {
            for need in source.needs(of: task) { edges.append((UInt32(need), UInt32(task))) }
        }
        guard !edges.isEmpty else { return }
        openNeeds = Array(repeating: 0, count: source.taskCount)
        offsets = Array(repeating: 0, count: source.taskCount + 1)
        for edge in edges {
            openNeeds[Int(edge.task)] += 1
            offsets[Int(edge.need) + 1] += 1
        }
        for task in 0..<source.taskCount { offsets[task + 1] += offsets[task] }
        var next = offsets
        dependants = Array(repeating: 0, count: edges.count)
        for edge in edges {
            dependants[Int(next[Int(edge.need)])] = edge.task
            next[Int(edge.need)] += 1
        }
    }

    /// Whether nothing keeps the task from starting.
    func isFree(_ task: Int) -> Bool {
        openNeeds.isEmpty || openNeeds[task] == 0
    }

    /// The tasks that need this one, in file order.
    func dependants(of task: Int) -> ArraySlice<UInt32> {
        guard !offsets.isEmpty else { return [] }
        return dependants[Int(offsets[task])..<Int(offsets[task + 1])]
    }

    /// Takes note that one need of the task has succeeded; true when it was the last one.
    mutating func satisfyNeed(of task: Int) -> Bool {
        openNeeds[task] -= 1
        return openNeeds[task] == 0
    }
}
