import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

@Suite struct TemplateBodyTests {
    private static func plan(
        _ settings: String,
        _ files: [String: String],
        secrets: String = "{}"
    ) throws -> Plan {
        let text = """
            version: 1
            variables: { quote: 'a "b" \\ c', count: 3, big: 12345678901234567890 }
            secrets: \(secrets)
            uploads:
              it:
                url: https://example.com/
                \(settings)
            """
        let document = try #require(Document.parse(Array(text.utf8), name: "job.yaml").document)
        let options = PlanOptions {
            $0.environment = ["HOST": "h", "PIN": "12 34"]
            $0.workingFolder = "/jobs"
            $0.dataFile = { path in files[path].map { MemoryFile($0) } }
        }
        return try Plan.make(from: document, options: options)
    }

    private static func body(_ plan: Plan, of index: Int = 0) throws -> String {
        guard case .bytes(let bytes)? = try plan.task(at: index).body else { return "" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `expressions of a JSON file are filled in under the rules of JSON`() throws {
        let template = #"""
            { "text": "<${var.quote}>", "count": "${var.count}", "big": "${var.big}",
              "env": "${env.PIN}", "none": null, "price": 12.50, "price2": 1e3, "plain": "a\nb",
              "literal": "$${x}", "dollar": "5 $", "list": ["${env.NO:-7}", true] }
            """#
        let plan = try Self.plan("json: { fromFile: order.json }", ["/jobs/order.json": template])
        #expect(
            try Self.body(plan)
                == #"{"text":"<a \"b\" \\ c>","count":3,"big":12345678901234567890,"#
                + #""env":"12 34","none":null,"price":12.50,"price2":1e3,"plain":"a\nb","#
                + #""literal":"${x}","dollar":"5 $","list":["7",true]}"#
        )
        let type = try plan.task(at: 0).request.headers.first { $0.name == "Content-Type" }
        #expect(type?.value == "application/json")
    }

    @Test func `each item fills in the file for itself`() throws {
        let plan = try Self.plan(
            "forEach: { items: [{ id: 1, n: x }, { id: 2, n: '\"' }] }\n    json: { fromFile: 'order-${item.id}.json' }",
            [
                "/jobs/order-1.json": #"{"id":"${item.id}","name":"${item.n}"}"#,
                "/jobs/order-2.json": #"["${item.n}"]"#,
            ]
        )
        #expect(try Self.body(plan) == #"{"id":1,"name":"x"}"#)
        #expect(try Self.body(plan, of: 1) == #"["\""]"#)
    }

    @Test func `the options of encoding hold for a file`() throws {
        let plan = try Self.plan(
            "json: { fromFile: a.json }\n    encoding: { outputFormatting: [sortedKeys], keyEncodingStrategy: convertToSnakeCase }",
            ["/jobs/a.json": #"{"lastName":"b","firstName":"a"}"#]
        )
        #expect(try Self.body(plan) == #"{"first_name":"a","last_name":"b"}"#)
    }

    @Test func `the text of a file is filled in as it is`() throws {
        let plan = try Self.plan(
            "text: { fromFile: letter.txt }",
            ["/jobs/letter.txt": "\u{FEFF}Dear ${var.quote},\n$${no} ${env.HOST}\n"]
        )
        #expect(try Self.body(plan) == "Dear a \"b\" \\ c,\n${no} h\n")
        let type = try plan.task(at: 0).request.headers.first { $0.name == "Content-Type" }
        #expect(type?.value == "text/plain; charset=utf-8")
    }

    @Test func `a mapping with more keys than fromFile is the body itself`() throws {
        let plan = try Self.plan("json: { fromFile: a.json, b: 1 }", [:])
        #expect(try Self.body(plan) == #"{"fromFile":"a.json","b":1}"#)
    }

    @Test func `a file may hold secrets, which go only to their origins`() throws {
        let files = ["/jobs/a.json": #"{"pin":"${secret.pin}"}"#]
        let plan = try Self.plan(
            "json: { fromFile: a.json }",
            files,
            secrets: "{ pin: { env: PIN } }"
        )
        #expect(plan.neededSecrets.map(\.name) == ["pin"])
        let filled = try plan.with(["pin": Secret("12 34")])
        #expect(try Self.body(filled) == #"{"pin":"12 34"}"#)
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan(
                "json: { fromFile: a.json }",
                files,
                secrets: "{ pin: { env: PIN, origins: ['https://a.test'] } }"
            )
        }
        #expect(rejected?.diagnostics.first?.code == "job.secret-to-other-origin")
    }

    @Test func `captured values are filled in when the task starts`() throws {
        let text = """
            version: 1
            data: { login: { url: "https://a.example/", capture: { id: { json: /id } } } }
            uploads:
              it: { url: "https://a.example/", needs: login, json: { fromFile: a.json } }
            """
        let document = try #require(Document.parse(Array(text.utf8), name: "job.yaml").document)
        let options = PlanOptions {
            $0.workingFolder = "/jobs"
            $0.dataFile = { _ in MemoryFile(#"{"id":"${task.login.id}","as":"<${task.login.id}>"}"#)
            }
        }
        let plan = try Plan.make(from: document, options: options)
        #expect(Array(plan.captureUses.sources(of: 1)) == [0])
    }

    @Test func `a file that is too large for a body is refused`() throws {
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan(
                "text: { fromFile: a.txt }",
                ["/jobs/a.txt": String(repeating: "a", count: (16 << 20) + 1)]
            )
        }
        #expect(rejected?.diagnostics.first?.code == "job.out-of-range")
    }
}
