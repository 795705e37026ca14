import Plan
import Diagnostics
import Testing
import TransferModel

@Suite struct VariableTests {
    @Test func `long values are filled in only so often in one job`() throws {
        let tasks = (0..<300).map {
            "  t\($0): { url: \"https://example.com/\", text: \"${var.long}\" }"
        }
        let text = """
            version: 1
            variables: { long: short }
            uploads:
            \(tasks.joined(separator: "\n"))
            """
        let long = String(repeating: "x", count: 1 << 20)
        #expect(try TestJob.plan(text).taskCount == 300)
        let rejected = #expect(throws: PlanRejected.self) {
            try TestJob.plan(text, variables: ["long": long])
        }
        #expect(rejected?.diagnostics.map(\.code) == ["job.out-of-range"])
        #expect(rejected?.diagnostics.first?.message.contains("64 MiB") == true)
    }

    /// The text that an upload sends for one member of its JSON.
    private func json(
        _ value: String,
        declared: String = "{}",
        variables: [String: String] = [:],
        environment: [String: String] = [:]
    ) throws -> String {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: \(declared)
            uploads:
              it: { url: "https://example.com/", json: { v: "\(value)" } }
            """,
            variables: variables,
            environment: environment
        )
        guard case .bytes(let bytes)? = try plan.task(at: 0).body else { return "" }
        return String(decoding: bytes.dropFirst(5).dropLast(), as: UTF8.self)
    }

    @Test(arguments: [
        ("5", "5"), ("true", "true"), ("null", "\"-\""), ("1.50", "1.5"), ("text", "\"text\""),
        ("'5'", "\"5\""),
        ("0x10", "16"), ("yes", "\"yes\""),
    ])
    func `a scalar that is one expression keeps the type of its variable`(
        declared: String,
        expected: String
    ) throws {
        let sent = try json(
            "${var.n:-\(declared == "null" ? "-" : "")}",
            declared: "{ n: \(declared) }"
        )
        #expect(sent == expected)
    }

    @Test func `text around an expression makes a string`() throws {
        #expect(try json("n-${var.n}", declared: "{ n: 0x10 }") == "\"n-0x10\"")
    }

    @Test func `values from the environment are text`() throws {
        #expect(try json("${env.N}", environment: ["N": "5"]) == "\"5\"")
        #expect(try json("${env.N:-5}") == "\"5\"")
    }

    @Test func `a value of the command line overrides and is read as a scalar`() throws {
        #expect(try json("${var.n}", declared: "{ n: 1 }", variables: ["n": "7"]) == "7")
        #expect(try json("${var.n}", variables: ["n": "7"]) == "7")
        #expect(
            try json("${var.n}", declared: "{ n: null }", variables: ["n": "seven"]) == "\"seven\""
        )
    }

    @Test func `a variable that is declared as a string stays one`() throws {
        #expect(
            try json("${var.n}", declared: "{ n: '1' }", variables: ["n": "00123"]) == "\"00123\""
        )
        #expect(try json("${var.n}", declared: "{ n: '1' }", variables: ["n": "123"]) == "\"123\"")
    }

    @Test func `variables refer to each other in any order`() throws {
        let declared = "{ a: '${var.b}/x', b: '${env.HOST}', c: '${var.d}', d: 5 }"
        #expect(try json("${var.a}", declared: declared, environment: ["HOST": "h"]) == #""h\/x""#)
        #expect(try json("${var.c}", declared: declared, environment: ["HOST": "h"]) == "5")
    }

    @Test func `an overridden value is not resolved`() throws {
        #expect(
            try json("${var.a}", declared: "{ a: '${env.NONE}' }", variables: ["a": "x"]) == "\"x\""
        )
    }

    @Test func `an unused variable is checked, too`() throws {
        let text = "version: 1\nvariables: { a: '${env.NONE}' }\ndata: { b: { url: 'http://a/' } }"
        #expect(try TestJob.faults(text) == ["2:18 job.missing-variable"])
    }

    @Test func `a fault in a variable is reported once for all its uses`() throws {
        let text = """
            version: 1
            variables: { a: "${env.NONE}" }
            data:
              b: { url: "http://${var.a}/" }
              c: { url: "http://${var.a}/" }
            """
        #expect(try TestJob.faults(text) == ["2:18 job.missing-variable"])
    }

    @Test func `a chain of variables may be long but not endless`() throws {
        let names = (0..<100).map { "  v\($0): \"${var.v\($0 + 1)}\"" }.joined(separator: "\n")
        let text =
            "version: 1\nvariables:\n\(names)\n  v100: end\ndata: { b: { url: 'http://a/' } }"
        #expect(try TestJob.faults(text) == ["67:8 job.out-of-range"])
    }

    @Test func `a chain of variables that are declared before their use has any length`() throws {
        let names = (1...1000).map { "  v\($0): \"${var.v\($0 - 1)}\"" }.joined(separator: "\n")
        let text = """
            version: 1
            name: "${var.v1000}"
            variables:
              v0: end
            \(names)
            data: { b: { url: 'http://a/' } }
            """
        #expect(try TestJob.plan(text).name == "end")
    }

    @Test func `variables that double each other end at a limit`() throws {
        let names = (1...40).map { "  v\($0): \"${var.v\($0 - 1)}${var.v\($0 - 1)}\"" }
        let text = """
            version: 1
            variables:
              v0: x
            \(names.joined(separator: "\n"))
            data: { b: { url: 'http://a/' } }
            """
        #expect(try TestJob.faults(text) == ["24:8 job.out-of-range"])
    }

    @Test func `many long values end at a limit, which is reported once`() throws {
        let names = (0..<200).map { "  v\($0): \"${var.x}${var.x}\"" }.joined(separator: "\n")
        let text = "version: 1\nvariables:\n\(names)\ndata: { b: { url: 'http://a/' } }"
        let long = String(repeating: "x", count: 1 << 19)
        #expect(try TestJob.faults(text, variables: ["x": long]) == ["19:8 job.out-of-range"])
    }

    @Test(arguments: ["a\nb", "a\rb", "a\u{0}b"])
    func `a value cannot add a line to the request`(value: String) throws {
        let text = """
            version: 1
            data:
              b:
                url: "http://a/${var.x}"
                method: "${var.x}"
                headers: { X: "${var.x}" }
            """
        let faults = try TestJob.faults(text, variables: ["x": value])
        #expect(faults == ["4:10 job.bad-url", "5:13 job.bad-method", "6:19 job.bad-header"])
    }

    @Test func `settings parse numbers and truth values of the environment`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            data: { a: { url: "http://a/", required: "${env.R}", priority: "${env.P}" } }
            schedule: { maxConcurrentTasks: "${env.N:-32}" }
            """,
            environment: ["R": "false", "P": "high"]
        )
        #expect(plan.schedule.maxConcurrentTasks == 32)
        #expect(!plan.isRequired(0))
    }
}
