import Plan
import Testing
import TransferModel

@testable import Scheduler

@Suite struct DependencyGraphTests {
    private func graph(_ needs: [[Int]]) -> DependencyGraph {
        DependencyGraph(TaskGraph(needs: needs))
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
        var other = graph
        #expect(other.succeed(1).isEmpty)
        #expect(graph.fail(1).isEmpty)
        #expect(graph.fail(2) == [3..<4])
    }

    @Test func `a group is free at once and done when all of its tasks are`() {
        // 0…2 need nothing, 3…5 need all of them, 6 needs those.
        var graph = DependencyGraph(
            TaskGraph(
                nodes: 3,
                unitSizes: [3, 3, 1],
                edges: [.init(1, needs: 0), .init(2, needs: 1)]
            )
        )
        #expect(graph.freeTasks == [0..<3])
        #expect([graph.succeed(2), graph.succeed(0), graph.succeed(1)] == [[], [], [3..<6]])
        #expect(graph.fail(4) == [6..<7])
        #expect(graph.succeed(3).isEmpty && graph.succeed(5).isEmpty)
    }

    @Test func `a task that needs an empty group which its condition refuses never starts`() {
        let failed = NeedTerm([.failed], alternative: 0, of: 1)
        let graph = DependencyGraph(
            TaskGraph(
                nodes: 3,
                unitSizes: [0, 0, 1],
                edges: [.init(1, needs: 0, failed), .init(2, needs: 1)]
            )
        )
        #expect(graph.refusedAtStart == [0..<1] && graph.freeTasks.isEmpty)
    }

    @Test func `a task behind an empty group is refused as the group is`() {
        let failed = NeedTerm([.failed], alternative: 0, of: 1)
        var graph = DependencyGraph(
            TaskGraph(
                nodes: 3,
                unitSizes: [1, 0, 1],
                edges: [.init(1, needs: 0, failed), .init(2, needs: 1)]
            )
        )
        let decisions = graph.end(0, as: .succeeded)
        #expect(decisions.refused == [1..<2] && decisions.doomed.isEmpty)
    }

    @Test func `a joint passes on, and so does a group without tasks`() {
        // Units 0 and 1, an empty group 2 that needs a joint of both, 3 needs the group.
        var graph = DependencyGraph(
            TaskGraph(
                nodes: 5,
                unitSizes: [1, 1, 0, 1],
                edges: [
                    .init(4, needs: 0), .init(4, needs: 1), .init(2, needs: 4), .init(3, needs: 2),
                ]
            )
        )
        #expect(graph.freeTasks == [0..<1, 1..<2])
        #expect(graph.succeed(0).isEmpty)
        #expect(graph.succeed(1) == [2..<3])
        var doomed = DependencyGraph(
            TaskGraph(
                nodes: 4,
                unitSizes: [1, 0, 1],
                edges: [.init(3, needs: 0), .init(1, needs: 3), .init(2, needs: 1)]
            )
        )
        #expect(doomed.fail(0) == [1..<2])
        let empty = DependencyGraph(
            TaskGraph(nodes: 2, unitSizes: [0, 2], edges: [.init(1, needs: 0)])
        )
        #expect(empty.freeTasks == [0..<2])
    }

    /// Task 2 starts when task 0 has failed, or task 1 has been skipped.
    private static func alarm() -> DependencyGraph {
        var graph = TaskGraph(needs: [[], []])
        graph.append(0, NeedTerm([.failed], alternative: 0, of: 2))
        graph.append(1, NeedTerm([.skipped], alternative: 1, of: 2))
        graph.endNode()
        return DependencyGraph(graph)
    }

    @Test func `a task starts when all of its needs have ended and one alternative holds`() {
        var graph = Self.alarm()
        #expect(graph.end(0, as: .failed).free.isEmpty)
        #expect(graph.end(1, as: .succeeded).free == [2..<3])
        #expect(graph.alternatives(of: 2).contains(AlternativeSet(0)))
        #expect(!graph.alternatives(of: 2).contains(AlternativeSet(1)))
    }

    @Test func `a task is refused once no alternative can hold any more`() {
        var graph = Self.alarm()
        #expect(graph.end(1, as: .succeeded).refused.isEmpty)
        let decisions = graph.end(0, as: .succeeded)
        #expect(decisions.refused == [2..<3] && decisions.free.isEmpty)
    }

    @Test(
        arguments: [
            ([.succeeded, .failed, .succeeded], [.failed], true),
            ([.skipped, .failed, .succeeded], [.skipped], false),
            ([.succeeded, .deferred, .skipped], [.deferred], true),
            ([.succeeded, .skipped, .succeeded], [.failed], false),
            ([.failed, .skipped, .deferred], [.succeeded, .skipped, .deferred, .failed], true),
        ] as [([NeedEnd], [NeedEnd], Bool)]
    )
    func `the tasks of a group together end as the worst of them`(
        ends: [NeedEnd],
        wanted: [NeedEnd],
        isFree: Bool
    ) {
        let term = NeedTerm(wanted, alternative: 0, of: 1)
        var graph = DependencyGraph(
            TaskGraph(nodes: 2, unitSizes: [3, 1], edges: [.init(1, needs: 0, term)])
        )
        var (free, refused): ([Range<Int>], [Range<Int>]) = ([], [])
        for (task, end) in ends.enumerated() {
            let decisions = graph.end(task, as: end)
            free += decisions.free
            refused += decisions.refused
        }
        #expect(free == (isFree ? [3..<4] : []))
        #expect(refused == (isFree ? [] : [3..<4]))
    }

    @Test func `a joint tells the worst end of its needs`() {
        // Units 0 and 1, unit 2 that waits for a failure among them, and their joint.
        var graph = DependencyGraph(
            TaskGraph(
                nodes: 4,
                unitSizes: [1, 1, 1],
                edges: [
                    .init(3, needs: 0), .init(3, needs: 1),
                    .init(2, needs: 3, NeedTerm([.failed], alternative: 0, of: 1)),
                ]
            )
        )
        #expect(graph.end(0, as: .failed).free.isEmpty)
        #expect(graph.end(1, as: .succeeded).free == [2..<3])
    }
}

extension DependencyGraph {
    fileprivate mutating func succeed(_ task: Int) -> [Range<Int>] {
        end(task, as: .succeeded).free
    }
    fileprivate mutating func fail(_ task: Int) -> [Range<Int>] {
        let decisions = end(task, as: .failed)
        #expect(decisions.free.isEmpty && decisions.refused.isEmpty)
        return decisions.doomed
    }
}
