import Testing

@testable import Plan

@Suite struct TaskGraphTests {
    private func graph(_ needs: [[Int]]) -> TaskGraph { TaskGraph(needs: needs) }

    @Test(arguments: [
        ([], []),
        ([[], []], [0, 1]),
        ([[1], []], [1, 0]),
        ([[2], [], [1], []], [1, 3, 2, 0]),
        ([[1, 2], [3], [3], []], [3, 1, 2, 0]),
        ([[0], []], [1]),
    ])
    func `needed tasks come first`(needs: [[Int]], order: [Int]) {
        #expect(graph(needs).order() == order)
    }

    @Test(arguments: [
        ([[], [0]], []),
        ([[0]], [[0]]),
        ([[1], [2], [0]], [[0, 1, 2]]),
        ([[2], [2], [3], [2]], [[2, 3]]),
        ([[1], [0], [3], [2], [0]], [[0, 1], [2, 3]]),
        ([[], [3, 0], [1], [2]], [[1, 3, 2]]),
    ])
    func `each cycle is found once, from its first task on`(needs: [[Int]], cycles: [[Int]]) {
        #expect(graph(needs).cycles() == cycles)
    }

    @Test func `a long chain is no deep recursion`() {
        let chain = graph((0..<200_000).map { $0 == 0 ? [] : [$0 - 1] })
        #expect(chain.order().last == 199_999)
        #expect(chain.cycles().isEmpty)
        let ring = graph((0..<200_000).map { [($0 + 1) % 200_000] })
        #expect(ring.cycles().map(\.count) == [200_000])
    }

    @Test func `a part of a graph is numbered anew`() {
        let whole = graph([[], [0], [], [1], [3]])
        let chosen = whole.closure(of: [3])
        #expect(chosen == [0, 1, 3])
        let part = whole.restricted(to: chosen)
        #expect((0..<part.count).map { Array(part.needs(of: $0)) } == [[], [0], [1]])
    }
}

extension TaskGraph {
    /// A graph of tasks by the numbers of their needs, each once.
    init(needs: [[Int]]) {
        self.init()
        for needs in needs {
            for need in needs { append(need, .success) }
            endNode()
        }
    }
}
