import SystemKit
import TestSupport
import Testing
import TransferModel

/// Logins of opening handshakes, against Apache and scripted servers.
@Suite struct WebSocketCredentialTests {
    private static let environment: [String: String?] = ["PASSWORD": "open sesame"]

    private static func job(_ credential: String, _ tasks: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            secrets: { password: { env: PASSWORD } }
            sessions: { s: { credentials: [{ \(credential) }] } }
            webSockets:
            \(tasks)
            """
        )
    }

    private static func statuses(_ run: RunOutcome, _ id: String) -> [Int64?] {
        run.exchanges(id).map { $0["response"]?["statusCode"]?.integer }
    }

    // RFC 7616
    @Test func `Apache opens a WebSocket for Digest, and refuses a wrong password once`() throws {
        let backend = try ScriptedWebSocketServer([
            "/digest/feed": .init(ServerFrame.text("hello"))
        ])
        let apache = try Apache(backend: "http://127.0.0.1:\(backend.port)")
        let url = "ws" + apache.url("/digest/feed").dropFirst(4)
        let job = try Self.job(
            "method: digest, host: localhost, user: me, password: '${secret.password}'",
            """
              first: { url: "\(url)", steps: [{ receive: { expect: { text: hello } } }] }
              second: { url: "\(url)", needs: [first], steps: [{ receive: {} }] }
            """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(Self.statuses(run, "first") == [401, 101])
        // The server is known, and the nonce of each handshake is its own.
        #expect(Self.statuses(run, "second") == [401, 101])
        #expect(backend.visits.count == 2)
        #expect(try !job.folder.text("report.json").contains("sesame"))
        let refused = try job.run(environment: ["PASSWORD": "open parsley"])
        #expect(refused.kind("first") == "httpStatus" && refused.attempts("first").count == 1)
        #expect(Self.statuses(refused, "first") == [401, 401])
        let help = refused.task("first")?["error"]?["help"]?.string
        #expect(help == "the server refused the session's credential (digest)")
        #expect(backend.visits.count == 2)
    }

    // RFC 7616 §3.3
    @Test func `a stale nonce is replaced once`() throws {
        let server = try ScriptedWebSocketServer { target, headers in
            let login = headers["authorization"] ?? ""
            let nonce = login.contains("nonce=\"one\"") ? "two" : "one"
            guard login.contains("nonce=\"two\""), target == "/" else {
                let challenge =
                    "WWW-Authenticate: Digest realm=\"r\", qop=\"auth\", algorithm=SHA-256, "
                    + "nonce=\"\(nonce)\", stale=\(!login.isEmpty)"
                return .refuse(Reply.head(401, [challenge, "Content-Length: 0"]))
            }
            return .open(.init(ServerFrame.text("hello")), lines: [])
        }
        let origin = "http://127.0.0.1:\(server.port)"
        let job = try Self.job(
            "method: digest, origin: \"\(origin)\", user: me, password: '${secret.password}'",
            """
              once: { url: "\(server.origin)/", steps: [{ receive: {} }] }
              always: { url: "\(server.origin)/always", required: false, steps: [{ receive: {} }] }
            """
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(Self.statuses(run, "once") == [401, 401, 101])
        let logins = server.visits(to: "/").map { $0.headers["authorization"] ?? "" }
        #expect(logins.last?.contains("uri=\"/\", cnonce=\"") == true)
        #expect(logins.last?.contains("algorithm=SHA-256") == true)
        #expect(run.kind("always") == "httpStatus" && run.attempts("always").count == 1)
        #expect(Self.statuses(run, "always").count == 3)
    }

    @Test func `methods that authenticate a connection are refused by name, and never used`()
        throws
    {
        for method in ["ntlm, user: u, password: p", "negotiate"] {
            let job = try Self.job(
                "origin: \"https://example.com\", method: \(method)",
                "  talk: { url: \"wss://example.com/\", steps: [{ receive: {} }] }"
            )
            let outcome = try job.runner(["validate", "job.yaml"])
            #expect(outcome.status == .exit(3), "\(outcome.standardError)")
            #expect(outcome.standardError.contains("job.conflicting-keys"))
            #expect(outcome.standardError.contains("open no WebSocket"))
        }
        let other = try ScriptedWebSocketServer { _, _ in
            .refuse(Reply.head(401, ["WWW-Authenticate: Negotiate", "Content-Length: 0"]))
        }
        let server = try ScriptedWebSocketServer { _, _ in
            .refuse(Reply.head(307, ["Location: \(other.origin)/", "Content-Length: 0"]))
        }
        let job = try Self.job(
            "method: negotiate, origin: \"http://127.0.0.1:\(other.port)\"",
            "  talk: { url: \"\(server.origin)/\", steps: [{ receive: {} }] }"
        )
        let run = try job.run(environment: Self.environment)
        #expect(run.kind("talk") == "httpStatus", "\(run.command.standardError)")
        let help = run.task("talk")?["error"]?["help"]?.string
        #expect(help == "the server asks for negotiate, and no credential of the session fits")
        #expect(other.visits.count == 1)
    }
}
