import Testing

@testable import Plan

@Suite struct NeedSearchTests {
    private func graph(_ needs: [[Int]]) -> TaskGraph { TaskGraph(needs: needs) }

    /// Whether each task of the pairs needs the other.
    private func answers(_ needs: [[Int]], _ pairs: [(Int, Int)]) -> [Bool] {
        NeedSearch(graph(needs)).answers(to: pairs.map { .init(nodes: $0..<$0 + 1, source: $1) })
    }

    @Test func `a task leads to all of its direct and indirect needs`() {
        let needs = [[], [0], [1], [2, 4], [], [4]]
        let reached: [Set<Int>] = [[], [0], [0, 1], [0, 1, 2, 4], [], [4]]
        let pairs = needs.indices.flatMap { task in needs.indices.map { (task, $0) } }
        #expect(answers(needs, pairs) == pairs.map { reached[$0].contains($1) })
    }

    @Test func `a group needs a task when each of its tasks does`() {
        let search = NeedSearch(graph([[], [], [0], [0, 1], [2, 1]]))
        let questions: [NeedSearch.Question] = [
            .init(nodes: 2..<5, source: 0), .init(nodes: 2..<5, source: 1),
            .init(nodes: 3..<5, source: 1), .init(nodes: 2..<2, source: 1),
        ]
        #expect(search.answers(to: questions) == [true, false, true, true])
    }

    @Test func `tasks that lead into a loop have no messages`() {
        let needs = [[1], [2], [1], [], [3]]
        #expect(
            answers(needs, [(0, 3), (1, 1), (0, 2), (4, 3), (3, 4)]) == [
                true, true, true, true, false,
            ]
        )
    }

    @Test func `dependents of a node with unknown needs have no messages`() {
        let search = NeedSearch(graph([[], [], [0], [2], [], [1]]), unknown: [1..<3])
        let pairs = [(1, 4), (2, 4), (3, 4), (5, 0), (5, 4), (4, 0), (0, 1)]
        let questions = pairs.map { NeedSearch.Question(nodes: $0..<$0 + 1, source: $1) }
        #expect(search.answers(to: questions) == [true, true, true, true, true, false, false])
    }

    @Test func `any number of tasks may be queried`() {
        let count = 1000
        let chain = (0..<count).map { $0 == 0 ? [] : [$0 - 1] }
        let pairs = (0..<count).flatMap { task in [(task, 0), (task, task / 2), (task / 3, task)] }
        #expect(answers(chain, pairs) == pairs.map { $0 > $1 })
    }

    @Test func `hundreds of thousands of tasks with one need are handled`() {
        let count = 200_000
        let roots: [[Int]] = [[], []] + Array(repeating: [0], count: count)
        let graph = TaskGraph(needs: roots + (0..<count).map { [1, 2 + $0] })
        let question = NeedSearch.Question(nodes: 2 + count..<2 + 2 * count, source: 0)
        #expect(NeedSearch(graph).answers(to: [question]) == [true])
    }
}
