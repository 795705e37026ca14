import JobFile
import Plan
import Testing

@Suite struct PlanListingTests {
    private static let job = """
        version: 1
        variables: { base: "https://example.com", token: "${env.TOKEN}" }
        defaults:
          retry: { attempts: 2 }
        sessions:
          main: { connectTimeout: 5s, httpAdditionalHeaders: { Accept: "*/*" } }
        downloads:
          second:
            url: ${var.base}/b
            to: b
            needs: [first]
            headers: { Authorization: "Bearer ${var.token}", X-Key: "${env.KEY:-none}" }
            retry: { backoff: { initial: 3s } }
          first: { url: "${var.base}/a", to: a, description: "a\\tb" }
        """

    private static func plan() throws -> Plan {
        try TestJob.plan(job, environment: ["TOKEN": "s3cret"])
    }

    private static func text() throws -> String {
        var text = ""
        PlanListing(try plan()).writeText { text += $0 }
        return text
    }

    @Test func `tasks follow their needs`() throws {
        let lines = try Self.text().split(separator: "\n").filter { $0.contains(". download ") }
        #expect(lines == ["1. download first (line 14)", "2. download second (line 8)"])
    }

    @Test(arguments: [
        "job test (test.yaml): 2 tasks", "environment: KEY, TOKEN", "variables: base, token",
        "url https://example.com/b (line 9)", "needs [first] (line 11)",
        "retry.attempts 2 (line 4)", "retry.backoff.initial 3s (line 13)",
        "retry.backoff.maximum 2m (default)", "connectTimeout 5s (line 6)",
        "httpAdditionalHeaders.Accept ••• (line 6)", "configuration default (default)",
        "schedule.maxConcurrentTasks 16 (default)", "description ••• (line 14)",
        "priority 0.5 (default)",
    ])
    func `each setting has its value and its origin`(expected: String) throws {
        let lines = try Self.text().split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains(expected))
    }

    @Test func `a task's listing has its session's settings and their lines`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults: { timeoutIntervalForRequest: 9s }
            sessions:
              one: { timeoutIntervalForRequest: 5s }
              two: {}
            data:
              a: { url: http://a/, session: one }
              b: { url: http://b/, session: two }
              c: { url: http://c/, session: one, timeoutInterval: 1s }
            """
        )
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("  timeoutInterval ") }
        #expect(
            lines.map { $0.split(separator: " ").joined(separator: " ") } == [
                "timeoutInterval 5s (session one, line 4)",
                "timeoutInterval 9s (session two, line 2)", "timeoutInterval 1s (line 9)",
            ]
        )
    }

    @Test func `a file and a folder have one default of ifExists`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            downloads:
              file: { url: http://a/, to: out/a }
              folder: { url: http://a/, to: out/ }
              told: { url: http://a/, to: out/, ifExists: skip }
            """
        )
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        let lines = text.split(separator: "\n").filter { $0.hasPrefix("  ifExists ") }
        #expect(
            lines.map { $0.split(separator: " ").joined(separator: " ") }
                == [
                    "ifExists replace (default)", "ifExists replace (default)",
                    "ifExists skip (line 5)",
                ]
        )
    }

    @Test(arguments: ["session main (default)", "timeoutInterval 60s (session main, default)"])
    func `the listing has values that no line sets`(expected: String) throws {
        let lines = try Self.text().split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains(expected))
    }

    @Test func `values of the environment are not shown`() throws {
        let text = try Self.text()
        #expect(!text.contains("s3cret"))
        #expect(text.contains("Bearer ${var.token}"))
        #expect(text.contains("${env.KEY:-•••}"))
    }

    @Test func `the JSON has the same content`() throws {
        var bytes: [UInt8] = []
        PlanListing(try Self.plan()).writeJSON { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        let listing = try #require(Document.parse(bytes, name: "plan.json").document)
        let tasks = try #require(listing.value(of: listing.root, for: "tasks")).value
        let ids = listing.elements(of: tasks).compactMap { listing.value(of: $0, for: "id")?.value }
        #expect(ids.map { listing.text(of: $0) } == ["first", "second"])
        let environment = try #require(listing.value(of: listing.root, for: "environment")).value
        #expect(listing.elements(of: environment).map { listing.text(of: $0) } == ["KEY", "TOKEN"])
        #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
    }

    @Test func `each task of a forEach has its own values and the shared ones`() throws {
        let plan = try ForEachTests.plan(
            """
            version: 1
            variables: { secret: "${env.HOST}" }
            sessions: { a: { connectTimeout: 1s }, b: { timeoutIntervalForRequest: 2s } }
            data:
              get:
                forEach:
                  items: [{ id: x, s: a }, { id: y, s: b, n: 3, v: "${var.secret}" }]
                url: http://h/${item.id}/${item.n:-none}?run=${run.id}
                session: ${item.s}
                description: ${item.v:-empty}
              last: { url: "http://h/", session: a, needs: [get] }
            """
        )
        var text = ""
        PlanListing(plan).writeText { text += $0 }
        let lines = text.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        let expected = [
            "1. data get[x] (line 5)", "url http://h/x/none••• (line 8)",
            "session a (line 9)", "timeoutInterval 60s (session a, default)",
            "description ${item.v:-•••} (line 10)",
            "2. data get[y] (line 5)", "url http://h/y/3••• (line 8)",
            "session b (line 9)", "timeoutInterval 2s (session b, line 3)",
            "description ${item.v:-•••} (line 10)",
            "3. data last (line 11)", "needs [get] (line 11)",
        ]
        #expect(expected.filter { !lines.contains($0) }.isEmpty, "\(text)")
        #expect(!text.contains("h.example"))
    }

    @Test func `a long list is displayed up to its hundredth element`() throws {
        let items = (1...120).map(String.init).joined(separator: ", ")
        let plan = try ForEachTests.plan(
            """
            version: 1
            data: { get: { forEach: { items: [\(items)] }, url: "http://h/${item}" } }
            """
        )
        var lines: [Substring] = []
        PlanListing(plan).writeText { lines += $0.split(separator: "\n") }
        let shown = lines.filter { $0.contains("forEach.items") }
        #expect(shown.count == 120)
        #expect(shown.allSatisfy { $0.contains("[1, 2, ") && $0.contains(" 100, and 20 more]") })
    }

    @Test func `the JSON says what a task needs by the id of a whole forEach`() throws {
        let plan = try ForEachTests.plan(
            """
            version: 1
            data:
              get: { forEach: { range: [1, 3] }, url: "http://h/${item}" }
              all: { url: "http://h/", needs: [get] }
              one: { forEach: { range: [2, 3] }, url: "http://h/", needs: ["get[${item}]"] }
            """
        )
        var bytes: [UInt8] = []
        PlanListing(plan).writeJSON { piece in
            for index in piece.indices { bytes.append(piece[index]) }
        }
        let listing = try #require(Document.parse(bytes, name: "plan.json").document)
        let tasks = try #require(listing.value(of: listing.root, for: "tasks")).value
        let needs = listing.elements(of: tasks).map { task in
            let id = listing.value(of: task, for: "id").map { listing.text(of: $0.value) } ?? ""
            let needs = listing.value(of: task, for: "needs").map { listing.elements(of: $0.value) }
            return "\(id):\(needs?.map { listing.text(of: $0) } ?? [])"
        }
        #expect(
            Set(needs) == [
                "get[1]:[]", "get[2]:[]", "get[3]:[]", #"all:["get"]"#, #"one[2]:["get[2]"]"#,
                #"one[3]:["get[3]"]"#,
            ]
        )
    }
}
