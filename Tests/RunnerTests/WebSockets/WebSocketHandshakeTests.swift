import TestSupport
import Testing
import TransferModel

/// Opening handshakes with a scripted server, from one job file to its report.
@Suite struct WebSocketHandshakeTests {
    private static let greeting = ScriptedWebSocketServer.Script(ServerFrame.text("hello"))

    /// A job of WebSocket tasks that each receive one message.
    private static func job(_ server: ScriptedWebSocketServer, more: String = "") throws
        -> JobFolder
    {
        try JobFolder(
            """
            version: 1
            defaults: { retry: { backoff: { initial: 0s } } }
            \(more)
            """
        )
    }

    @Test func `a conversation keeps to the bandwidth of its session`() throws {
        let message = ServerFrame.text(String(repeating: "x", count: 50_000))
        let script = ScriptedWebSocketServer.Script(message + message + message)
        let server = try ScriptedWebSocketServer { _, _ in .open(script, lines: []) }
        let job = try Self.job(
            server,
            more: """
                sessions: { s: { limits: { bandwidth: 150KB/s } } }
                webSockets:
                  slow: { url: "\(server.origin)/", steps: [{ receive: { count: 3 } }] }
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let wait = run.exchanges("slow").last?["extension"]?["bandwidthWaitUs"]?.integer
        #expect((wait ?? 0) > 100_000)
    }

    @Test func `credentials, cookies and header fields go with the opening handshake`() throws {
        let server = try ScriptedWebSocketServer { target, headers in
            switch target {
            case "/basic" where headers["authorization"] != "Basic dXNlcjpzM2NyZXQ=":
                .refuse(
                    Reply.head(401, ["WWW-Authenticate: Basic realm=\"r\"", "Content-Length: 0"])
                )
            case "/basic": .open(Self.greeting, lines: ["Set-Cookie: id=4711; Path=/"])
            default:
                .open(Self.greeting, lines: ["Sec-WebSocket-Protocol: v1"])
            }
        }
        let job = try Self.job(
            server,
            more: """
                sessions:
                  s:
                    configuration: ephemeral
                    httpAdditionalHeaders: { X-All: yes }
                    credentials: [{ origin: "http://127.0.0.1:\(server.port)", method: basic, user: user, password: s3cret }]
                webSockets:
                  basic: { url: "\(server.origin)/basic", steps: [{ receive: {} }] }
                  later:
                    url: "\(server.origin)/later?a=b"
                    needs: [basic]
                    protocols: [v2, v1]
                    headers: { X-Own: "1", Origin: "https://example.com" }
                    steps: [{ receive: { expect: { text: hello } } }]
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let basic = server.visits(to: "/basic")
        #expect(basic.map { $0.headers["authorization"] } == [nil, "Basic dXNlcjpzM2NyZXQ="])
        let later = try #require(server.visits(to: "/later?a=b").first?.headers)
        #expect(later["host"] == "127.0.0.1:\(server.port)")
        #expect(later["cookie"] == "id=4711")
        #expect(later["x-all"] == "yes" && later["x-own"] == "1")
        #expect(later["origin"] == "https://example.com")
        #expect(later["sec-websocket-protocol"] == "v2, v1")
        #expect(later["sec-websocket-version"] == "13")
        let record = run.task("later")?["extension"]?["webSocket"]
        #expect(record?["protocol"]?.string == "v1")
        #expect(run.exchanges("basic").map { $0["reason"]?.string } == ["initial", "auth"])
        let keys = server.visits.map { $0.headers["sec-websocket-key"] }
        #expect(Set(keys).count == 3)
        let url = run.task("later")?["originalRequest"]?["url"]?.string
        #expect(url == "\(server.origin)/later?a=b")
        #expect(!(try job.folder.text("report.json")).contains("s3cret"))
    }

    @Test func `redirects are followed as those of other requests`() throws {
        let other = try ScriptedWebSocketServer(["/end": Self.greeting])
        let server = try ScriptedWebSocketServer { target, _ in
            let locations = [
                "/relative": "end", "/http": "http://127.0.0.1:\(other.port)/end",
                "/ws": "\(other.origin)/end", "/file": "file:///etc/passwd", "/circle": "/circle",
            ]
            guard let location = locations[target] else { return .open(Self.greeting, lines: []) }
            return .refuse(Reply.head(307, ["Location: \(location)", "Content-Length: 0"]))
        }
        let tasks = ["relative", "http", "ws", "file", "circle"].map { name in
            """
              \(name):
                url: "\(server.origin)/\(name)"
                required: false
                headers: { Authorization: "Bearer t0ken" }
                steps: [{ receive: {} }]
            """
        }
        let job = try Self.job(
            server,
            more: """
                webSockets:
                \(tasks.joined(separator: "\n"))
                  stay: { url: "\(server.origin)/relative", required: false, redirects: { follow: false }, steps: [{ receive: {} }] }
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        for name in ["relative", "http", "ws"] {
            #expect(run.outcome(name) == "succeeded", "\(name)")
            #expect(run.exchanges(name).count == 2, "\(name)")
        }
        for visit in other.visits { #expect(visit.headers["authorization"] == nil) }
        #expect(run.kind("file") == "redirectLimit")
        #expect(run.kind("circle") == "redirectLimit")
        #expect(run.kind("stay") == "httpStatus")
    }

    @Test func `a response that opens no WebSocket is refused with the rule that it breaks`() throws
    {
        let bytes = { (lines: [String]) in Reply.head(101, lines) }
        let refusals: [String: [UInt8]] = [
            "/status": Reply.head(200, ["Content-Length: 5"]) + Array("hello".utf8),
            "/part": Reply.head(500, ["Content-Length: 9"]) + Array("hello".utf8),
            "/chunks": Reply.head(500, ["Transfer-Encoding: chunked"]) + Array("5\r\nhello".utf8),
            "/upgrade": bytes(["Connection: Upgrade", "Sec-WebSocket-Accept: x"]),
            "/connection": bytes(["Upgrade: websocket", "Sec-WebSocket-Accept: x"]),
            "/accept": bytes([
                "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Accept: x",
            ]),
            "/version": Reply.head(426, ["Sec-WebSocket-Version: 8"]),
            "/garbage": Array("SSH-2.0-OpenSSH\r\n\r\n".utf8),
            "/nothing": [],
            "/endless": Array("HTTP/1.1 101 X\r\nX: ".utf8)
                + .init(repeating: 0x61, count: 400_000),
        ]
        let server = try ScriptedWebSocketServer { target, headers in
            switch target {
            case "/protocol": .open(Self.greeting, lines: ["Sec-WebSocket-Protocol: v9"])
            case "/extension":
                .open(Self.greeting, lines: ["Sec-WebSocket-Extensions: permessage-deflate"])
            case "/old", "/new":
                .refuse(
                    Array("HTTP/\(target == "/old" ? "1.0" : "2") ".utf8)
                        + Reply.head(
                            101,
                            [
                                "Upgrade: websocket", "Connection: Upgrade",
                                "Sec-WebSocket-Accept: \(ScriptedWebSocketServer.accept(of: headers))",
                            ]
                        ).dropFirst("HTTP/1.1 ".utf8.count) + ServerFrame.text("hello")
                )
            default: .refuse(refusals[target] ?? [])
            }
        }
        let others = ["protocol", "extension", "old", "new"]
        let names = refusals.keys.map { String($0.dropFirst()) } + others
        let tasks = names.map { name in
            """
              \(name): { url: "\(server.origin)/\(name)", required: false, retry: { attempts: 1 }, steps: [{ receive: {} }] }
            """
        }
        let job = try Self.job(server, more: "webSockets:\n\(tasks.joined(separator: "\n"))")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let kinds = [
            "status": "httpStatus", "part": "httpStatus", "chunks": "httpStatus",
            "upgrade": "protocolViolation",
            "connection": "protocolViolation", "accept": "protocolViolation",
            "version": "httpStatus", "garbage": "protocolViolation", "nothing": "reset",
            "endless": "protocolViolation", "protocol": "protocolViolation",
            "extension": "protocolViolation", "old": "protocolViolation",
            "new": "protocolViolation",
        ]
        for (name, kind) in kinds {
            #expect(run.kind(name) == kind, "\(name): \(run.task(name)?["error"] as Any)")
            #expect(run.task(name)?["extension"]?["webSocket"]?.isNull == true, "\(name)")
        }
        for (name, isWhole) in [("status", true), ("part", false), ("chunks", false)] {
            let end = run.exchanges(name).first?["responseEndDate"]
            #expect(end?.isNull == !isWhole, "\(name)")
        }
        let message = run.task("accept")?["error"]?["message"]?.string
        #expect(message?.contains("does not belong to the request") == true)
    }

    @Test func `a silent server and a lost one end in time`() throws {
        let server = try ScriptedWebSocketServer { target, _ in
            var script = Self.greeting
            script.hangsUp = target == "/lost"
            return .open(script, lines: [])
        }
        let job = try Self.job(
            server,
            more: """
                webSockets:
                  silent:
                    url: "\(server.origin)/silent"
                    required: false
                    timeoutInterval: 200ms
                    retry: { attempts: 1 }
                    steps: [{ receive: { count: 2 } }]
                  slow:
                    url: "\(server.origin)/slow"
                    required: false
                    retry: { attempts: 1 }
                    steps: [{ receive: { count: 2 }, timeout: 200ms }]
                  lost:
                    url: "\(server.origin)/lost"
                    required: false
                    retry: { attempts: 1 }
                    steps: [{ receive: { count: 2 } }]
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.kind("silent") == "timeout")
        #expect(run.kind("slow") == "timeout")
        #expect(run.kind("lost") == "reset")
    }
}
