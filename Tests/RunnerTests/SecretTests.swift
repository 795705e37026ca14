import TestSupport
import Testing
import TransferModel

@Suite struct SecretTests {
    private static let mark = "‹redacted›"
    private static let token = #"t0k_"en/ä+%\ value~~?"#
    private static let signature = "s1g/na%2Fture+~"

    /// The forms in which a server can echo a value.
    private static func echoes(of value: String) -> [String] {
        let percent = value.utf8.map { byte in
            "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
        let encoded = (0..<3).map {
            base64(Array((String(repeating: "x", count: $0) + value).utf8))
        }
        return [value, percent, percent.lowercased(), json(value), json(json(value))] + encoded
            + encoded.map { $0.replacing("+", with: "-").replacing("/", with: "_") }
    }

    /// The traces of a value that no output may have.
    private static func traces(of value: String) -> [String] {
        let echoes = echoes(of: value)
        let characters = String(value.utf8.map { Character(Unicode.Scalar($0)) })
        // The first and the last digits of base64 depend on the text around the value.
        return echoes.prefix(5) + echoes.dropFirst(5).map { String($0.dropFirst(4).dropLast(2)) }
            + [characters]
    }

    private static func json(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        let bits = bytes.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 6).map { start in
            let value = (start..<start + 6).reduce(0) { value, index in
                value << 1 | (index < bits.count ? Int(bits[index]) : 0)
            }
            return String(digits[value])
        }.joined()
    }

    /// Fails when a text holds a value in any form.
    private static func expectNothing(
        of values: [String],
        in text: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        for value in values {
            for trace in traces(of: value) {
                #expect(!text.contains(trace), "\(trace)", sourceLocation: sourceLocation)
            }
        }
    }

    private static let job = """
        version: 1
        variables: { bearer: "Bearer ${secret.token}" }
        secrets:
          token: { env: TOKEN, allowInURL: false }
          signature: { file: signature.txt, allowInURL: true }
          code: { command: [sh, -c, "echo '{{ }}' >&2; printf 'c0de-\\\\nline 2\\\\r\\\\n'"], timeout: 20s }
        """

    private static func folder(_ tasks: String) throws -> JobFolder {
        let job = try JobFolder(job + "\n" + tasks)
        try job.folder.write(signature + "\n", to: "signature.txt", mode: 0o600)
        return job
    }

    @Test(arguments: ["auto", "plain", "bar", "none"])
    func `echoed secrets are redacted everywhere, and requests keep the value`(
        progress: String
    ) throws {
        let server = try ScriptedServer { request in
            let token = request.headers["X-Token"] ?? ""
            let raw = Array(token.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
            let text = String(decoding: raw, as: UTF8.self)
            let encoded = Self.echoes(of: String(text.dropFirst(7))).filter {
                $0.utf8.allSatisfy { $0 < 128 }
            }
            let echoes = encoded.enumerated().map { "X-Echo-\($0): a \($1) b" }
            switch request.path {
            case "/away": return .redirect(to: "/nowhere?t=\(encoded[1])")
            case "/json":
                return .ok(#"{"echo": "\#(Self.json(text))"}"#, ["Content-Type: application/json"])
            default:
                let body =
                    "no: " + Self.echoes(of: String(text.dropFirst(7))).joined(separator: " ")
                return .status(
                    request.path == "/ok" ? 200 : 400,
                    echoes + ["Content-Type: text/plain", "X-Latin: \(text)"],
                    text: body + " " + request.text + " " + request.target
                )
            }
        }
        let job = try Self.folder(
            """
            defaults: { httpAdditionalHeaders: { X-Token: "${var.bearer}" } }
            data:
              ok: { url: "\(server.url("/ok"))?sig=${raw:secret.signature}" }
              refused: { url: \(server.url("/refused")) }
              away: { url: \(server.url("/away")) }
              content: { url: \(server.url("/json")), expect: { json: { /echo: other } } }
              field: { url: \(server.url("/ok")), expect: { headers: { X-Latin: other } } }
            uploads:
              body: { url: \(server.url("/refused")), json: { code: "${secret.code}" } }
              text: { url: \(server.url("/refused")), text: "${secret.code} ${secret.signature}" }
              form: { url: \(server.url("/refused")), form: { a: ["x ${secret.token}", "${secret.code}"] } }
              parts:
                url: \(server.url("/refused"))
                multipart:
                  a: "${secret.code}"
                  b: { json: { it: "${secret.token}" }, headers: { X-Part: "${secret.signature}" } }
            """
        )
        let run = try job.run("--progress", progress, environment: ["TOKEN": Self.token])
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("ok") == "succeeded")
        let report = try job.folder.text("report.json")
        let values = [Self.token, Self.signature, "c0de-\nline 2"]
        for text in [report, run.command.standardError, run.command.standardOutput] {
            Self.expectNothing(of: values, in: text)
            // Neither is the end of a cut value, nor its beginning.
            #expect(!text.contains("t0k_") && !text.contains("value~~") && !text.contains("c0de-"))
        }
        #expect(report.contains(Self.mark))
        if progress != "none" { #expect(run.command.standardError.contains(Self.mark)) }

        // The request has the value itself.
        let ok = try #require(server.requests(for: "/ok").first { $0.target != "/ok" })
        #expect(ok.target == "/ok?sig=\(Self.signature)")
        #expect(
            ok.headers["X-Token"]?.unicodeScalars.map(\.value)
                == "Bearer \(Self.token)".utf8.map { UInt32($0) }
        )
        let bodies = server.requests(for: "/refused").map(\.text)
        #expect(bodies.contains(#"{"code":"c0de-\nline 2"}"#))
        #expect(bodies.contains("c0de-\nline 2 \(Self.signature)"))
        #expect(bodies.contains { $0.hasPrefix("a=x+t0k_%22en%2F") })
        #expect(bodies.contains { $0.contains("\r\nX-Part: \(Self.signature)\r\n") })
    }

    @Test func `a secret that is cut off in an excerpt is not shown in part`() throws {
        let secret = "0123456789abcdefghij"
        let server = try ScriptedServer { request in
            let count = Int(request.path.dropFirst()) ?? 0
            let text = String(repeating: "-", count: count) + (request.headers["X-Token"] ?? "")
            return .status(400, ["Content-Type: text/plain"], text: text)
        }
        let tasks = (176..<201).map { "  t\($0): { url: \(server.url("/\($0)")), headers: *h }" }
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            x-headers: &h { X-Token: "${secret.token}" }
            data:
            \(tasks.joined(separator: "\n"))
            """
        )
        let run = try job.run("--progress", "plain", environment: ["TOKEN": secret])
        #expect(run.code == 1)
        for text in [try job.folder.text("report.json"), run.command.standardError] {
            #expect(!text.contains("-0123") && !text.contains("ghij"))
        }
    }

    @Test(arguments: ["plain", "none"])
    func `a secret in a stream command's output is not shown`(progress: String) throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            uploads:
              dump: { url: \(server.url("/")), stream: { command: [sh, say] } }
            """
        )
        // In two pieces, and in base64 on two lines.
        try job.folder.write(
            """
            echo begun >&2; printf 'it is correct' >&2; echo ' horse, really' >&2
            printf %s "$TOKEN" | base64 -w 7 >&2; echo x; printf 'no line end: %s' "$TOKEN" >&2
            """,
            to: "say"
        )
        let run = try job.run("--progress", progress, environment: ["TOKEN": "correct horse"])
        #expect(run.code == 0, "\(run.command.standardError)")
        let lines = run.command.standardError.split(separator: "\n").filter {
            $0.contains("stderr     dump  ")
        }
        // Plain lines begin with the time of day.
        .map { $0.drop { $0 != "s" } }
        #expect(
            lines == [
                "stderr     dump  begun", "stderr     dump  it is \(Self.mark), really",
                "stderr     dump  \(Self.mark)==", "stderr     dump  no line end: \(Self.mark)",
            ]
        )
    }

    @Test func `a field with a secret does not cross to another origin`() throws {
        let other = try ScriptedServer(["/there": [.ok("x")]])
        let server = try ScriptedServer([
            "/away": [.redirect(to: other.url("/there"))], "/near": [.redirect(to: "/here")],
            "/here": [.ok("x")],
        ])
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN } }
            sessions: { s: { httpAdditionalHeaders: { X-Shared: "${secret.token}" } } }
            data:
              away: { url: \(server.url("/away")), headers: { X-Token: "${secret.token}", Accept: a/b } }
              near: { url: \(server.url("/near")), headers: { X-Token: "${secret.token}" } }
            """
        )
        let run = try job.run(environment: ["TOKEN": "hunter2"])
        #expect(run.code == 0, "\(run.command.standardError)")
        let there = try #require(other.requests.first)
        #expect(there.headers["X-Token"] == nil && there.headers["X-Shared"] == nil)
        #expect(there.headers["Accept"] == "a/b")
        let here = try #require(server.requests(for: "/here").first)
        #expect(here.headers["X-Token"] == "hunter2" && here.headers["X-Shared"] == "hunter2")
    }

    @Test func `a secret goes to a captured origin only where it may`() throws {
        let other = try ScriptedServer { _ in .ok("x") }
        let server = try ScriptedServer { request in
            let base = request.path == "/other" ? other.origin : request.headers["X-Base"] ?? ""
            return .ok("x", ["X-Base: \(base)", "X-Id: a b"])
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN, allowInURL: true, origins: ["\(server.origin)"] } }
            data:
              other: { url: \(server.url("/other")), capture: { base: { header: X-Base } } }
              own:
                url: \(server.url("/own"))
                headers: { X-Base: \(server.origin) }
                capture: { base: { header: X-Base }, id: { header: X-Id } }
              stopped: { url: "${raw:task.other.base}/?${secret.token}", needs: [other] }
            uploads:
              refused:
                url: ${raw:task.other.base}/
                needs: [other]
                form: { token: "${secret.token}" }
              sent:
                url: ${raw:task.own.base}/sent?${secret.token}
                needs: [own]
                form: { token: "${secret.token}", id: "${task.own.id}" }
            """
        )
        let run = try job.run("--progress", "plain", environment: ["TOKEN": "hunter2"])
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(["stopped", "refused"].allSatisfy { run.outcome($0) == "failed" })
        #expect(other.requests.isEmpty)
        let sent = try #require(server.requests(for: "/sent").first)
        #expect(sent.target == "/sent?hunter2" && sent.text == "token=hunter2&id=a+b")
        for text in [try job.folder.text("report.json"), run.command.standardError] {
            #expect(!text.contains("hunter2"))
        }
    }

    @Test(arguments: ["v4lue-s3cret", "v4lue%2Ds3cret", "djRsdWUtczNjcmV0"])
    func `a server cannot redirect a secret by echoing it`(echo: String) throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/named": .ok("a", ["Content-Disposition: attachment; filename=\"\(echo).txt\""])
            case "/away": .redirect(to: "/\(echo)")
            default: .ok(#"{"v": "\#(echo)"}"#, ["Content-Type: application/json"])
            }
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { s: { env: S, origins: ["\(server.url(""))"] } }
            defaults: { retry: { attempts: 1 } }
            data:
              echo: { url: \(server.url("/echo")), headers: { X-S: "${secret.s}" }, capture: { v: { json: /v } } }
              back: { url: \(server.url("/back")), headers: { X-V: "${task.echo.v}" }, needs: [echo] }
              query: { url: "\(server.url("/query"))?q=${task.echo.v}", needs: [echo] }
            downloads:
              path: { url: \(server.url("/path")), to: "out/${task.echo.v}", needs: [echo] }
              named: { url: \(server.url("/named")), to: names/ }
              away: { url: \(server.url("/away")), to: away/ }
            """
        )
        let run = try job.run(environment: ["S": "v4lue-s3cret"])
        #expect(run.code == 1, "\(run.command.standardError)")
        let outcomes = ["echo", "back", "query", "path", "named", "away"].map { run.outcome($0) }
        #expect(
            outcomes == ["succeeded", "succeeded", "failed", "failed", "succeeded", "succeeded"]
        )
        #expect(server.requests(for: "/query").isEmpty && server.requests(for: "/path").isEmpty)
        #expect(try job.folder.list("names") == ["named"])
        #expect(try job.folder.list("away") == ["download"])
    }
}
