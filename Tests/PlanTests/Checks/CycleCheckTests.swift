import Diagnostics
import Testing

@testable import Plan

@Suite struct CycleCheckTests {
    /// The messages for a graph of tasks that `t` and their numbers name.
    private func messages(_ needs: [[Int]]) -> [String] {
        let graph = TaskGraph(needs: needs)
        let place = SourceRange(SourcePosition(line: 1, column: 1))
        return CycleCheck.faults(in: graph) {
            "t\($0.lowerBound)"
        } place: { _ in
            place
        }
        .map(\.message)
    }

    @Test func `each loop of needs is one error that names its tasks`() {
        #expect(
            messages([[1], [0], [], [3]]) == [
                "circular dependency: `t0` needs `t1` needs `t0`",
                "circular dependency: `t3` needs `t3`",
            ]
        )
    }

    @Test func `tasks that lead into a loop belong to none`() {
        #expect(messages([[1], [1], [0]]).count == 1)
        #expect(messages([[], [0], [0, 1]]).isEmpty)
    }

    @Test func `a long circle names its first ten tasks`() throws {
        let message = try #require(messages((0..<12).map { [($0 + 1) % 12] }).first)
        #expect(message.hasSuffix("`t9` needs …"))
    }
}
