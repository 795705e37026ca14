import TestSupport
import Testing

/// httpbin's echoes of requests, and its responses.
@Suite struct HTTPBinTests {
    private let origin: String

    init() throws { origin = try HTTPBin.shared().origin }

    private static let environment: [String: String?] = [
        "PASSWORD": "sesame", "TOKEN": "t0k3n-of-mine",
    ]

    private func job(_ credentials: String = "", tasks: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD }, token: { env: TOKEN } }
            variables: { origin: "\(origin)" }
            sessions:
              main: { configuration: ephemeral, credentials: [\(credentials)] }
            \(tasks)
            """
        )
    }

    private func statuses(_ run: RunOutcome, _ id: String) -> [Int64?] {
        run.exchanges(id).map { $0["response"]?["statusCode"]?.integer }
    }

    private func json(_ job: JobFolder, _ name: String) throws -> JSONValue {
        try JSONValue(bytes: job.folder.read(name))
    }

    private func login(_ method: String) -> String {
        "{ method: \(method), host: 127.0.0.1, user: me, password: '${secret.password}' }"
    }

    @Test func `Basic and a token authenticate`() throws {
        let job = try job(
            "\(login("basic")), { method: bearer, host: localhost, token: '${secret.token}' }",
            tasks: """
                downloads:
                  basic: { url: "${var.origin}/basic-auth/me/sesame", to: basic }
                  wrong: { url: "${var.origin}/basic-auth/me/parsley", to: wrong, needs: [basic] }
                  bearer: { url: "\(origin.replacing("127.0.0.1", with: "localhost"))/bearer", to: bearer }
                  stranger: { url: "${var.origin}/bearer", to: stranger }
                """
        )
        let run = try job.run(environment: Self.environment)
        #expect(statuses(run, "basic") == [401, 200])
        #expect(try json(job, "basic")["user"]?.string == "me")
        #expect(run.kind("wrong") == "httpStatus")
        #expect(statuses(run, "bearer") == [200])
        #expect(try json(job, "bearer")["authenticated"] == .bool(true))
        #expect(statuses(run, "stranger") == [401])
    }

    @Test(arguments: ["MD5", "SHA-256"])
    func `Digest authenticates, also after its nonce has become stale`(algorithm: String) throws {
        let job = try job(
            login("digest"),
            tasks: """
                schedule: { maxConcurrentTasks: 1 }
                data:
                  first: { url: "${var.origin}/digest-auth/auth/me/sesame/\(algorithm)/2" }
                  second: { url: "${var.origin}/digest-auth/auth/me/sesame/\(algorithm)/2", needs: [first] }
                  third: { url: "${var.origin}/digest-auth/auth/me/sesame/\(algorithm)/2", needs: [second] }
                  wrong: { url: "${var.origin}/digest-auth/auth/me/parsley/\(algorithm)", needs: [third] }
                """
        )
        let run = try job.run(environment: Self.environment)
        for id in ["first", "second", "third"] {
            #expect(run.outcome(id) == "succeeded", "\(id)")
            #expect(statuses(run, id).last == 200)
        }
        #expect(run.kind("wrong") == "httpStatus")
        #expect(run.attempts("wrong").count == 1)
    }

    @Test(
        arguments: [
            ("redirect/3", 3), ("relative-redirect/2", 2), ("absolute-redirect/2", 2),
            ("redirect-to?url=%2Fanything&status_code=307", 1),
            ("redirect-to?url=%2Fanything&status_code=308", 1),
        ]
    )
    func `redirects are followed, relative and absolute ones`(path: String, count: Int) throws {
        let job = try job(tasks: "downloads: { it: { url: \"${var.origin}/\(path)\", to: it } }")
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0)
        #expect(run.exchanges("it").count == count + 1)
        #expect(try json(job, "it")["url"]?.string?.hasPrefix(origin) == true)
    }

    @Test(
        arguments: [
            (301, true, "GET"), (302, true, "GET"), (302, false, ""), (303, false, "GET"),
            (307, false, "POST"), (308, false, "POST"),
        ]
    )
    func `the status of a redirect decides its method and body`(
        status: Int,
        mayChange: Bool,
        method: String
    ) throws {
        let job = try job(
            tasks: """
                uploads:
                  it:
                    url: "${var.origin}/redirect-to?url=%2Fanything&status_code=\(status)"
                    method: POST
                    json: { order: 1 }
                    redirects: { allowMethodChange: \(mayChange) }
                    expect: { json: { /method: \(method.isEmpty ? "none" : method) } }
                """
        )
        let run = try job.run(environment: Self.environment)
        let isFollowed = !method.isEmpty
        #expect(run.outcome("it") == (isFollowed ? "succeeded" : "failed"))
        #expect(run.kind("it") == (isFollowed ? nil : "redirectLimit"))
        let sent = run.exchanges("it").map {
            ($0["countOfRequestBodyBytesSent"]?.integer ?? -1) > 0
        }
        #expect(sent == (isFollowed ? [true, method == "POST"] : [true]))
    }

    @Test func `cookies are sent back, and dropped when they are deleted`() throws {
        let job = try job(
            tasks: """
                downloads:
                  set: { url: "${var.origin}/cookies/set?flavour=oat&size=big", to: set }
                  kept: { url: "${var.origin}/cookies", to: kept, needs: [set] }
                  gone: { url: "${var.origin}/cookies/delete?size=", to: gone, needs: [kept] }
                """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0)
        for name in ["set", "kept"] {
            let cookies = try json(job, name)["cookies"]
            #expect(cookies?["flavour"]?.string == "oat")
            #expect(cookies?["size"]?.string == "big")
        }
        #expect(try json(job, "gone")["cookies"]?["size"] == nil)
    }

    @Test(arguments: [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
    func `a coded body is decoded when the task says so, and kept otherwise`(
        path: String,
        member: String
    ) throws {
        let job = try job(
            tasks: """
                downloads:
                  decoded: { url: "${var.origin}/\(path)", to: decoded, decode: true }
                  kept: { url: "${var.origin}/\(path)", to: kept }
                """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0)
        #expect(try json(job, "decoded")[member] == .bool(true))
        let exchange = run.exchanges("decoded").first
        let coded = exchange?["countOfResponseBodyBytesReceived"]?.integer ?? 0
        let decoded = exchange?["countOfResponseBodyBytesAfterDecoding"]?.integer ?? 0
        #expect(try Int64(job.folder.read("decoded").count) == decoded)
        #expect(try abs(job.folder.read("kept").count - Int(coded)) < 64)
        #expect(coded < decoded)
    }

    @Test func `bodies that come slowly or in pieces are whole`() throws {
        let job = try job(
            tasks: """
                downloads:
                  drip: { url: "${var.origin}/drip?duration=0.2&numbytes=10", to: drip, expect: { maximumSize: 10B } }
                  lines: { url: "${var.origin}/stream/3", to: lines }
                  pieces: { url: "${var.origin}/stream-bytes/5000?chunk_size=100&seed=1", to: pieces }
                  late: { url: "${var.origin}/delay/0.1", to: late }
                data:
                  silent: { url: "${var.origin}/delay/9", timeoutInterval: 200ms, retry: { attempts: 1 } }
                """
        )
        let run = try job.run(environment: Self.environment)
        #expect(try job.folder.text("drip") == "**********")
        #expect(try job.folder.text("lines").split(separator: "\n").count == 3)
        #expect(try job.folder.read("pieces").count == 5000)
        #expect(run.outcome("late") == "succeeded")
        #expect(run.kind("silent") == "timeout")
    }

    @Test func `unexpected statuses, fields and entity tags fail`() throws {
        let job = try job(
            tasks: """
                defaults: { retry: { attempts: 1 } }
                data:
                  teapot: { url: "${var.origin}/status/418" }
                  wanted: { url: "${var.origin}/status/418", expect: { statusCode: [418] } }
                  busy: { url: "${var.origin}/status/503" }
                  field: { url: "${var.origin}/response-headers?X-Order=17", expect: { headers: { X-Order: "17" } } }
                  other: { url: "${var.origin}/response-headers?X-Order=18", expect: { headers: { X-Order: "17" } } }
                  fresh: { url: "${var.origin}/etag/abc", expect: { headers: { ETag: abc } } }
                  same:
                    url: "${var.origin}/etag/abc"
                    headers: { If-None-Match: abc }
                    expect: { statusCode: [304] }
                  changed:
                    url: "${var.origin}/etag/abc"
                    headers: { If-Match: xyz }
                """
        )
        let run = try job.run(environment: Self.environment)
        let outcomes = ["wanted", "field", "fresh", "same"].map { run.outcome($0) }
        #expect(outcomes == Array(repeating: "succeeded", count: 4))
        #expect(
            ["teapot", "busy", "changed"].map { run.kind($0) } == [
                "httpStatus", "httpStatus", "httpStatus",
            ]
        )
        #expect(run.kind("other") == "content")
        #expect(statuses(run, "changed") == [412])
    }
}
