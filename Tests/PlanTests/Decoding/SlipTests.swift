import Diagnostics
import JobFile
import Testing

@testable import Plan

@Suite struct SlipTests {
    /// The diagnostics of a job, in the order of the file.
    private func diagnostics(_ text: String) throws -> [Diagnostic] {
        let document = try #require(Document.parse(Array(text.utf8), name: "test.yaml").document)
        do throws(PlanRejected) {
            return try Plan.make(from: document, options: PlanOptions()).warnings
        } catch {
            return error.diagnostics
        }
    }

    @Test func `a job with very many warnings is valid and shows the first hundred`() throws {
        let tasks = (0..<3000).map {
            "  t\($0): { url: 'http://a.example/', headers: { Cookie: a=b } }"
        }
        let plan = try TestJob.plan("version: 1\ndata:\n\(tasks.joined(separator: "\n"))")
        #expect(plan.taskCount == 3000)
        #expect(plan.warnings.count == 100)
        #expect(plan.warnings.last?.notes.last?.message == "further warnings are not listed")
        #expect(plan.warnings.dropLast().allSatisfy { $0.notes.count == 1 })
    }

    @Test func `a warning on what an anchor holds is given once`() throws {
        let tasks = (0..<200).map { "  t\($0): { url: 'https://a.example/', headers: *h }" }
        let text = "version: 1\nx-h: &h { X: $TOKEN }\ndata:\n\(tasks.joined(separator: "\n"))"
        #expect(try diagnostics(text).map(\.code) == ["job.suspicious-placeholder"])
    }

    @Test func `a placeholder in a plain text has an edit`() throws {
        let plain = try diagnostics(
            "version: 1\ndata: { a: { url: 'https://a.example/$HOST' } }"
        )
        #expect(plain.first?.fixIt?.replacement == "${env.HOST}")
        let escaped = try diagnostics(
            "version: 1\ndata: { a: { url: \"https://a.example/\\x41$HOST\" } }"
        )
        #expect(escaped.first?.help == "did you mean `${env.HOST}`?")
        #expect(escaped.first?.fixIt == nil)
    }

    @Test func `after many unknown names no more suggestions are made`() throws {
        let tasks = (0..<1000).map { "  t\($0): { url: 'https://a.example/', needs: [u\($0)] }" }
        let helps = try diagnostics("version: 1\ndata:\n\(tasks.joined(separator: "\n"))").map(
            \.help
        )
        #expect(helps[0] == "did you mean `t0`?")
        #expect(helps.filter { $0 != nil }.count == 50)
    }

    @Test func `a second reading of a task causes no warnings`() throws {
        let plan = try TestJob.plan(
            "version: 1\ndata: { a: { url: 'http://a.example/$HOST', headers: { Cookie: a=b } } }"
        )
        var reader = plan.source.reader
        let (entry, taskReader) = (plan.source.tasks.entries[0], plan.source.taskReader)
        var draft = taskReader.shared.defaults
        let isRight = taskReader.read(entry, into: &draft, with: &reader)
        #expect(isRight)
        #expect(reader.faults.log.diagnostics.isEmpty)
    }

    @Test(
        arguments: [
            ("012", "12"), ("00", "0"), ("-007", "-7"), ("+5", "5"), ("1_000", "1000"),
            ("00.5", "0.5"),
            ("0", "0"), ("0.5", "0.5"), ("many", nil), ("", nil), ("-", nil), ("0x", nil),
            ("1-2", nil),
        ] as [(String, String?)]
    )
    func `a number is recognized in other spellings`(text: String, number: String?) {
        #expect(Hints.likelyNumber(text) == number)
    }
}
