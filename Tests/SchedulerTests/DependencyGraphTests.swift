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

    @Test func `without needs everybody is free`() {
        var graph = graph([[], []])
        #expect(graph.freeTasks == [0..<2])
        #expect(graph.succeed(1).isEmpty && graph.fail(0).isEmpty)
    }

    @Test func `what needs a failed task is doomed once and never free`() {
        var graph = graph([[], [], [0, 1], [2]])
        #expect(graph.fail(0) == [2..<3])
        #expect(graph.fail(1).isEmpty)
        #expect(graph.succeed(1).isEmpty)
        #expect(graph.fail(2) == [3..<4])
    }
}
