import Diagnostics
import Testing

@testable import Plan

@Suite struct TaskGraphBuilderTests {
    private static let job = """
        version: 1
        data:
          single: { url: "http://a/", needs: ["fetch[2]"] }
          fetch: { forEach: { range: [1, 3] }, url: "http://a/${item}" }
          check: { forEach: { range: [1, 3] }, url: "http://a/", needs: ["fetch[${item}]"] }
          all: { forEach: { range: [1, 2] }, url: "http://a/${item}", needs: [check, single] }
          empty: { forEach: { items: [] }, url: "http://a/", needs: [all] }
          last: { url: "http://a/", needs: [fetch, empty] }
        """

    private func needs(_ only: [String] = []) throws -> [String] {
        let plan = try ForEachTests.plan(Self.job, only: only)
        return (0..<plan.taskCount).map {
            "\(plan.id(of: $0)) <- \(plan.needs(of: $0).joined(separator: " "))"
        }
    }

    @Test func `rows are separate nodes where a task needs a single one`() throws {
        #expect(
            try needs() == [
                "single <- fetch[2]", "fetch[1] <- ", "fetch[2] <- ", "fetch[3] <- ",
                "check[1] <- fetch[1]", "check[2] <- fetch[2]", "check[3] <- fetch[3]",
                "all[1] <- check single", "all[2] <- check single", "last <- fetch",
            ]
        )
    }

    @Test(arguments: [
        (["check[3]"], ["fetch[3]", "check[3]"]),
        (["fetch[3]", "fetch[1]"], ["fetch[1]", "fetch[3]"]),
        (["single", "check[1]"], ["single", "fetch[1]", "fetch[2]", "check[1]"]),
        (["check"], ["fetch[1]", "fetch[2]", "fetch[3]", "check[1]", "check[2]", "check[3]"]),
        (
            ["last"],
            [
                "single", "fetch[1]", "fetch[2]", "fetch[3]", "check[1]", "check[2]", "check[3]",
                "all[1]", "all[2]", "last",
            ]
        ),
    ])
    func `a selected task comes with its needs`(only: [String], expected: [String]) throws {
        #expect(
            try needs(only).compactMap { $0.split(separator: " ").first.map(String.init) }
                == expected
        )
    }

    @Test func `a need of a whole group costs at most one edge for each row`() throws {
        let plan = try ForEachTests.plan(
            """
            version: 1
            data:
              one: { url: "http://a/", needs: ["fetch[1]"] }
              fetch: { forEach: { range: [1, 1000] }, url: "http://a/${item}" }
              check: { forEach: { range: [1, 1000] }, url: "http://a/${item}", needs: [fetch] }
            """
        )
        let edges = (0..<plan.graph.count).reduce(0) { $0 + plan.graph.needs(of: $1).count }
        #expect(edges == 1000 + 1 + 1)
    }

    @Test(arguments: [Need(entry: 3), Need(entry: 0, row: 0), Need(entry: 9, row: 9_999_999)])
    func `a need takes eight bytes`(need: Need) {
        #expect(MemoryLayout<Need>.stride == 8)
        #expect(need == Need(entry: need.entry, row: need.row))
    }

    @Test func `circular needs through rows are listed with their ids`() throws {
        let rejected = #expect(throws: PlanRejected.self) {
            try ForEachTests.plan(
                """
                version: 1
                data:
                  a: { forEach: { items: [x, y] }, url: "http://a/", needs: ["b[${item}]"] }
                  b: { forEach: { items: [x, y] }, url: "http://a/", needs: [c] }
                  c: { url: "http://a/", needs: ["a[y]"] }
                """
            )
        }
        #expect(
            rejected?.diagnostics.map(\.message) == [
                "circular dependency: `a[y]` needs `b[y]` needs `c` needs `a[y]`"
            ]
        )
    }

    @Test func `groups that need each other are a loop of two`() throws {
        let rejected = #expect(throws: PlanRejected.self) {
            try ForEachTests.plan(
                """
                version: 1
                data:
                  a: { forEach: { range: [1, 1000] }, url: "http://a/", needs: [b] }
                  b: { forEach: { range: [1, 1000] }, url: "http://a/", needs: [a] }
                """
            )
        }
        let circle = "circular dependency: `a` needs `b` needs `a`"
        #expect(rejected?.diagnostics.map(\.message) == [circle])
    }
}
