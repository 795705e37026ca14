import Diagnostics
import JobFile
import Plan
import Testing
import TransferModel

@Suite struct PlanTests {
    @Test func `a job without sessions has the implicit one with its defaults`() throws {
        let plan = try TestJob.plan(
            "version: 1\ndata: { a: { url: http://a/ } }",
            name: "in/nightly.job.yaml"
        )
        #expect(plan.sessions == [SessionConfiguration(name: "default")])
        #expect(plan.schedule == ScheduleConfiguration())
        #expect(plan.name == "nightly.job")
        #expect(plan.fileName == "in/nightly.job.yaml")
        #expect(plan.reportPaths.isEmpty)
        #expect(plan.warnings.isEmpty)
        let task = try plan.task(at: 0)
        #expect(task.request == RequestSpec(method: "GET", url: try TransferURL("http://a/")))
        #expect(task.timeoutInterval == TimeLimit(.timeoutIntervalForRequest, .seconds(60)))
        #expect(task.retry == RetryPolicy())
        #expect(task.expectation == Expectation())
        #expect(task.redirects == RedirectRule())
        #expect(task.source == SourceLocation(file: "in/nightly.job.yaml", line: 2, column: 9))
    }

    @Test func `every setting of a session and of the schedule is obeyed`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            name: all
            sessions:
              s:
                configuration: ephemeral
                timeoutIntervalForRequest: unlimited
                timeoutIntervalForResource: 1h
                connectTimeout: 5s
                httpMaximumConnectionsPerHost: 2
                httpAdditionalHeaders: { Accept: "*/*" }
                minimumRate: { rate: 1KiB/s, over: 30s }
                tls: { minimumVersion: 1.3, caFile: certs/ca.pem }
            data: { a: { url: http://a/ } }
            schedule: { maxConcurrentTasks: 4, failFast: true, deadline: 50m, durability: full }
            report: { json: out/report.json }
            """
        )
        var session = SessionConfiguration(name: "s")
        session.kind = .ephemeral
        session.timeoutIntervalForRequest = nil
        session.timeoutIntervalForResource = .seconds(3600)
        session.connectTimeout = .seconds(5)
        session.httpMaximumConnectionsPerHost = 2
        session.httpAdditionalHeaders = [HeaderField(name: "Accept", value: "*/*")]
        session.minimumRate = MinimumRate(bytesPerSecond: 1024, over: .seconds(30))
        session.tls.minimumVersion = .tls13
        session.tls.caFile = "/jobs/certs/ca.pem"
        #expect(plan.sessions == [session])
        var schedule = ScheduleConfiguration()
        schedule.maxConcurrentTasks = 4
        schedule.failFast = true
        schedule.deadline = .seconds(3000)
        schedule.durability = .full
        #expect(plan.schedule == schedule)
        #expect(plan.reportPaths[.json] == "/jobs/out/report.json")
        #expect(plan.name == "all")
        #expect(try plan.task(at: 0).timeoutInterval == nil)
    }

    @Test func `names of files are bytes`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            downloads:
              a: { url: "https://example.com/", to: "caf\u{E9}/a" }
              b: { url: "https://example.com/", to: "cafe\u{301}/a" }
            """
        )
        #expect(plan.taskCount == 2)
    }

    @Test(arguments: [("out/", "/jobs/out/"), ("./", "/jobs/"), ("../x/", "/jobs/../x/")])
    func `a folder keeps its slash, and its server replaces only files of the job unless told so`(
        to: String,
        path: String
    ) throws {
        let text = "version: 1\ndownloads:\n  it: { url: \"https://example.com/\", to: \(to)"
        let plan = try TestJob.plan(text + " }")
        let destination = try #require(try plan.task(at: 0).destination)
        #expect(destination.isFolder)
        #expect(destination.path == path)
        #expect(destination.displayPath == to)
        #expect(destination.ifExists == .replace)
        #expect(destination.appending("a").replacesOnlyOwn)
        #expect(!destination.appending("a", isOfURL: true).replacesOnlyOwn)
        #expect(plan.foldersOfServerNames() == [path])
        for rule in TaskSpec.IfExists.allCases where rule != .revalidate {
            let told = try TestJob.plan(text + ", ifExists: \(rule.rawValue) }")
            let destination = try #require(try told.task(at: 0).destination)
            #expect(destination.ifExists == rule)
            #expect(!destination.appending("a").replacesOnlyOwn)
        }
    }

    @Test func `no server names a file when the job names every file`() throws {
        #expect(try !TestJob.download("ifExists: fail").hasPeerNames)
    }

    @Test func `a plan names every path of its tasks again`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            downloads:
              a: { url: "https://example.com/", to: o/ }
              b: { url: "https://example.com/", to: "o/${item}", forEach: { items: [x, y] } }
            uploads:
              c: { url: "https://example.com/", file: o/src, responseTo: o/answer }
              d: { url: "https://example.com/", method: PUT, stream: { fifo: o/pipe } }
              e: { url: "https://example.com/", multipart: { n: { file: o/part } } }
            """,
            fileStatus: { $0.hasSuffix("/pipe") ? .pipe : .readable }
        )
        #expect(plan.foldersOfServerNames() == ["/jobs/o/"])
        var paths: [PlannedPath] = []
        plan.forEachPlannedPath { paths.append($0) }
        #expect(
            paths == [
                PlannedPath("/jobs/test.yaml", .ofTheRun),
                PlannedPath("/jobs/o/", .destination(of: 0)),
                PlannedPath("/jobs/o/x", .destination(of: 1)),
                PlannedPath("/jobs/o/y", .destination(of: 2)),
                PlannedPath("/jobs/o/answer", .destination(of: 3)),
                PlannedPath("/jobs/o/src", .ofTheRun),
                PlannedPath("/jobs/o/pipe", .ofTheRun),
                PlannedPath("/jobs/o/part", .ofTheRun),
            ]
        )
    }

    @Test func `a checksum may come from a list`() throws {
        let plan = try TestJob.download(
            "checksum: { from: https://example.com/SUMS, algorithm: sha512, name: x }"
        )
        let list = SumsFile(
            url: try TransferURL("https://example.com/SUMS"),
            algorithm: .sha512,
            name: "x"
        )
        #expect(try plan.task(at: 0).destination?.checksum == .listed(list))
    }

    @Test func `a download has mirrors`() throws {
        let plan = try TestJob.download(#"mirrors: ["http://m.example/"]"#)
        #expect(try plan.task(at: 0).mirrors.map(\.text) == ["http://m.example/"])
    }

    @Test func `every setting of a download is obeyed`() throws {
        let digits = String(repeating: "ab", count: 32)
        let plan = try TestJob.download(
            """
            method: HEAD, headers: { X: 1 }, timeoutInterval: 5s, priority: high, required: false,
                description: nightly, checksum: "sha256:\(digits)", ifExists: skip,
                mode: "0640", decode: true,
                expect: { statusCode: 201, mimeType: [image/*, Text/Plain] },
                redirects: { follow: sameOrigin, maximum: 3, allowMethodChange: true },
                retry: { attempts: 2, backoff: { initial: 0s, factor: 1.5, maximum: 10s, jitter: none },
                  budget: unlimited, on: [dns, 503], respectRetryAfter: false, maximumRetryAfter: 1m,
                  repeat: always }
            """
        )
        let task = try plan.task(at: 0)
        #expect(task.kind == .download)
        #expect(task.request.method == "HEAD")
        #expect(task.request.headers == [HeaderField(name: "X", value: "1")])
        #expect(task.timeoutInterval == TimeLimit(.timeoutInterval, .seconds(5)))
        #expect(plan.priority(of: 0) == 0.75)
        #expect(!plan.isRequired(0))
        #expect(task.description == "nightly")
        #expect(task.destination?.path == "/jobs/it")
        #expect(task.destination?.displayPath == "it")
        #expect(task.destination?.ifExists == .skip)
        #expect(
            task.destination?.checksum
                == .digest(Checksum(.sha256, digest: Array(repeating: 0xAB, count: 32)))
        )
        #expect(task.destination?.mode == 0o640)
        #expect(task.decodesBody)
        #expect(task.expectation.statusCodes == [201...201])
        #expect(task.expectation.mimeTypes == ["image/*", "text/plain"])
        #expect(task.redirects.follow == .sameOrigin)
        #expect(task.redirects.maximum == 3)
        #expect(task.redirects.allowMethodChange)
        var retry = RetryPolicy()
        retry.attempts = 2
        retry.backoff.initial = .zero
        retry.backoff.factor = 1.5
        retry.backoff.maximum = .seconds(10)
        retry.backoff.jitter = .none
        retry.budget = nil
        retry.conditions = [.dns]
        retry.statusCodes = [503]
        retry.respectRetryAfter = false
        retry.maximumRetryAfter = .seconds(60)
        retry.repeat = .always
        #expect(task.retry == retry)
        #expect(plan.mostAttempts == 2)
    }

    @Test func `a task overrides its session, and a session the defaults, key by key`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            defaults:
              timeoutIntervalForRequest: 10s
              connectTimeout: 1s
              httpAdditionalHeaders: { A: defaults, B: defaults, C: defaults }
              retry: { attempts: 7, backoff: { initial: 3s } }
            sessions:
              s: { timeoutIntervalForRequest: 20s, httpAdditionalHeaders: { b: session, C: session } }
            data:
              a:
                url: http://a/
                headers: { c: task }
                retry: { backoff: { factor: 4 } }
              b: { url: http://b/, timeoutInterval: 30s }
              c: { url: http://c/, timeoutInterval: 20s }
            """
        )
        #expect(plan.sessions[0].timeoutIntervalForRequest == .seconds(20))
        #expect(plan.sessions[0].connectTimeout == .seconds(1))
        let first = try plan.task(at: 0)
        #expect(
            first.request.headers.map { "\($0.name)=\($0.value)" } == [
                "c=task", "b=session", "A=defaults",
            ]
        )
        #expect(first.retry.attempts == 7)
        #expect(first.retry.backoff.initial == .seconds(3))
        #expect(first.retry.backoff.factor == 4)
        // The key that sets a limit stays known, also where both have the same value.
        let limits = try (0...2).map { try plan.task(at: $0).timeoutInterval }
        #expect(
            limits == [
                TimeLimit(.timeoutIntervalForRequest, .seconds(20)),
                TimeLimit(.timeoutInterval, .seconds(30)),
                TimeLimit(.timeoutInterval, .seconds(20)),
            ]
        )
    }

    @Test func `tasks are numbered in file order whatever their section`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            downloads: { z: { url: http://a/, to: z, needs: [b, a, b] } }
            data: { b: { url: http://a/ } }
            uploads: { a: { url: http://a/, text: x, needs: [b] } }
            """
        )
        #expect((0..<plan.taskCount).map { plan.id(of: $0) } == ["z", "b", "a"])
        #expect((0..<plan.taskCount).map { plan.kind(of: $0) } == [.download, .data, .upload])
        #expect(plan.needs(of: 0) == ["b", "a"])
        #expect(plan.needs(of: 1) == [])
        #expect(plan.needs(of: 2) == ["b"])
        #expect(try plan.task(at: 0).id == "z")
        #expect(try plan.task(at: 2).index == 2)
    }

    @Test func `a part of the tasks includes their needs`() throws {
        let text = """
            version: 1
            data:
              a: { url: http://a/ }
              b: { url: http://b/, needs: [a] }
              c: { url: http://c/ }
              d: { url: http://d/, needs: [b] }
              e: { url: http://e/, needs: [d] }
            """
        let plan = try TestJob.plan(text, only: ["d", "d"])
        #expect((0..<plan.taskCount).map { plan.id(of: $0) } == ["a", "b", "d"])
        #expect((0..<plan.taskCount).map { plan.needs(of: $0) } == [[], ["a"], ["b"]])
        #expect(try plan.task(at: 2).request.url.text == "http://d/")
    }

    @Test func `a task names its session when there are several`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            sessions: { one: {}, two: {} }
            data: { a: { url: http://a/, session: two } }
            """
        )
        #expect(try plan.task(at: 0).session == 1)
    }

    @Test(arguments: [
        ("text: hi", "text/plain; charset=utf-8"),
        ("json: [1]", "application/json"),
        ("file: body.bin", "application/octet-stream"),
        ("file: a.b/body", "application/octet-stream"),
        ("file: a/.json", "application/octet-stream"),
        ("file: orders/1001.json", "application/json"),
        ("file: ROWS.CSV", "text/csv"),
        ("file: dump.json.gz", "application/gzip"),
        ("file: a.json, headers: { content-type: text/x }", "text/x"),
        ("text: hi, headers: { content-type: text/csv }", "text/csv"),
    ])
    func `a body sets its Content-Type unless the task does`(body: String, type: String) throws {
        let plan = try TestJob.plan("version: 1\nuploads: { a: { url: http://a/, \(body) } }")
        let request = try plan.task(at: 0).request
        #expect(request.method == "POST")
        #expect(request.headers.map(\.value) == [type])
    }

    @Test func `an upload has its body, its key and its destination`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            uploads:
              a: { url: http://a/, method: PUT, file: ./in/../body, idempotencyKey: 'a"b', responseTo: out }
              b: { url: http://a/, text: "é", idempotencyKey: none }
            """
        )
        let first = try plan.task(at: 0)
        #expect(first.body == .file(path: "/jobs/in/../body"))
        #expect(first.destination?.path == "/jobs/out")
        #expect(HeaderFields(first.request.headers)["Idempotency-Key"] == #""a\"b""#)
        let second = try plan.task(at: 1)
        #expect(second.body == .bytes([0xC3, 0xA9]))
        #expect(!second.request.hasIdempotencyKey)
    }

    @Test func `files are checked once, when the plan is made`() throws {
        let plan = try TestJob.plan("version: 1\nuploads: { a: { url: http://a/, file: b } }")
        #expect(try plan.task(at: 0).body == .file(path: "/jobs/b"))
    }

    @Test(arguments: [
        ("${var.dir}/file", "/data/out/file"),
        ("x/${var.name}", "/jobs/x/a"),
        ("../x/${var.name}.bin", "/jobs/../x/a.bin"),
        ("x/${var.dots}a", "/jobs/x/..a"),
    ])
    func `a variable may fill in a path inside of its folder`(path: String, expected: String) throws
    {
        let plan = try TestJob.plan(
            "version: 1\ndownloads: { a: { url: http://a/, to: '\(path)' } }",
            variables: ["dir": "/data/out", "name": "a", "dots": ".."]
        )
        #expect(try plan.task(at: 0).destination?.path == expected)
    }

    @Test(arguments: [
        "${var.dots}/a", "x/${var.dots}", "x/.${var.dot}/a", "x/${var.slash}a", "${var.up}",
        "${var.none}/a", "${var.none}${var.slash}a",
    ])
    func `a variable may not lead out of its folder`(path: String) throws {
        let text = "version: 1\ndownloads: { a: { url: http://a/, to: '\(path)' } }"
        let variables = ["dots": "..", "dot": ".", "slash": "/", "up": "a/../../b", "none": ""]
        let faults = try TestJob.faults(text, variables: variables)
        #expect(faults.contains { $0.hasSuffix("job.path-escape") })
    }

    @Test(arguments: [
        "data: { [a]: 3 }", "data: { ? {a: b} : c }", "data: { t: { <<: nope } }",
        "uploads: { t: { url: \"http://a/\", <<: [nope] } }",
    ])
    func `values that a YAML fault omits cause no second fault`(section: String) throws {
        let text = Array("version: 1\n\(section)".utf8)
        let parsed = Document.parse(text, name: "job.yaml")
        #expect(parsed.diagnostics.count == 1)
        let plan = try Plan.make(from: #require(parsed.document), options: PlanOptions())
        #expect(plan.warnings.allSatisfy { $0.code == "job.no-tasks" })
    }

    @Test func `faults past the limit are counted and not kept`() throws {
        let tasks = (0..<2000).map { "  t\($0): { url: x }" }.joined(separator: "\n")
        let faults = try TestJob.faults("version: 1\ndata:\n\(tasks)")
        #expect(faults.count == 1001)
        #expect(faults.last == "1002:16 job.too-many-faults")
    }

    @Test func `a second reading makes the same task as the plan`() throws {
        let plan = try TestJob.plan(
            """
            version: 1
            variables: { base: "http://${env.H:-a}" }
            x-common: &common { retry: { attempts: 2 }, headers: { x-note: kept } }
            data:
              x-template: { url: nothing }
              a: { url: "${var.base}/1", <<: *common }
              b: { url: "${var.base}/2", <<: *common, retry: { attempts: 3 } }
            """
        )
        #expect(plan.taskCount == 2)
        for _ in 0..<2 {
            #expect(try plan.task(at: 0).retry.attempts == 2)
            #expect(try plan.task(at: 1).retry.attempts == 3)
            #expect(try plan.task(at: 1).request.url.text == "http://a/2")
            #expect(
                try plan.task(at: 1).request.headers == [HeaderField(name: "x-note", value: "kept")]
            )
        }
    }
}

extension PlanTests {
    @Test func `an unknown task of --only is no fault of the file`() throws {
        let text = "version: 1\ndata: { fetch: { url: \"http://a.test/\" } }\n"
        let rejected = #expect(throws: PlanRejected.self) {
            try TestJob.plan(text, only: ["fetch", "fetchh", "zzzzzzzz"])
        }
        #expect(
            rejected?.unknownTasks == [
                .init(id: "fetchh", nearest: "fetch"), .init(id: "zzzzzzzz", nearest: nil),
            ]
        )
        #expect(rejected?.isOnlyAboutOptions == true)
    }
}
