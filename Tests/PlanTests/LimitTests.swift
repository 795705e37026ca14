import Diagnostics
import TestSupport
import Testing
import TransferModel

@testable import Plan

/// Limits that keep a job from delaying `validate` or filling its memory.
@Suite struct LimitTests {
    private func diagnostics(_ text: String) -> [Diagnostic] {
        do {
            return try TestJob.plan(text).warnings
        } catch let rejected as PlanRejected {
            return rejected.diagnostics
        } catch {
            return []
        }
    }

    private static func list(_ count: Int, _ element: (Int) -> String) -> String {
        (0..<count).map(element).joined(separator: ", ")
    }

    @Test(arguments: ["${bad}", "${}", "${nope.x}", "${{ a.b }}"])
    func `of endless faults in a value a hundred are kept`(expression: String) {
        let template = Template(String(repeating: expression, count: 5000))
        #expect(template.faults.count == 100)
    }

    @Test func `endless faults in one value are a thousand and a last message`() {
        let value = String(repeating: "${var.x}", count: 5000)
        let found = diagnostics(
            "version: 1\ndata: { a: { url: 'https://a.example/', description: '\(value)' } }"
        )
        #expect(found.count == 1001)
        #expect(Set(found.map(\.range)).count == 1000)
        #expect(found.last?.code == "job.too-many-faults")
    }

    @Test(arguments: [
        "data: { t: { url: 'https://a.example/', headers: { # } } }",
        "data: { t: { url: 'https://a.example/', expect: { headers: { # } } } }",
        "defaults: { httpAdditionalHeaders: { # } }\ndata: { t: { url: 'https://a.example/' } }",
    ])
    func `a hundred fields are accepted and one more is an error`(job: String) {
        for (count, codes) in [(100, []), (101, ["job.out-of-range"])] {
            let fields = Self.list(count) { "h\($0): a" }
            let found = diagnostics("version: 1\n" + job.replacing("#", with: fields))
            #expect(found.map(\.code) == codes)
        }
    }

    @Test(arguments: [
        "method: V", "timeoutInterval: V", "session: V", "retry: { on: [V] }",
        "expect: { statusCode: [V] }", "expect: { mimeType: [V] }", "expect: { maximumSize: V }",
        "expect: { json: [V] }",
    ])
    func `a message quotes the beginning of a long value`(setting: String) throws {
        let value = "long" + String(repeating: " and longer", count: 1000)
        let found = diagnostics(
            "version: 1\nsessions: { s: {} }\nvariables: { x: '\(value)' }\n"
                + "data: { t: { url: 'https://a.example/', "
                + "\(setting.replacing("V", with: "\"${var.x}\"")) } }"
        )
        let messages = found.map(\.message)
        #expect(messages.contains { $0.contains("long and longer") && $0.contains("…`") })
        #expect(messages.allSatisfy { $0.utf8.count < 300 })
    }

    @Test(arguments: [(100, []), (101, ["job.out-of-range"])])
    func `a hundred pointers are accepted and one more is an error`(count: Int, codes: [String]) {
        let values = Self.list(count) { "/p\($0): a" }
        let url = "url: 'https://a.example/'"
        let found = diagnostics(
            "version: 1\ndata: { t: { \(url), expect: { json: { \(values) } } } }"
        )
        #expect(found.map(\.code) == codes)
    }

    @Test(arguments: [(1000, []), (1002, ["job.out-of-range"])])
    func `a thousand sessions are accepted and one more is an error`(
        count: Int,
        codes: [String]
    ) {
        let sessions = Self.list(count) { "s\($0): {}" }
        let task = "{ url: 'https://a.example/', session: s0 }"
        let found = diagnostics("version: 1\nsessions: { \(sessions) }\ndata: { t: \(task) }")
        #expect(found.map(\.code) == codes)
    }

    @Test(arguments: [(4095, []), (4096, ["job.bad-path"])])
    func `a path is as long as the system takes it`(length: Int, codes: [String]) {
        // The path is below `/jobs/`.
        let path = String(String(repeating: "ab/", count: 2000).prefix(length - 7)) + "x"
        let found = diagnostics(
            "version: 1\ndata: { t: { url: 'https://a.example/', responseTo: \(path) } }"
        )
        #expect(found.map(\.code) == codes)
    }

    @Test func `rows are not read further when their long values exceed a limit`() {
        let text = String(repeating: "x", count: 1 << 19)
        let found = diagnostics(
            """
            version: 1
            data:
              t:
                url: https://a.example/
                forEach: { range: [1, 100000] }
                description: "${item}\(text)"
            """
        )
        #expect(found.map(\.code) == ["job.out-of-range"])
        #expect(found.first?.notes.map(\.message) == ["in `t[128]`"])
    }

    @Test func `captures are found in any number`() throws {
        let captures = Self.list(2000) { "c\($0): { json: /a }" }
        let uses = Self.list(2000) { "'${task.a.c\($0)}'" }
        let plan = try TestJob.plan(
            """
            version: 1
            uploads:
              a: { url: "https://a.example/", text: x, capture: { \(captures) } }
              b: { url: "https://a.example/", needs: [a], json: [\(uses)] }
            """
        )
        #expect(plan.captureUses.sources(of: 1).elementsEqual([0]))
    }
}
