import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct ExpansionTests {
    @Test(arguments: [(2, 1), (3, 1), (4, 0)])
    func `as many tasks as the limit are accepted and one more is refused`(
        rows: Int,
        groups: Int
    ) throws {
        let job = """
            version: 1
            data:
              one: { url: "https://a/" }
              two: { forEach: { range: [1, 2] }, url: "https://a/" }
              three: { forEach: { csv: rows.csv }, url: "https://a/" }
            """
        let file = MemoryFile("id\n" + (0..<rows).map { "\($0)\n" }.joined())
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.dataFile = { _ in file }
        }
        let document = Document.parse(Array(job.utf8), name: "test.yaml").document
        let (head, headReader) = JobHead.read(try #require(document), options)
        var reader = headReader
        reader.values.tasks = TaskEntries.list(of: head, &reader)
        let expansion = Expansion(options, mostTasks: 6, with: &reader)
        #expect(expansion.groups.map(\.rows.count) == [2, groups * rows])
        #expect(
            reader.faults.log.diagnostics.map(\.message)
                == (groups == 1 ? [] : ["`forEach`: more than 6 tasks in the job"])
        )
    }
}
