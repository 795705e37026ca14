import Testing

@testable import Scheduler

@Suite struct DependencyGraphTests {
    @Test func `a task is free when its last need has succeeded`() {
        var graph = DependencyGraph(
            FakeSource(tasks: [
                .init("a"), .init("b"), .init("c").with { $0.needs = [0, 1] },
                .init("d").with { $0.needs = [2] },
            ])
        )
        #expect((0..<4).map { graph.isFree($0) } == [true, true, false, false])
        #expect(Array(graph.dependants(of: 0)) == [2])
        let isFreed = [graph.satisfyNeed(of: 2), graph.satisfyNeed(of: 2)]
        #expect(isFreed == [false, true])
        #expect(Array(graph.dependants(of: 2)) == [3])
        #expect(graph.dependants(of: 3).isEmpty)
    }

    @Test func `without needs everybody is free`() {
        let graph = DependencyGraph(FakeSource(tasks: [.init("a"), .init("b")]))
        #expect(graph.isFree(0) && graph.isFree(1))
        #expect(graph.dependants(of: 1).isEmpty)
    }
}
