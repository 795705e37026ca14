import TestSupport
import Testing

@Suite struct RetryTests {
    private func job(_ server: ScriptedServer, retry: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            downloads:
              a: { url: \(server.url("/")), to: a.bin, retry: \(retry) }
            """
        )
    }

    @Test func `a failing request is retried until it succeeds`() throws {
        let server = try ScriptedServer([
            "/": [.unavailable(), .status(500), .hangUp, .status(429), .ok("at last")]
        ])
        let job = try job(server, retry: "{ attempts: 6, backoff: { initial: 1ms, maximum: 5ms } }")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("a.bin") == "at last")
        #expect(run.attempts("a").map { $0["number"]?.integer } == [1, 2, 3, 4, 5])
        #expect(
            run.attempts("a").map { $0["outcome"]?.string }
                == ["failed", "failed", "failed", "failed", "succeeded"]
        )
        #expect(run.attempts("a").dropFirst().allSatisfy { $0["waitReason"]?.string == "backoff" })
    }

    @Test func `a task fails after its last attempt`() throws {
        let server = try ScriptedServer(["/": [.status(500)]])
        let job = try job(server, retry: "{ attempts: 3, backoff: { initial: 1ms } }")
        let run = try job.run()
        #expect(run.code == 5)
        #expect(server.requests.count == 3)
        #expect(run.kind("a") == "httpStatus")
    }

    @Test func `Retry-After in seconds is waited for`() throws {
        let server = try ScriptedServer(["/": [.unavailable(retryAfter: "1"), .ok("x")]])
        let run = try job(server, retry: "{ attempts: 2, backoff: { initial: 1ms } }").run()
        #expect(run.code == 0)
        let attempt = try #require(run.attempts("a").last)
        #expect(attempt["waitReason"]?.string == "retryAfter")
        #expect(try #require(attempt["waitedUs"]?.integer) >= 1_000_000)
    }

    @Test func `Retry-After as a date is waited for`() throws {
        // Three seconds from the request, of which up to one is lost to rounding.
        let server = try ScriptedServer { request in
            guard request.earlierRequestsForPath == 0 else { return .ok("x") }
            let date = try? Self.httpDate(secondsFromNow: 3)
            return .unavailable(retryAfter: date ?? "")
        }
        let run = try job(server, retry: "{ attempts: 2, backoff: { initial: 1ms } }").run()
        #expect(run.code == 0)
        let attempt = try #require(run.attempts("a").last)
        #expect(attempt["waitReason"]?.string == "retryAfter")
        #expect(try #require(attempt["waitedUs"]?.integer) > 1000)
    }

    @Test func `a Retry-After beyond what the job allows ends the task at once`() throws {
        let server = try ScriptedServer(["/": [.unavailable(retryAfter: "3600"), .ok("x")]])
        let run = try job(server, retry: "{ attempts: 5, maximumRetryAfter: 5s }").run()
        #expect(run.code == 5)
        #expect(server.requests.count == 1)
    }

    @Test func `a wait beyond the budget is not begun`() throws {
        let server = try ScriptedServer(["/": [.unavailable(retryAfter: "60"), .ok("x")]])
        let run = try job(server, retry: "{ attempts: 5, budget: 10s }").run()
        #expect(run.code == 5)
        #expect(server.requests.count == 1)
    }

    @Test func `only failures that the job lists are retried`() throws {
        let server = try ScriptedServer(["/": [.status(500), .ok("x")]])
        let run = try job(server, retry: "{ attempts: 5, on: [503] }").run()
        #expect(run.outcome("a") == "failed")
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [
        ("expect: { json: { /status: done } }", false),
        ("expect: { headers: { X-State: done } }", false), ("expect: { maximumSize: 30B }", false),
        ("expect: { mimeType: application/json }", false),
        ("capture: { result: { json: /result } }", false),
        ("expect: { json: { /status: done } }", true),
    ])
    func `a result that is not there yet is asked for until it is`(
        check: String,
        isDownload: Bool
    ) throws {
        let pending = Reply.ok(
            #"{ "status": "pending", "reason": "in the queue" }"#,
            ["Content-Type: text/plain", "Cache-Control: max-age=60"]
        )
        let done = Reply.ok(
            #"{"status":"done","result":1}"#,
            ["Content-Type: application/json", "Cache-Control: max-age=60", "X-State: done"]
        )
        let server = try ScriptedServer(["/": [pending, pending, done]])
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { urlCache: { directory: cache } } }
            \(isDownload ? "downloads" : "data"):
              a:
                url: \(server.url("/"))\(isDownload ? "\n    to: a.json" : "")
                \(check)
                retry: { attempts: 4, on: [200], backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 3)
    }

    @Test func `an order whose result fails a check is not sent again`() throws {
        let server = try ScriptedServer(["/": [.ok(#"{"status":"pending"}"#)]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a:
                url: \(server.url("/"))
                text: order
                expect: { json: { /status: done } }
                retry: { attempts: 4, on: [200], backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(server.requests.count == 1)
        #expect(!run.command.standardError.contains("outcome unknown"))
    }

    // Taken by itself, nearly each of these answers allows a repeat.
    @Test(arguments: [
        ("http", Reply.status(429)), ("http", .status(404)), ("https", .status(429)),
        ("https", .status(407)), ("https", .status(502)),
        ("https", .status(200, ["Content-Length: 6"])),
    ])
    func `an answered order is not sent again when its result is unavailable`(
        scheme: String,
        reply: Reply
    ) throws {
        let proxy = try ScriptedServer { request in
            request.method == "POST"
                ? .redirect(303, to: "\(scheme)://shop.example/result") : reply
        }
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { proxy: { http: "\(proxy.origin)", https: "\(proxy.origin)" } } }
            uploads:
              order:
                url: http://shop.example/orders
                json: { id: 1 }
                retry: { attempts: 4, backoff: { initial: 1ms } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(proxy.requests.count { $0.method == "POST" } == 1)
        let error = run.task("order")?["error"]
        #expect(error?["message"]?.string?.contains("outcome unknown") == true)
        #expect(error?["retryable"] == .bool(false))
    }

    /// IMF-fixdate (RFC 9110 §5.6.7).
    private static func httpDate(secondsFromNow seconds: Int) throws -> String {
        let format = "+%a, %d %b %Y %H:%M:%S GMT"
        return try Command(
            "date",
            ["--utc", "--date", "\(seconds) seconds", format],
            environment: ["LC_ALL": "C"]
        ).run().standardOutput.split(separator: "\n").joined()
    }
}
