import Plan
import Testing

@testable import Scheduler

@Suite struct DependencyGraphTests {
    private func graph(_ needs: [[Int]]) -> DependencyGraph {
        var graph = TaskGraph()
        for needs in needs { graph.append(needs: needs) }
        return DependencyGraph(graph)
    }

    @Test func `a task is free when its last need has succeeded`() {
        var graph = graph([[], [], [0, 1], [2]])
        #expect(graph.freeTasks == [0..<1, 1..<2])
        #expect([graph.succeed(0), graph.succeed(1)] == [[], [2..<3]])
        #expect(graph.succeed(2) == [3..<4])
        #expect(graph.succeed(3).isEmpty)
    }

    @Test func `without needs every task is free`() {
        var graph = graph([[], []])
        #expect(graph.freeTasks == [0..<2])
        #expect(graph.succeed(1).isEmpty && graph.fail(0).isEmpty)
    }

    @Test func `dependents of a failed task are doomed once and never free`() {
        var graph = graph([[], [], [0, 1], [2]])
        #expect(graph.fail(0) == [2..<3])
        #expect(graph.fail(1).isEmpty)
        #expect(graph.succeed(1).isEmpty)
        #expect(graph.fail(2) == [3..<4])
    }

    @Test func `a group is free at once and done when all of its tasks are`() {
        // 0…2 need nothing, 3…5 need all of them, 6 needs those.
        var graph = DependencyGraph(
            TaskGraph(nodes: 3, unitSizes: [3, 3, 1], needs: [(1, 0), (2, 1)])
        )
        #expect(graph.freeTasks == [0..<3])
        #expect([graph.succeed(2), graph.succeed(0), graph.succeed(1)] == [[], [], [3..<6]])
        #expect(graph.fail(4) == [6..<7])
        #expect(graph.succeed(3).isEmpty && graph.succeed(5).isEmpty)
    }

    @Test func `a joint passes on, and so does a group without tasks`() {
        // Units 0 and 1, an empty group 2 that needs a joint of both, 3 needs the group.
        var graph = DependencyGraph(
            TaskGraph(
                nodes: 5,
                unitSizes: [1, 1, 0, 1],
                needs: [(4, 0), (4, 1), (2, 4), (3, 2)]
            )
        )
        #expect(graph.freeTasks == [0..<1, 1..<2])
        #expect(graph.succeed(0).isEmpty)
        #expect(graph.succeed(1) == [2..<3])
        var doomed = DependencyGraph(
            TaskGraph(nodes: 4, unitSizes: [1, 0, 1], needs: [(3, 0), (1, 3), (2, 1)])
        )
        #expect(doomed.fail(0) == [1..<2])
        let empty = DependencyGraph(TaskGraph(nodes: 2, unitSizes: [0, 2], needs: [(1, 0)]))
        #expect(empty.freeTasks == [0..<2])
    }
}
