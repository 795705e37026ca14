import Testing

@testable import Plan

@Suite struct NeedSearchTests {
    private func search(_ needs: [[Int]], mostSteps: Int = 500_000) -> NeedSearch {
        var graph = TaskGraph()
        for needs in needs { graph.append(needs: needs) }
        return NeedSearch(graph, mostSteps: mostSteps)
    }

    @Test func `a task leads to all that it needs, directly or not`() {
        let needs = [[], [0], [1], [2, 4], [], [4]]
        let reached: [Set<Int>] = [[], [0], [0, 1], [0, 1, 2, 4], [], [4]]
        var search = search(needs)
        for target in needs.indices {
            // In both orders, because answers are kept.
            for task in Array(needs.indices) + needs.indices.reversed() {
                let leads = search.leads(from: task, to: target)
                #expect(leads == reached[task].contains(target), "\(task) to \(target)")
            }
        }
    }

    @Test func `a circle ends the search and leads to itself`() {
        var search = search([[1], [2], [1], []])
        let answers = [(0, 3), (1, 1), (0, 2)].map { search.leads(from: $0.0, to: $0.1) }
        #expect(answers == [false, true, true])
    }

    @Test func `a long chain is searched once for all of its tasks`() {
        let count = 200_000
        var forwards = search((0..<count).map { $0 == 0 ? [] : [$0 - 1] })
        let first = (1..<count).allSatisfy { forwards.leads(from: $0, to: 0) }
        var backwards = search((0..<count).map { $0 == count - 1 ? [] : [$0 + 1] })
        let second = (0..<count - 1).allSatisfy { backwards.leads(from: $0, to: count - 1) }
        #expect([first, second] == [true, true])
    }

    @Test func `a question too many is answered in the negative`() {
        // Each asks for another target at the far end.
        var search = search((0..<100).map { $0 == 0 ? [] : [$0 - 1] }, mostSteps: 1000)
        let answers = (0..<20).map { search.leads(from: 99, to: $0) }
        #expect(answers == Array(repeating: true, count: 10) + Array(repeating: false, count: 10))
    }
}
