import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import runner

/// The HTTP cache as a run shows it.
@Suite struct CacheTests {
    /// A job of one data task, whose body goes to `out`.
    private func job(
        _ server: ScriptedServer,
        session: String = "",
        task: String = "",
        section: String = "data",
        file: String = "responseTo: out"
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            sessions:
              s: { \(session) }
            \(section):
              a: { url: "\(server.origin)/x", \(file), retry: { attempts: 1 }\(task.isEmpty ? "" : ", \(task)") }
            """
        )
    }

    private func cache(_ run: RunOutcome) -> [String?] {
        let cache = run.task("a")?["extension"]?["cache"]
        return [cache?["verdict"]?.string, cache?["reason"]?.string, cache?["storing"]?.string]
    }

    private func types(_ run: RunOutcome) -> [String?] {
        run.exchanges("a").map { $0["resourceFetchType"]?.string }
    }

    @Test func `a fresh response answers the next run without the network`() throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Cache-Control: max-age=600"])
        }
        let job = try job(server)
        let first = try job.run()
        #expect(cache(first) == ["miss", "notStored", "stored"])
        #expect(first.code == 0)
        let second = try job.run()
        #expect(cache(second) == ["hit", "fresh", nil])
        #expect(types(second) == ["localCache"])
        #expect(second.task("a")?["countOfBytesReceived"]?.integer == 0)
        #expect(second.report["summary"]?["cacheHits"]?.integer == 1)
        #expect(try job.folder.text("out") == "content")
        #expect(server.requests.count == 1)
    }

    @Test func `a task that the cache answers says so`() throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT"])
        }
        let job = try job(server)
        let first = try job.run()
        #expect(first.command.standardError.contains("succeeded  a  7 B"))
        let second = try job.run()
        let lines = second.command.standardError
        #expect(lines.contains("cached     a  0 B"), "\(lines)")
        #expect(lines.contains("1 of 1 tasks succeeded (1 cached); "), "\(lines)")
    }

    @Test(arguments: [
        ("capture: { state: { json: /state } }", ""), ("expect: { json: { /state: up } }", ""),
        ("expect: { headers: { X-State: up } }", ""),
        ("expect: { json: { /state: up } }", "requestCachePolicy: returnCacheDataElseLoad"),
    ])
    func `a task that looks into its response does not guess how long that is fresh`(
        check: String,
        policy: String
    ) throws {
        let server = try ScriptedServer { _ in
            .ok(
                #"{"state":"up"}"#,
                ["Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "X-State: up"]
            )
        }
        let job = try job(server, session: policy, task: check)
        #expect(try job.run().code == 0)
        let second = cache(try job.run())
        #expect(second.first == (policy.isEmpty ? "miss" : "hit"))
        #expect(server.requests.count == (policy.isEmpty ? 2 : 1))
    }

    @Test func `a stale response is validated, and its fields are new`() throws {
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == "\"a\""
                ? .status(304, ["ETag: \"a\"", "Cache-Control: max-age=600", "New: 1"])
                : .ok("content", ["ETag: \"a\"", "Cache-Control: max-age=0"])
        }
        let job = try job(server)
        _ = try job.run()
        let second = try job.run()
        #expect(cache(second) == ["revalidated", "expired", "updated"])
        #expect(types(second) == ["networkLoad", "localCache"])
        #expect(second.exchanges("a").map { $0["reason"]?.string } == ["revalidation", "cacheHit"])
        #expect(second.task("a")?["response"]?["statusCode"]?.integer == 200)
        #expect(try job.folder.text("out") == "content")
        #expect(cache(try job.run()) == ["hit", "fresh", nil])
        #expect(server.requests.count == 2)
    }

    @Test func `an unchanged download stays, and is fetched when it is gone`() throws {
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == "\"a\""
                ? .status(304, ["ETag: \"a\""])
                : .ok("content", ["ETag: \"a\""])
        }
        let job = try job(
            server,
            task: "ifExists: revalidate",
            section: "downloads",
            file: "to: out"
        )
        #expect(try job.run().outcome("a") == "succeeded")
        let second = try job.run()
        #expect(second.outcome("a") == "unchanged")
        #expect(second.task("a")?["countOfBytesReceived"]?.integer == 0)
        try job.folder.write("changed", to: "out")
        #expect(try job.run().outcome("a") == "succeeded")
        #expect(try job.folder.text("out") == "content")
        #expect(server.requests.count == 3)
    }

    @Test func `a download too large for the cache is revalidated by its file`()
        throws
    {
        let body = String(repeating: "more than fits ", count: 1000)
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == "\"a\""
                ? .status(304, ["ETag: \"a\""]) : .ok(body, ["ETag: \"a\""])
        }
        let job = try job(
            server,
            session: "urlCache: { diskCapacity: 200kB }",
            task: "ifExists: revalidate",
            section: "downloads",
            file: "to: out"
        )
        #expect(cache(try job.run()) == ["miss", "notStored", "stored"])
        let second = try job.run()
        #expect(second.outcome("a") == "unchanged")
        #expect(cache(second) == ["revalidated", "expired", "updated"])
        try job.folder.write(body.uppercased(), to: "out")
        #expect(try job.run().outcome("a") == "succeeded")
        #expect(try job.folder.text("out") == body)
        try job.folder.write("less", to: "out")
        #expect(try job.run().outcome("a") == "succeeded")
        #expect(try job.run().outcome("a") == "unchanged")
    }

    @Test func `a request with one captured token gets no response to another token`() throws {
        let server = try ScriptedServer { request in
            request.path == "/login"
                ? .ok("{\"t\": \"token of \(request.headers["x-user"] ?? "")\"}")
                : .ok(request.headers["x-token"] ?? "", ["Cache-Control: max-age=600"])
        }
        let job = try JobFolder(
            """
            version: 1
            variables: { user: alice }
            data:
              l: { url: "\(server.origin)/login", headers: { X-User: "${var.user}" }, capture: { t: { json: /t } } }
              a: { url: "\(server.origin)/me", headers: { X-Token: "${task.l.t}" }, needs: [l], responseTo: out }
            """
        )
        for user in ["alice", "bobby"] {
            #expect(try job.run("--var", "user=\(user)").code == 0)
            #expect(try job.folder.text("out") == "token of \(user)")
        }
    }

    @Test func `an order invalidates stored responses`() throws {
        let server = try ScriptedServer { request in
            request.method == "GET"
                ? .ok("content", ["Cache-Control: max-age=600"]) : .ok("done")
        }
        let job = try job(server)
        _ = try job.run()
        try job.folder.write(
            "version: 1\nuploads:\n  order: { url: \"\(server.origin)/x\", text: hello }\n",
            to: "order.yaml"
        )
        _ = try job.runner(["run", "order.yaml"])
        #expect(cache(try job.run()) == ["miss", "notStored", "stored"])
        #expect(server.requests.count == 3)
    }

    @Test(arguments: [
        "urlCache: none", "configuration: background, identifier: b", "configuration: ephemeral",
        "urlCache: { diskCapacity: 0B }", "urlCache: { directory: elsewhere }",
    ])
    func `an order of a session without this cache invalidates its responses`(
        session: String
    ) throws {
        let server = try ScriptedServer { request in
            request.method == "GET"
                ? .ok("content", ["Cache-Control: max-age=600"]) : .ok("done")
        }
        let job = try job(server)
        _ = try job.run()
        try job.folder.write(
            """
            version: 1
            sessions: { s: { \(session) } }
            uploads:
              order: { url: "\(server.origin)/x", method: PUT, text: hello }
            """,
            to: "order.yaml"
        )
        #expect(try job.runner(["run", "order.yaml"]).status == .exit(0))
        #expect(cache(try job.run()) == ["miss", "notStored", "stored"])
    }

    @Test(
        arguments: [
            ("urlCache: none", [nil, nil, nil]),
            ("configuration: ephemeral", ["miss", "notStored", "stored"]),
            ("requestCachePolicy: reloadIgnoringLocalCacheData", ["bypassed", "policy", "stored"]),
            ("requestCachePolicy: returnCacheDataElseLoad", ["hit", "anyAge", nil]),
        ] as [(String, [String?])]
    )
    func `the session sets the use of stored responses`(
        session: String,
        expected: [String?]
    ) throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Cache-Control: max-age=600"])
        }
        let job = try job(server, session: session)
        _ = try job.run()
        #expect(cache(try job.run()) == expected)
    }

    @Test(arguments: [("1MiB", "hit", 1), ("1KiB", "miss", 2)])
    func `a cache in memory has the job's capacity`(
        capacity: String,
        verdict: String,
        requests: Int
    ) throws {
        let body = String(repeating: "a", count: 2000)
        let server = try ScriptedServer { _ in .ok(body, ["Cache-Control: max-age=600"]) }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { configuration: ephemeral, urlCache: { memoryCapacity: \(capacity) } } }
            data:
              first: { url: "\(server.origin)/x" }
              a: { url: "\(server.origin)/x", needs: [first] }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(cache(run).first == verdict)
        #expect(server.requests.count == requests)
    }

    @Test func `returnCacheDataDontLoad fails without a stored response`() throws {
        let server = try ScriptedServer { _ in .ok("content") }
        for session in ["", "urlCache: none"] {
            let job = try job(
                server,
                session: session,
                task: "cachePolicy: returnCacheDataDontLoad"
            )
            let run = try job.run()
            #expect(run.kind("a") == "cache")
            #expect(run.code == 1)
            #expect(run.task("a")?["error"]?["urlError"]?["code"]?.integer == -1008)
        }
        #expect(server.requests.isEmpty)
    }

    @Test func `a stale response replaces that of a failing origin`() throws {
        let server = try ScriptedServer { request in
            request.headers["if-none-match"] == nil
                ? .ok("content", ["ETag: \"a\"", "Cache-Control: max-age=0"])
                : .status(503)
        }
        let job = try job(server, session: "urlCache: { staleIfError: 1h }")
        _ = try job.run()
        let second = try job.run()
        #expect(cache(second) == ["stale", "staleIfError", nil])
        #expect(second.code == 0)
        #expect(try job.folder.text("out") == "content")
    }

    @Test func `a response refreshed during its use is new in the next run`() throws {
        let server = try ScriptedServer { request in
            let fields = ["ETag: \"a\"", "Cache-Control: max-age=0, stale-while-revalidate=600"]
            return request.headers["if-none-match"] == nil
                ? .ok("content", fields)
                : .ok("newer", ["Cache-Control: max-age=600"])
        }
        let job = try job(server)
        _ = try job.run()
        #expect(cache(try job.run()) == ["stale", "staleWhileRevalidate", nil])
        #expect(try job.folder.text("out") == "content")
        #expect(server.requests.count == 2)
        #expect(cache(try job.run()) == ["hit", "fresh", nil])
        #expect(try job.folder.text("out") == "newer")
        #expect(server.requests.count == 2)
    }

    @Test func `a stored response with a wrong checksum is not used again`() throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Cache-Control: max-age=600"])
        }
        let digest = String(repeating: "0", count: 64)
        let job = try job(
            server,
            task: "ifExists: revalidate, checksum: \"sha256:\(digest)\"",
            section: "downloads",
            file: "to: out"
        )
        #expect(cache(try job.run()) == ["miss", "notStored", "rejected"])
        #expect(cache(try job.run()) == ["miss", "notStored", "rejected"])
        #expect(server.requests.count == 2)
    }

    @Test func `a cache that cannot be written fails no task`() throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Cache-Control: max-age=600"])
        }
        let job = try job(server, session: "urlCache: { directory: job.yaml }")
        let run = try job.run()
        #expect(run.code == 0)
        #expect(cache(run) == ["miss", "notStored", "failed"])
        #expect(run.command.standardError.contains("the cache is not used"))
    }

    @Test func `the cache command lists responses and empties the cache`() throws {
        let server = try ScriptedServer { _ in
            .ok("content", ["Cache-Control: max-age=600"])
        }
        let job = try job(server)
        let nothing = try job.runner(["cache", "stat", "--format", "json"])
        #expect(try JSONValue(nothing.standardOutput)["responses"]?.integer == 0)
        #expect(!job.folder.contains(".cache"))
        _ = try job.run()
        let stat = try job.runner(["cache", "stat", "--format", "json"])
        #expect(try JSONValue(stat.standardOutput)["fresh"]?.integer == 1)
        let list = try JSONValue(
            try job.runner(["cache", "ls", "--format", "json"]).standardOutput
        )
        #expect(list[0]?["url"]?.string == "\(server.origin)/x")
        #expect(list[0]?["size"]?.integer == 7)
        #expect(list[0]?["lifetimeSeconds"]?.integer == 600)
        #expect(try job.runner(["cache", "verify"]).status == .exit(0))
        let bodies = ".cache/runner/responses-1/bodies"
        let body = try #require(try job.folder.list(bodies).first)
        let leftover = try job.folder.write("", to: "\(bodies)/left.over", mode: 0o600)
        try #require(
            try Command("touch", ["-d", "2 hours ago", leftover]).run().status == .exit(0)
        )
        let verification = try job.runner(["cache", "verify"])
        #expect(verification.status == .exit(0))
        #expect(verification.standardOutput.contains("bodies/left.over: no list names this file"))
        try job.folder.write("cOntent", to: "\(bodies)/\(body)", mode: 0o600)
        #expect(try job.runner(["cache", "verify"]).status == .exit(6))
        #expect(try job.runner(["cache", "clear"]).status == .exit(0))
        #expect(try job.runner(["cache", "verify"]).status == .exit(0))
        #expect(try job.runner(["cache", "ls"]).standardOutput.isEmpty)
        #expect(cache(try job.run()) == ["miss", "notStored", "stored"])
    }
}
