import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

@Suite struct RepeatedKeyCheckTests {
    @Test func `of each repeated key the first two tasks are found, in the order of the second`() {
        var check = RepeatedKeyCheck()
        for (task, hash) in [7, 5, 9, 5, 7, 5].enumerated() { check.note(UInt64(hash), of: task) }
        #expect(
            check.repetitions() == [.init(first: 1, second: 3), .init(first: 0, second: 4)]
        )
    }

    @Test func `an entry is warned of once`() throws {
        let text = "a: { idempotencyKey: x }\nb: { idempotencyKey: y }\n"
        let document = try #require(Document.parse(Array(text.utf8), name: "t.yaml").document)
        let tasks = TaskList(
            document.entries(of: document.root).map {
                TaskList.Entry(key: $0.key, value: $0.value, kind: .upload)
            },
            in: document
        )
        var check = RepeatedKeyCheck()
        for (hash, task) in [(1, 0), (1, 1), (2, 0), (2, 1)] { check.note(UInt64(hash), of: task) }
        let warnings = check.warnings(of: tasks, in: document)
        #expect(warnings.count == 1)
        #expect(warnings.first?.message.contains("the same as for upload `a`") == true)
    }
}
