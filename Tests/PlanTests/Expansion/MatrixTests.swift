import JobFile
import Testing

@testable import Plan

@Suite struct MatrixTests {
    private func combinations(_ settings: String) throws -> [String] {
        let plan = try TestJob.plan(
            "version: 1\ndata: { t: { forEach: { \(settings) }, url: 'http://a/' } }"
        )
        return (0..<plan.taskCount).map { String(plan.id(of: $0).dropFirst(2).dropLast()) }
    }

    @Test func `every combination is an item, and the last name changes fastest`() throws {
        #expect(
            try combinations("matrix: { a: [1, 2], b: [x, y, z] }") == [
                "1,x", "1,y", "1,z", "2,x", "2,y", "2,z",
            ]
        )
    }

    @Test(arguments: [
        ("[{ a: 1, b: y }]", ["1,x", "1,z", "2,x", "2,y", "2,z"]),
        ("[{ a: 1 }]", ["2,x", "2,y", "2,z"]),
        ("[{ b: x }, { a: 2, b: z }]", ["1,y", "1,z", "2,y"]),
        ("[{ b: x }, { a: 1, b: x }]", ["1,y", "1,z", "2,y", "2,z"]),
        ("[{ a: 1 }, { a: 2 }]", []),
    ])
    func `excluded combinations are left out`(exclude: String, expected: [String]) throws {
        let matrix = "matrix: { a: [1, 2], b: [x, y, z] }, exclude: \(exclude)"
        #expect(try combinations(matrix) == expected)
    }

    @Test func `numbers of left out combinations count as positions do`() {
        #expect(Matrix.numbers(of: [nil, 1], sizes: [2, 3]) == [1, 4])
        #expect(Matrix.numbers(of: [1, nil], sizes: [2, 3]) == [3, 4, 5])
    }
}
