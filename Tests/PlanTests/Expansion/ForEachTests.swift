import Diagnostics
import JobFile
import Plan
import Testing
import TransferModel

@Suite struct ForEachTests {
    /// The plan of a text in `/jobs`, whose data files are these.
    static func plan(
        _ text: String,
        data: [String: MemoryFile] = [:],
        only: [String] = [],
        run: RunValues = .standIn
    ) throws -> Plan {
        let options = PlanOptions {
            $0.environment = ["HOST": "h.example"]
            $0.only = only
            $0.workingFolder = "/jobs"
            $0.dataFile = { data[$0] }
            $0.run = run
        }
        let result = Document.parse(Array(text.utf8), name: "test.yaml")
        #expect(result.diagnostics.isEmpty)
        return try Plan.make(from: #require(result.document), options: options)
    }

    private static func ids(_ plan: Plan) -> [String] {
        (0..<plan.taskCount).map { plan.id(of: $0) }
    }

    @Test(arguments: [
        ("items: [a, 2, 1.50, true]", ["t[a]", "t[2]", "t[1.50]", "t[true]"]),
        ("items: [{ id: x, n: 1 }, { n: 2, key: y }, { name: z }]", ["t[x]", "t[y]", "t[z]"]),
        ("items: ['${env.HOST}', '${var.v}']", ["t[h.example]", "t[five]"]),
        ("range: [3, 5]", ["t[3]", "t[4]", "t[5]"]),
        ("range: [10, 1, -4]", ["t[10]", "t[6]", "t[2]"]),
        ("range: [0, 5, 2]", ["t[0]", "t[2]", "t[4]"]),
        ("range: [7, 7]", ["t[7]"]),
        ("lines: words.txt", ["t[one]", "t[two words]"]),
        ("csv: rows.csv", ["t[A-1]", "t[B, 2]"]),
        ("csv: rows.csv, key: '${item.name}/${item.sku}'", ["t[first/A-1]", "t[/B, 2]"]),
        ("csv: ids.csv", ["t[9]"]),
        ("jsonLines: rows.ndjson", ["t[7]", "t[k]", "t[true]", "t[text]"]),
        ("items: []", []),
    ])
    func `items are named by their content`(form: String, expected: [String]) throws {
        let plan = try Self.plan(
            """
            version: 1
            variables: { v: five }
            data: { t: { forEach: { \(form) }, url: "http://a/" } }
            """,
            data: [
                "/jobs/words.txt": MemoryFile("one\n\ntwo words"),
                "/jobs/rows.csv": MemoryFile("sku,name\r\nA-1,first\r\n\"B, 2\",\r\n"),
                "/jobs/ids.csv": MemoryFile("name,id\nx,9\n"),
                "/jobs/rows.ndjson": MemoryFile(
                    #"{"id":7}\#n{"key":"k"}\#n{"a":true}\#n"text""#
                ),
            ]
        )
        #expect(Self.ids(plan) == expected)
        for index in 0..<plan.taskCount {
            let task = try plan.task(at: index)
            #expect(task.id == expected[index] && task.index == index)
        }
    }

    @Test func `settings that look alike keep their own bytes in each row`() throws {
        let plan = try Self.plan(
            """
            version: 1
            data:
              t:
                forEach: { items: [a, b] }
                url: "http://h/"
                headers: { One: "\u{E9}${item}", Two: "e\u{301}${item}" }
            """
        )
        for (index, item) in ["a", "b"].enumerated() {
            let values = try plan.task(at: index).request.headers.map { Array($0.value.utf8) }
            #expect(values == [Array("\u{E9}\(item)".utf8), Array("e\u{301}\(item)".utf8)])
        }
    }

    @Test func `a key may begin and end with what combines with a bracket`() throws {
        // A combining acute accent, and a sign that combines with the next character.
        for key in ["\u{301}x", "x\u{600}", "[\u{301}]"] {
            let text = """
                version: 1
                data:
                  g: { forEach: { items: ["\(key)"] }, url: "http://a/" }
                  h: { url: "http://a/", needs: ["g[\(key)]"] }
                """
            #expect(try Self.plan(text).needs(of: 1) == ["g"])
            #expect(Self.ids(try Self.plan(text, only: ["g[\(key)]"])) == ["g[\(key)]"])
        }
    }

    @Test func `values of an item may be any scalar, with their types`() throws {
        let row =
            #"{"id":1,"n":2.50,"big":12345678901234567890,"on":true,"no":null,"deep":{"list":[10,"x y"]}}"#
        let plan = try Self.plan(
            """
            version: 1
            uploads:
              t:
                forEach: { jsonLines: rows.ndjson }
                url: http://a/${item.deep.list.0}/${item.gone:-none}/${item.no:-nil}
                headers: { X-Id: "${item.id}" }
                required: ${item.on}
                priority: "${item.off:-0.25}"
                json: { n: "${item.n}", big: "${item.big}", on: "${item.on}", no: "${item.no}", s: "<${item.deep.list.1}>" }
                responseTo: out/${item.id}.json
                retry: { attempts: "${item.id}" }
            """,
            data: ["/jobs/rows.ndjson": MemoryFile(row)]
        )
        let task = try plan.task(at: 0)
        #expect(task.request.url.text == "http://a/10/none/nil")
        #expect(task.request.headers.first == HeaderField(name: "X-Id", value: "1"))
        #expect(task.destination?.path == "/jobs/out/1.json")
        #expect(task.retry.attempts == 1)
        #expect(plan.isRequired(0) && plan.priority(of: 0) == 0.25)
        let body = #"{"n":2.5,"big":12345678901234567890,"on":true,"no":null,"s":"<x y>"}"#
        #expect(task.body == .bytes(Array(body.utf8)))
    }

    @Test func `each row may have its own place in the run`() throws {
        let plan = try Self.plan(
            """
            version: 1
            data:
              first: { url: "http://a/", priority: low }
              t:
                forEach: { items: [{ id: a, p: 0.1, r: true }, { id: b, p: 0.9, r: false }] }
                url: http://a/
                priority: ${item.p}
                required: ${item.r}
              last: { url: "http://a/", required: false }
            """
        )
        #expect((0..<4).map { plan.priority(of: $0) } == [0.25, 0.1, 0.9, 0.5])
        #expect((0..<4).map { plan.isRequired($0) } == [true, true, false, false])
        #expect(Self.ids(plan) == ["first", "t[a]", "t[b]", "last"])
        let chosen = try Self.plan(
            "version: 1\ndata: { t: { forEach: { range: [1, 9] }, url: 'http://a/', priority: '0.${item}' } }",
            only: ["t[3]", "t[8]"]
        )
        #expect((0..<2).map { chosen.priority(of: $0) } == [0.3, 0.8])
        #expect(try chosen.task(at: 1).id == "t[8]")
    }

    @Test func `the run's values are the same in all tasks`() throws {
        let start = try #require(Timestamp(rfc3339Seconds: 1_795_223_043))
        let plan = try Self.plan(
            "version: 1\ndata: { t: { forEach: { range: [1, 2] }, url: 'http://a/${run.id}/${run.date}/${run.time}' } }",
            run: RunValues(id: "20261121T010403Z-abc", startDate: start)
        )
        let expected = "http://a/20261121T010403Z-abc/2026-11-21/2026-11-21T01:04:03Z"
        #expect(try (0..<2).map { try plan.task(at: $0).request.url.text } == [expected, expected])
        #expect(plan.runIdentifier == "20261121T010403Z-abc")
    }

    @Test(arguments: [
        ("../x", "job.path-escape"), ("a/../../x", "job.path-escape"),
        ("/etc/x", "job.path-escape"),
        ("ok", nil),
    ])
    func `a path may not climb by a row`(value: String, code: String?) throws {
        let text = """
            version: 1
            downloads: { t: { forEach: { csv: rows.csv }, url: "http://a/", to: "out/${item.to}" } }
            """
        let data = ["/jobs/rows.csv": MemoryFile("id,to\n1,fine\n2,\(value)\n")]
        guard let code else {
            _ = try Self.plan(text, data: data)
            return
        }
        let rejected = #expect(throws: PlanRejected.self) { try Self.plan(text, data: data) }
        #expect(rejected?.diagnostics.map(\.code) == [code])
        #expect(
            rejected?.diagnostics.first?.notes.map(\.message) == ["in `t[2]`, line 3 of `rows.csv`"]
        )
    }

    @Test func `twenty faulty rows are listed and no more are checked`() throws {
        let rows = (0..<100).map { "\($0),nowhere-\($0)\n" }.joined()
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan(
                "version: 1\ndata: { t: { forEach: { csv: rows.csv }, url: '${item.url}' } }",
                data: ["/jobs/rows.csv": MemoryFile("id,url\n" + rows)]
            )
        }
        #expect(rejected?.diagnostics.count == 20)
        let last = rejected?.diagnostics.last?.notes.last?.message
        #expect(last == "in `t[19]`, line 21 of `rows.csv`; further rows were not checked")
    }

    @Test func `a file changed since the check yields no task`() throws {
        let file = MemoryFile("id\n1\n2\n")
        let plan = try Self.plan(
            "version: 1\ndata: { a: { url: 'http://a/' }, t: { forEach: { csv: rows.csv }, url: 'http://a/${item.id}' } }",
            data: ["/jobs/rows.csv": file]
        )
        #expect(try plan.task(at: 2).id == "t[2]")
        file.change()
        let rejected = #expect(throws: PlanRejected.self) { try plan.task(at: 2) }
        #expect(rejected?.isEnvironment == true)
        #expect(
            rejected?.summary == "the data file `rows.csv` has changed since the job was checked"
        )
        #expect(plan.id(of: 2) == "t[#2]")
        #expect(try plan.task(at: 0).id == "a")
    }

    @Test func `every task of a forEach gets the captured value of its need`() throws {
        let plan = try Self.plan(
            """
            version: 1
            data:
              first: { forEach: { range: [1, 3] }, url: "http://a/" }
              login: { url: "http://a/", capture: { token: { header: X-Token } } }
              t:
                forEach: { range: [1, 2] }
                url: http://a/${item}
                headers: { X-Token: "${task.login.token}" }
                needs: [login]
            """
        )
        #expect(
            (0..<6).map { Array(plan.captureUses.sources(of: $0)) } == [[], [], [], [], [3], [3]]
        )
        let token = CapturedValue("token", "abc", .string)
        let task = try plan.task(at: 5, captured: [3: [token]])
        #expect(task.id == "t[2]" && task.request.headers.map(\.value) == ["abc"])
        #expect(plan.outline(of: 4).url == "http://a/1")
    }

    @Test(arguments: [
        (#"["${item}"]"#, true), ("[login]", false), (#"[login, "${item}"]"#, false),
        (#"["then[${item}]"]"#, false), ("[other]", true),
    ])
    func `each task of a forEach needs the sources of its captured values`(
        needs: String,
        isMissing: Bool
    ) throws {
        let text = """
            version: 1
            data:
              login: { url: "http://a/", capture: { t: { header: X } } }
              other: { url: "http://a/" }
              then: { forEach: { items: [login, other] }, url: "http://a/", needs: [login] }
              use:
                forEach: { items: [login, other] }
                needs: \(needs)
                url: "http://a/${task.login.t}"
            """
        let found = try TestJob.faults(text)
        #expect(found == (isMissing ? ["9:20 job.missing-need"] : []))
    }

    @Test func `captured values of an empty forEach add no need to the next task`()
        throws
    {
        let plan = try Self.plan(
            """
            version: 1
            data:
              login: { url: "http://a/", capture: { t: { header: X } } }
              none: { forEach: { items: [] }, url: "http://a/${task.login.t}", needs: [login] }
              next: { url: "http://a/" }
            """
        )
        #expect(plan.captureUses.isEmpty)
    }

    @Test func `many rows cost the plan a place for some dozens of them`() throws {
        let rows = (0..<10_000).map { "\($0)\n" }.joined()
        let file = MemoryFile("id\n" + rows)
        let plan = try Self.plan(
            """
            version: 1
            data:
              fetch: { forEach: { csv: rows.csv }, url: "http://a/${item.id}" }
              check: { forEach: { csv: rows.csv }, url: "http://a/${item.id}", needs: [fetch] }
            """,
            data: ["/jobs/rows.csv": file]
        )
        #expect(plan.taskCount == 20_000)
        // Two nodes and one edge.
        #expect(plan.graph.count == 2)
        #expect(Array(plan.graph.needs(of: 1)) == [0])
        #expect(plan.needs(of: 19_999) == ["fetch"])
        #expect(try plan.task(at: 19_999).request.url.text == "http://a/9999")
    }
}

extension Timestamp {
    fileprivate init?(rfc3339Seconds seconds: Int64) {
        self.init(microseconds: seconds * 1_000_000)
    }
}
