internal import Diagnostics
internal import JobFile

extension PlanBuilder {
    /// Tasks of a circle that are named.
    private static let longestCycle = 10

    /// Reports tasks that need each other in circles.
    mutating func reportCycles(in graph: TaskGraph) {
        for nodes in graph.cycles() {
            let cycle = nodes.filter { !graph.tasks(of: $0).isEmpty }
            guard let first = cycle.first else { continue }
            let isLong = cycle.count > Self.longestCycle
            let shown = isLong ? Array(cycle.prefix(Self.longestCycle)) : cycle + [first]
            let ids =
                shown.map { "`\(reader.name(of: graph.tasks(of: $0)).excerpt)`" }
                + (isLong ? ["…"] : [])
            let entry = reader.tasks.entry(of: graph.tasks(of: first).lowerBound)
            reader.report(
                .needsCycle,
                "the tasks need each other in a circle: \(ids.joined(separator: " needs "))",
                at: document.value(of: entry.value, for: "needs")?.value ?? entry.key
            )
        }
    }
}
