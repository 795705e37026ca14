import Diagnostics
import JobFile
import Testing

@Suite struct DocumentTests {
    @Test func `a document is navigated by its keys`() throws {
        let text = """
            base: &base {a: 1, b: "zwei"}
            task:
              <<: *base
              b: ${var.x}
            list: [yes, 0x1F, ~]
            """
        let result = Document.parse(Array(text.utf8), name: "job.yaml")
        #expect(result.diagnostics.isEmpty)
        let document = try #require(result.document)
        let task = try #require(document.value(of: document.root, for: "task")).value
        let keys = document.entries(of: task).map { document.text(of: $0.key) }
        #expect(keys == ["b", "a"])
        let own = try #require(document.value(of: task, for: "b")).value
        #expect(document.hasInterpolation(own))
        let list = try #require(document.value(of: document.root, for: "list")).value
        #expect(
            document.elements(of: list).map { document.scalar(of: $0) } == [
                .string, .integer(31), .null,
            ]
        )
        #expect(document.range(of: list).end == SourcePosition(line: 5, column: 21))
    }
}
