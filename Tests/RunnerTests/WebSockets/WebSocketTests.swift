import SystemKit
import TestSupport
import Testing
import TransferModel

/// Conversations of WebSocket tasks, from the job file to the report and to other tasks.
@Suite struct WebSocketTests {
    /// A server whose first connection for a path ends after one message of the client.
    private static func flakyServer() throws -> ScriptedWebSocketServer {
        let count = Lock<[String: Int]>([:])
        return try ScriptedWebSocketServer { target, _ in
            let number = count.withLock { count in
                count[target, default: 0] += 1
                return count[target] ?? 0
            }
            if target == "/busy", number == 1 {
                return .refuse(Reply.head(503, ["Content-Length: 0"]))
            }
            var script = ScriptedWebSocketServer.Script(ServerFrame.text("{\"id\": 42}"))
            if number == 1, target != "/calm" {
                script = .init([])
                script.hangsUp = true
            }
            return .open(script, lines: [])
        }
    }

    @Test func `a conversation that sent something is repeated only if the job says so`() throws {
        let server = try Self.flakyServer()
        let tasks = ["listen", "said", "again", "busy"].map { name in
            """
              \(name):
                url: "\(server.origin)/\(name)"
                required: false
                retry: { repeat: \(name == "again" ? "always" : "automatic") }
                steps:
                  \(["said", "again"].contains(name) ? "- send: { text: order }" : "- ping: {}" )
                  - receive: {}
            """
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { backoff: { initial: 0s } } }
            webSockets:
            \(tasks.joined(separator: "\n"))
            """.replacing("      - ping: {}\n", with: "")
        )
        let run = try job.run()
        for name in ["listen", "again", "busy"] {
            #expect(run.outcome(name) == "succeeded", "\(name): \(run.command.standardError)")
            #expect(run.attempts(name).count == 2, "\(name)")
        }
        #expect(run.outcome("said") == "failed")
        #expect(run.attempts("said").count == 1)
        let message = run.task("said")?["error"]?["message"]?.string
        #expect(message?.contains("outcome unknown") == true)
    }

    @Test func `captured values and secrets go their ways`() throws {
        let server = try ScriptedWebSocketServer([
            "/first": .init(ServerFrame.text("{\"id\": 42, \"token\": \"abc-def-ghi\"}")),
            "/second": .init([]),
        ])
        let job = try JobFolder(
            """
            version: 1
            secrets: { key: { env: KEY } }
            webSockets:
              first:
                url: "\(server.origin)/first"
                steps:
                  - send: { json: { key: "${secret.key}" } }
                  - receive: { capture: { id: { json: /id }, word: { regex: "[a-z]+-def" } } }
                  - close: { code: 4001, reason: done }
              second:
                url: "\(server.origin)/second"
                needs: [first]
                steps:
                  - send: { json: { id: "${task.first.id}" } }
                  - send: { text: "${task.first.word}!" , count: 2 }
                  - send: { base64: AAH/ }
                  - send: { file: body.bin }
            """
        )
        try job.folder.write("from a file", to: "body.bin")
        let run = try job.run(environment: ["KEY": "k3y-k3y-k3y"])
        #expect(run.code == 0, "\(run.command.standardError)")
        let first = try #require(server.visits(to: "/first").first?.frames)
        #expect(first == [.text("{\"key\":\"k3y-k3y-k3y\"}"), .close(4001, "done")])
        let second = try #require(server.visits(to: "/second").first?.frames)
        #expect(
            second == [
                .text("{\"id\":42}"), .text("abc-def!"), .text("abc-def!"),
                ClientFrame(opcode: ServerFrame.binary, payload: [0, 1, 255]),
                ClientFrame(opcode: ServerFrame.binary, payload: Array("from a file".utf8)),
                .close(1000),
            ]
        )
        let report = try job.folder.text("report.json")
        #expect(!report.contains("k3y-k3y") && !report.contains("abc-def"))
        let steps = run.task("second")?["extension"]?["webSocket"]?["steps"]?.elements ?? []
        #expect(steps.map { $0["step"]?.string } == ["send", "send", "send", "send", "close"])
        #expect(steps.map { $0["messages"]?.integer } == [1, 2, 1, 1, 0])
        #expect(run.task("second")?["countOfBytesSent"]?.integer == 39)
    }

    @Test func `a message that is not as expected fails the check of the content`() throws {
        let server = try ScriptedWebSocketServer(["/": .init(ServerFrame.text("{\"ok\": false}"))])
        let job = try JobFolder(
            """
            version: 1
            webSockets:
              talk:
                url: "\(server.origin)/"
                responseTo: out.jsonl
                steps: [{ receive: { expect: { json: { /ok: true } } } }]
            """
        )
        let run = try job.run()
        #expect(run.code == 1 && run.kind("talk") == "content")
        let checks = run.task("talk")?["checks"]?.elements ?? []
        #expect(checks.map { $0["check"]?.string } == ["clientError", "statusCode", "content"])
        #expect(checks.map { $0["passed"]?.bool } == [true, true, false])
        #expect(!job.folder.contains("out.jsonl"))
        #expect(run.task("talk")?["changed"]?.bool == false)
    }

    @Test func `plan shows the steps`() throws {
        let job = try JobFolder(
            """
            version: 1
            webSockets:
              talk: { url: "wss://example.com/", steps: [{ send: { text: hi } }, { receive: {} }] }
            """
        )
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.standardOutput.contains("wss://example.com/"))
        #expect(outcome.standardOutput.contains("send"), "\(outcome.standardOutput)")
    }

    // MARK: The server of PyPI

    private static func expectEcho(
        from server: WebSocketServer,
        session: String = "{}"
    ) throws -> RunOutcome {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: \(session) }
            webSockets:
              echo:
                url: "\(server.origin)/echo"
                protocols: [v2, v1]
                maximumMessageSize: 2MiB
                responseTo: out/echo.jsonl
                steps:
                  - send: { text: hello }
                  - receive: { expect: { type: text, text: hello } }
                  - ping: { payload: still there }
                  - send: { file: large.bin }
                  - receive: { expect: { type: binary } }
                  - send: { json: { a: [1, 2] }, count: 100 }
                  - receive: { count: 100, expect: { json: { /a/1: 2 } } }
                  - close: { code: 4000, reason: bye, expect: { closeCode: 4000 } }
              feed:
                url: "\(server.origin)/feed"
                protocols: [v1]
                steps: [{ receive: { until: { json: { /type: done } }, capture: { n: { json: /n } } } }, { receive: { until: closed } }]
            """
        )
        try job.folder.write(String(repeating: "0123456789abcdef", count: 60_000), to: "large.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let lines = try job.folder.text("out/echo.jsonl").split(separator: "\n")
        #expect(lines.count == 102)
        let record = run.task("echo")?["extension"]?["webSocket"]
        #expect(record?["protocol"]?.string == "v1")
        #expect(record?["closeCode"]?.integer == 4000 && record?["isClean"]?.bool == true)
        return run
    }

    @Test func `the server of PyPI understands everything`() throws {
        _ = try Self.expectEcho(from: WebSocketServer())
    }

    @Test func `over TLS the server's certificate is verified`() throws {
        let certificates = try TestCertificates.shared()
        let server = try WebSocketServer(certificate: certificates.server)
        let run = try Self.expectEcho(
            from: server,
            session: "{ tls: { caFile: \(certificates.authorityFile) } }"
        )
        let exchange = try #require(run.exchanges("echo").first)
        #expect(exchange["negotiatedTLSProtocolVersion"]?.isNull == false)
        let job = try JobFolder(
            """
            version: 1
            webSockets:
              untrusted: { url: "\(server.origin)/echo", steps: [{ ping: {} }] }
            """
        )
        #expect(try job.run().kind("untrusted") == "tls")
    }

    @Test(arguments: [false, true])
    func `squid makes a tunnel for WebSockets, with and without TLS`(isSecure: Bool) throws {
        let certificates = try TestCertificates.shared()
        let server = try WebSocketServer(certificate: isSecure ? certificates.server : nil)
        let squid = try Squid(.basic)
        let run = try Self.expectEcho(
            from: server,
            session: """
                { tls: { caFile: \(certificates.authorityFile) }, \
                proxy: { http: { url: "\(squid.url)", user: \(Squid.user), password: \(Squid.password) }, \
                https: { url: "\(squid.url)", user: \(Squid.user), password: \(Squid.password) } } }
                """
        )
        #expect(run.exchanges("echo").first?["isProxyConnection"]?.bool == true)
        #expect(try squid.end().allSatisfy { $0.method == "CONNECT" })
    }
}
