import Diagnostics

/// Finds tasks that need each other in a circle.
enum CycleCheck {
    /// Tasks of one circle that a message names.
    private static let longestCycle = 10

    /// An error for each circle of a graph; `name` gives the id of the tasks of a node, `place`
    /// the places of a task's needs.
    static func faults(
        in graph: TaskGraph,
        name: (Range<Int>) -> String,
        place: (_ task: Int) -> SourceRange
    ) -> [Diagnostic] {
        graph.cycles().compactMap { nodes in
            let cycle = nodes.map(graph.tasks).filter { !$0.isEmpty }
            guard let first = cycle.first else { return nil }
            let isLong = cycle.count > longestCycle
            let shown = isLong ? Array(cycle.prefix(longestCycle)) : cycle + [first]
            let ids = shown.map { "`\(name($0).excerpt)`" } + (isLong ? ["…"] : [])
            return Diagnostic(
                .error,
                JobCode.needsCycle,
                "circular dependency: \(ids.joined(separator: " needs "))",
                at: place(first.lowerBound)
            )
        }
    }
}
