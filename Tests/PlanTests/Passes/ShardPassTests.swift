import Diagnostics
import JobFile
import Testing
import TransferModel

@testable import Plan

/// A plan of a shard has a part of the tasks of its job.
@Suite struct ShardPassTests {
    private static func plan(
        _ text: String,
        shard: Shard?,
        data: [String: MemoryFile] = [:],
        only: [String] = []
    ) throws -> Plan {
        let options = PlanOptions {
            $0.only = only
            $0.shard = shard
            $0.workingFolder = "/jobs"
            $0.dataFile = { data[$0] }
            $0.mostKeptTasks = 100
        }
        let document = Document.parse(Array(text.utf8), name: "test.yaml").document
        return try Plan.make(from: #require(document), options: options)
    }

    private static func ids(_ plan: Plan) -> [String] {
        (0..<plan.taskCount).map { plan.id(of: $0) }
    }

    /// The plans of all shards, whose tasks are those of the whole job, each once.
    private static func shards(
        _ count: Int,
        of text: String,
        data: [String: MemoryFile] = [:],
        only: [String] = []
    ) throws -> [Plan] {
        let whole = try plan(text, shard: nil, data: data, only: only)
        let plans = try (1...count).map {
            try plan(text, shard: Shard($0, of: count), data: data, only: only)
        }
        #expect(plans.flatMap(ids).sorted() == ids(whole).sorted())
        let orders = plans.reduce(0) { $0 + $1.orderCount }
        #expect(!only.isEmpty || orders == whole.orderCount)
        for plan in plans {
            for index in 0..<plan.taskCount {
                let task = try plan.task(at: index)
                #expect(task.id == plan.id(of: index) && task.index == index)
            }
        }
        return plans
    }

    private static let rows = MemoryFile(
        "id,level\n" + (1...200).map { "\($0),0.\($0 % 10)\n" }.joined()
    )

    private static let free = """
        version: 1
        uploads:
          orders:
            forEach: { csv: rows.csv }
            url: "https://a/${item.id}"
            priority: ${item.level}
            text: x
            idempotencyKey: auto
        downloads:
          one: { url: "https://a/1", to: one }
          two: { url: "https://a/2", to: two }
          many: { forEach: { range: [1, 50] }, url: "https://a/${item}", to: "many/${item}" }
        """

    /// The keys together are longer than the filled-in values of one task may be.
    @Test func `each row is in its shard, however long the keys of all rows are`() throws {
        let pad = String(repeating: "k", count: 190)
        let rows = "id\n" + (1...90_000).map { "\(pad)\($0)\n" }.joined()
        let shard = try Shard(1, of: 100)
        let plan = try Self.plan(
            """
            version: 1
            data:
              t: { forEach: { csv: rows.csv, key: "${item.id}" }, url: "http://h/" }
            """,
            shard: shard,
            data: ["/jobs/rows.csv": MemoryFile(rows)]
        )
        let keys = Self.ids(plan)
        #expect(keys.count < 2000 && keys.allSatisfy(shard.has))
    }

    @Test(arguments: [1, 2, 7, 300])
    func `each task runs in one shard`(count: Int) throws {
        let plans = try Self.shards(count, of: Self.free, data: ["/jobs/rows.csv": Self.rows])
        for (number, plan) in plans.enumerated() {
            let shard = try Shard(number + 1, of: count)
            #expect(plan.shard == shard && plan.shardWarning == nil)
            #expect(Self.ids(plan).allSatisfy(shard.has))
        }
    }

    /// Keys that are bytes of their rows, and keys that are not.
    @Test(
        arguments: [
            "csv: rows.csv", "csv: rows.csv, key: '${item.id}'",
            "csv: rows.csv, key: '${item.last}-$${${item.id}}'",
            "csv: rows.csv, key: 'é${item.id}'", "csv: rows.csv, key: '${item.id:-none}'",
            "csv: rows.csv, key: '${var.day}/${item.id}'", "lines: rows.csv",
            "lines: rows.csv, key: 'x${item}'", "jsonLines: rows.jsonl",
        ],
        ["\n", "\r\n"]
    )
    func `rows go to the shards of their ids, whatever their keys are`(
        forEach: String,
        end: String
    ) throws {
        let keys = ["plain", "\"with, comma\"", "\"a \"\"quote\"\"\"", "Zürich", "\"x\"", "東京"]
        let rows = keys.map { "\"1, 2\",\($0),last\(end)" }.joined(separator: end)
        let job = """
            version: 1
            variables: { day: monday }
            data: { a: { forEach: { \(forEach) }, url: "https://a/${var.day}" } }
            """
        let data = [
            "/jobs/rows.csv": MemoryFile("\u{FEFF}first,id,last\(end)" + rows),
            "/jobs/rows.jsonl": MemoryFile("1\(end)\"é\"\(end){ \"id\": \"x\" }\(end)"),
        ]
        for (number, plan) in try Self.shards(3, of: job, data: data).enumerated() {
            let shard = try Shard(number + 1, of: 3)
            #expect(Self.ids(plan).allSatisfy(shard.has))
        }
    }

    @Test func `the tasks of a shard keep their own settings`() throws {
        let plan = try Self.plan(
            Self.free,
            shard: Shard(2, of: 7),
            data: ["/jobs/rows.csv": Self.rows]
        )
        var levels: Set<Double> = []
        for index in 0..<plan.taskCount where plan.kind(of: index) == .upload {
            let number = plan.id(of: index).dropFirst("orders[".count).dropLast()
            let level = try #require(Int(number)) % 10
            #expect(plan.priority(of: index) == Double(level) / 10)
            levels.insert(plan.priority(of: index))
        }
        #expect(levels.count > 1)
    }

    @Test func `tasks that conditions join run in one shard`() throws {
        let job = """
            version: 1
            data:
              item: { forEach: { range: [1, 20] }, url: "https://a/${item}" }
              after:
                forEach: { range: [1, 20] }
                url: "https://a/${item}"
                when: [{ failed: "item[${item}]" }, { equals: ["${run.date}", "2026-12-31"] }]
              lone: { url: "https://a/", when: { differs: ["${run.date}", "2026-12-31"] } }
            """
        for plan in try Self.shards(5, of: job) {
            let ids = Set(Self.ids(plan))
            for number in 1...20 {
                #expect(ids.contains("item[\(number)]") == ids.contains("after[\(number)]"))
            }
        }
    }

    @Test func `chosen tasks run in their shards`() throws {
        let only = ["orders[3]", "orders[17]", "orders[180]", "two", "many"]
        let data = ["/jobs/rows.csv": Self.rows]
        let plans = try Self.shards(4, of: Self.free, data: data, only: only)
        for plan in plans {
            for index in 0..<plan.taskCount where plan.kind(of: index) == .upload {
                let level = plan.id(of: index) == "orders[17]" ? 0.7 : nil
                #expect(level == nil || plan.priority(of: index) == level)
            }
        }
    }

    private static let joined = """
        version: 1
        data:
          login: { url: "https://a/login", capture: { token: { json: /token } } }
          fetch: { forEach: { range: [1, 60] }, url: "https://a/${item}" }
          after: { forEach: { range: [1, 60] }, url: "https://a/", needs: ["fetch[${item}]"] }
          free: { forEach: { range: [1, 60] }, url: "https://a/${item}" }
        uploads:
          order:
            forEach: { range: [1, 20] }
            url: "https://a/"
            needs: [login]
            json: { token: "${task.login.token}" }
            idempotencyKey: auto
        downloads:
          last: { url: "https://a/", to: last, needs: [order] }
          lonely: { url: "https://a/", to: lonely }
        """

    @Test(arguments: [[], ["last"], ["after[3]", "order[5]", "lonely"]])
    func `tasks that need each other stay together`(only: [String]) throws {
        let count = 5
        let whole = try Self.plan(Self.joined, shard: nil, only: only)
        var found: [String] = []
        var used = 0
        for index in 1...count {
            let plan = try Self.plan(Self.joined, shard: Shard(index, of: count), only: only)
            let ids = Self.ids(plan)
            found += ids
            if !ids.isEmpty { used += 1 }
            for task in 0..<plan.taskCount {
                for need in plan.needs(of: task) {
                    #expect(ids.contains { $0 == need || $0.hasPrefix("\(need)[") }, "\(need)")
                }
            }
            // The first id of these tasks is that of the last one.
            let isOwn = try Shard(index, of: count).has("last")
            #expect(ids.contains("login") == (isOwn && Self.ids(whole).contains("login")))
            #expect(plan.orderCount == (isOwn ? 20 : 0) || !only.isEmpty)
        }
        #expect(found.sorted() == Self.ids(whole).sorted())
        #expect(used > 1 || only == ["last"])
    }

    @Test func `rows that are joined to rows are spread with them`() throws {
        for index in 1...4 {
            let plan = try Self.plan(Self.joined, shard: Shard(index, of: 4))
            let pairs = Self.ids(plan).filter { $0.hasPrefix("after[") }
            #expect((5...25).contains(pairs.count))
        }
    }

    @Test func `a shard that gets more than half of the job is named`() throws {
        let job = """
            version: 1
            data:
              login: { url: "https://a/login" }
              fetch: { forEach: { range: [1, 9] }, url: "https://a/${item}", needs: [login] }
              other: { url: "https://a/other" }
            """
        let warning = try Self.plan(job, shard: Shard(1, of: 4)).shardWarning
        var hash = ShardHash()
        hash.append("fetch")
        #expect(
            warning == "10 of 11 tasks run in the shard \(hash.index(of: 4))/4, because `needs` "
                + "joins them to `fetch`"
        )
        #expect(try Self.plan(job, shard: Shard(1, of: 1)).shardWarning == nil)
        #expect(try Self.plan(job, shard: nil).shardWarning == nil)
    }

    @Test func `a need that a row fills in may name any task`() throws {
        let job = """
            version: 1
            data:
              a: { forEach: { range: [1, 9] }, url: "https://a/${item}" }
              b: { forEach: { items: [{ id: x, n: "a[3]" }] }, url: "https://a/", needs: ["${item.n}"] }
            """
        for index in 1...3 {
            let ids = Self.ids(try Self.plan(job, shard: Shard(index, of: 3)))
            #expect(ids.contains("a[3]") == ids.contains("b[x]"))
        }
    }

    @Test func `a warning names rows that a filled-in need keeps in one shard`() throws {
        let job = """
            version: 1
            data:
              a: { forEach: { range: [1, 9] }, url: "https://a/${item}" }
              b: { forEach: { items: [{ id: x, n: "c" }] }, url: "https://a/", needs: ["${item.n}"] }
              c: { url: "https://a/" }
            """
        var hash = ShardHash()
        hash.append("a")
        #expect(
            try Self.plan(job, shard: Shard(1, of: 4)).shardWarning
                == "9 of 11 tasks run in the shard \(hash.index(of: 4))/4, because an expression in "
                + "`needs` may name any row of `a`"
        )
    }

    @Test(
        arguments: [
            "items: [\"${run.date}\", b]", "{ items: [a, b], key: \"${item}-${run.id}\" }",
            "items: [\"${var.day}\", b]",
        ]
    )
    func `the ids of a shard are the same in every run`(items: String) throws {
        let forEach = items.hasPrefix("{") ? items : "{ \(items) }"
        let job = """
            version: 1
            variables: { day: "${run.date}" }
            data: { a: { forEach: \(forEach), url: "https://a/${item}/${run.date}" } }
            """
        #expect(try Self.plan(job, shard: nil).taskCount == 2)
        let fault = #expect(throws: PlanRejected.self) {
            try Self.plan(job, shard: Shard(1, of: 2))
        }
        let message = "differs in every run, and all shards of a job need the same ids"
        #expect(fault?.diagnostics.first?.message.contains(message) == true)
    }

    private static func fault(_ rows: String, _ shard: Shard, of file: MemoryFile) -> Diagnostic? {
        let job = "version: 1\ndata: { a: { forEach: { \(rows) }, url: 'https://a/' } }"
        do {
            _ = try plan(job, shard: shard, data: ["/jobs/rows.csv": file])
            return nil
        } catch {
            let rejected = error as? PlanRejected
            return rejected?.diagnostics.first ?? rejected?.dataFaults.first?.diagnostics.first
        }
    }

    @Test(
        arguments: [
            "items: [{ id: x }, { id: '' }]", "csv: rows.csv", "csv: rows.csv, key: '${item.id}'",
            "csv: rows.csv, key: '${item.long}'",
        ]
    )
    func `a row with an invalid key is a fault in every shard`(rows: String) throws {
        let long = String(repeating: "x", count: 201)
        let file = MemoryFile("id,long\nx,1\n,\(long)\n")
        for index in 1...3 {
            #expect(Self.fault(rows, try Shard(index, of: 3), of: file)?.code == "job.bad-id")
        }
    }

    @Test(arguments: ["csv: rows.csv", "csv: rows.csv, key: '${item.id}'"])
    func `a repeated key is a fault in the shard of its rows`(rows: String) throws {
        let file = MemoryFile("id\n1\n2\n\"3\"\n4\n3\n")
        for index in 1...5 {
            let shard = try Shard(index, of: 5)
            let fault = Self.fault(rows, shard, of: file)
            #expect((fault?.code == "job.duplicate-key") == shard.has("a[3]"))
        }
    }

    @Test func `a malformed row is a fault in every shard`() throws {
        let file = MemoryFile("id,a\n1,x\n2\n3,x\n")
        for index in 1...5 {
            let fault = Self.fault("csv: rows.csv", try Shard(index, of: 5), of: file)
            #expect(fault?.code == "job.bad-row")
        }
    }

    @Test func `a file that changes after its scan is a fault in every shard`() throws {
        for index in 1...5 {
            let file = MemoryFile("id\n1\n")
            file.change(afterChecks: 1)
            let fault = Self.fault("csv: rows.csv", try Shard(index, of: 5), of: file)
            #expect(fault?.message.contains("has changed since the job was checked") == true)
        }
    }

    @Test(arguments: [("divide", 4, 2, 250), ("each", 16, 8, 1000)])
    func `shards share the limits of the job unless it gives them to each`(
        rule: String,
        tasks: Int,
        connections: Int,
        rate: Int64
    ) throws {
        let job = """
            version: 1
            schedule: { maxConcurrentTasks: 16, shardLimits: \(rule) }
            sessions:
              s:
                httpMaximumConnectionsPerHost: 8
                limits: { bandwidth: 1000B/s }
            report: { json: out/report.v1.json.gz, junit: out.d/junit, har: out/.har }
            downloads: { a: { url: "https://a/", to: a } }
            """
        let plan = try Self.plan(job, shard: Shard(2, of: 4))
        #expect(plan.schedule.maxConcurrentTasks == tasks)
        #expect(plan.sessions[0].httpMaximumConnectionsPerHost == connections)
        #expect(plan.sessions[0].limits.rates.down == .rate(rate))
        #expect(plan.reportPaths[.json] == "/jobs/out/report.v1-2of4.json.gz")
        #expect(plan.reportPaths[.junit] == "/jobs/out.d/junit-2of4")
        #expect(plan.reportPaths[.har] == "/jobs/out/.har-2of4")
        let whole = try Self.plan(job, shard: nil)
        #expect(whole.schedule.maxConcurrentTasks == 16)
    }

    @Test func `a job with a background session has no shards`() throws {
        let job = """
            version: 1
            sessions: { kept: { configuration: background, identifier: nightly } }
            downloads: { a: { url: "https://a/", to: a } }
            """
        #expect(try Self.plan(job, shard: nil).sessions[0].identifier == "nightly")
        let rejected = #expect(throws: PlanRejected.self) {
            try Self.plan(job, shard: Shard(2, of: 4))
        }
        #expect(rejected?.isOnlyAboutOptions == true)
        #expect(
            rejected?.optionFault == "`--shard` cannot run a part of a job with a background "
                + "session: `kept` is one"
        )
    }
}
