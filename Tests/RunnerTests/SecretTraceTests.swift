import SystemKit
import TestSupport
import Testing
import TransferModel

/// A secret in every place where text is shown that is not the runner's own, and every byte that
/// the runner leaves.
@Suite struct SecretTraceTests {
    private static let secret = #"S3cr"et/ß\x ~+Tok99"#
    private static let forms = SecretForms.all(of: secret)
    private static let lines = forms.joined(separator: "\n")

    /// Sends every form of the secret in every part of its responses.
    private static func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            let ascii = forms.filter { $0.utf8.allSatisfy { $0 < 128 } }
            let echoes = ascii.enumerated().map { "X-Echo-\($0): a \($1) b" }
            let fields =
                echoes + ["X-Raw: \(secret)", "WWW-Authenticate: Basic realm=\"\(forms[1])\""]
            switch request.path {
            case "/away": return .redirect(to: "http://h.invalid/\(forms[1])?a=\(forms[8])")
            case "/login": return .redirect(to: "//\(forms[1]):x@h.invalid/")
            case "/type": return .status(200, fields + ["Content-Type: \(secret)"], text: lines)
            case "/json":
                return .ok(
                    #"{"a": "\#(SecretForms.json(secret))"}"#,
                    ["Content-Type: application/json"]
                )
            case "/good": return .status(200, fields + ["Content-Type: text/plain"], text: lines)
            default: return .status(400, fields + ["Content-Type: text/plain"], text: lines)
            }
        }
    }

    private static func job(_ server: ScriptedServer) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            name: trace
            secrets: { s: { env: TOKEN, allowInURL: true } }
            hooks: { onFinish: [sh, say] }
            sessions:
              fore: { httpAdditionalHeaders: { X-Token: "${secret.s}" } }
              back: { configuration: background, identifier: trace }
            defaults: { retry: { attempts: 1 } }
            data:
              good: { session: fore, url: \(server.url("/good")), capture: { a: { header: X-Raw } } }
              use: { session: fore, needs: [good], url: "\(server.url("/good"))?a=${task.good.a}" }
              away: { session: fore, url: \(server.url("/away")), redirects: { follow: sameOrigin } }
              login: { session: fore, url: \(server.url("/login")), redirects: { follow: sameOrigin } }
              type: { session: fore, url: \(server.url("/type")), expect: { mimeType: text/plain } }
              field: { session: fore, url: \(server.url("/good")), expect: { headers: { X-Raw: other } } }
              content: { session: fore, url: \(server.url("/json")), expect: { json: { /a: other } } }
              refused: { session: fore, url: \(server.url("/refused")) }
              rows:
                session: fore
                url: \(server.url("/refused"))
                forEach: { lines: rows.txt }
                description: "it is ${item}"
            uploads:
              kept: { session: back, url: \(server.url("/refused")), text: a, headers: { X-Token: "${secret.s}" } }
              stream: { session: fore, url: \(server.url("/good")), stream: { command: [sh, say] } }
            """
        )
        try job.folder.write("Tok99 \(secret) x\n", to: "rows.txt")
        try job.folder.write(lines + "\n" + lines.replacing("\n", with: " "), to: "lines.txt")
        // On both streams, and in pieces of seven bytes.
        try job.folder.write(
            "dd if=lines.txt bs=7 2>/dev/null >&2; cat lines.txt >&2; cat lines.txt >&2\n",
            to: "say"
        )
        return job
    }

    /// Fails when a text has a trace of the secret.
    private static func expectNoTrace(
        in text: String,
        of place: String,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let traces = SecretForms.traces(of: secret, in: text)
        #expect(traces.isEmpty, "\(place)", sourceLocation: sourceLocation)
    }

    @Test(arguments: ["auto", "plain", "bar", "none"])
    func `a secret leaves no trace in anything that a run writes`(progress: String) throws {
        let server = try Self.server()
        let job = try Self.job(server)
        let environment = ["TOKEN": Self.secret, "HOME": job.folder.path]
        let run = try job.run("--progress", progress, environment: environment)
        #expect(run.code == 1, "\(run.command.standardError)")
        #expect(run.outcome("good") == "succeeded" && run.outcome("type") == "failed")
        Self.expectNoTrace(in: run.command.standardError, of: "standard error")
        Self.expectNoTrace(in: run.command.standardOutput, of: "standard output")
        Self.expectNoTrace(in: try job.folder.text("report.json"), of: "report")
        #expect(run.command.standardError.contains("‹redacted›"))

        // Journals, keys, logs: all that is kept.
        let kept = try Command("find", [job.folder.path + "/.local", "-type", "f"]).run()
        let files = kept.standardOutput.split(separator: "\n").map(String.init)
        #expect(!files.isEmpty)
        for file in files {
            let bytes = try InputFile(path: file).readPrefix(limit: 1 << 20)
            Self.expectNoTrace(in: String(decoding: bytes, as: UTF8.self), of: file)
        }
        for arguments in [
            ["status"], ["status", "trace"], ["status", "trace", "--format", "json"],
            ["cancel", "trace"],
        ] {
            let outcome = try job.runner(arguments, environment: ["HOME": job.folder.path])
            let text = outcome.standardOutput + outcome.standardError
            Self.expectNoTrace(in: text, of: "\(arguments)")
        }
    }

    @Test(arguments: [
        ["validate", "job.yaml"], ["validate", "job.yaml", "--format", "json"],
        ["validate", "job.yaml", "--format", "github"],
        ["validate", "job.yaml", "--format", "sarif"], ["plan", "job.yaml"],
        ["plan", "job.yaml", "--format", "json"], ["interfaces", "job.yaml"],
        ["interfaces", "job.yaml", "--format", "json"],
    ])
    func `a secret leaves no trace in validate and plan`(arguments: [String]) throws {
        let server = try Self.server()
        let job = try Self.job(server)
        // Right, and with a fault that quotes the value.
        for more in ["", "\nexpect: ${env.TOKEN} \(Self.secret)\n"] {
            try job.folder.write(try job.folder.text("job.yaml") + more, to: "job.yaml")
            let outcome = try job.runner(arguments, environment: ["TOKEN": Self.secret])
            let text = outcome.standardOutput + outcome.standardError
            Self.expectNoTrace(in: text, of: "\(arguments) \(more)")
        }
    }

    // MARK: What the file itself tells

    /// Literals in places for secrets, each in a file with faults beside, below and in it.
    private static let files: [String] = [
        #"sessions: { s: { credentials: [{ method: basic, origin: "https://a.test", user: u, password: [hunter2-literal] }] } }"#,
        #"sessions: { s: { credentials: [{ method: basic, user: u, password: "hunter2-literal", x: y }] } }"#,
        #"sessions: { s: { credentials: [{ method: bearer, origin: "https://a.test", token: "{{ hunter2-literal }}" }] } }"#,
        #"sessions: { s: { credentials: [{ method: basic, origin: "https://a.test", user: u, pasword: hunter2-literal }] } }"#,
        #"sessions: { s: { credentials: [{ method: basic, origin: "https://a.test", user: u, password: "${env.NOPE:-hunter2-literal}" }] } }"#,
        "sessions:\n  s:\n    credentials:\n      - method: basic\n        user: [u]\n        password: |\n          hunter2-literal\n          two",
        "sessions:\n  s:\n    credentials:\n      - method: basic\n        user: [u]\n        password: \"a\n          hunter2-literal\"",
        #"sessions: { s: { proxy: { http: "http://u:hunter2-literal@h", https: 7 } } }"#,
        #"sessions: { s: { proxy: { url: "http://h", user: u, password: "hunter2-literal", x: y } } }"#,
        "x-a: &p hunter2-literal\nsessions: { s: { credentials: [{ method: basic, user: [u], password: *p }] } }",
        "variables: { dbPassword: hunter2-literal, x: [1] }",
        "secrets: { t: hunter2-literal }", "secrets: { t: { value: hunter2-literal } }",
        "sessions: { s: { password: 'hunter2-literal', token: [ }",
        "sessions:\n  s:\n    password: hunter2-literal\n   x: y",
        "# ftp://u:hunter2-literal@h\nsessions: { s: { x: y } } # http://u:hunter2-literal@h",
    ]

    private static let tasks = """
        data:
          a: { url: "https://u:hunter2-literal@h/", headers: { Authorization: "Bearer hunter2-literal", X-Api-Key: "hunter2-literal", x: [y] } }
          b: { url: "https://u:hunter2-literal two@h/" }
        """

    @Test func `a literal in a place for secrets is shown in no format`() throws {
        let job = try JobFolder("")
        let names = Self.files.indices.flatMap { ["with-\($0).yaml", "without-\($0).yaml"] }
        for (index, file) in Self.files.enumerated() {
            let whole = "version: 1\n\(file)\n"
            try job.folder.write(whole + Self.tasks, to: "with-\(index).yaml")
            let task = "data: { a: { url: \"https://h/\" } }\n"
            try job.folder.write(whole + task, to: "without-\(index).yaml")
        }
        var commands = ["text", "json", "github", "sarif"].map {
            ["validate"] + names + ["--format", $0]
        }
        for name in names {
            commands += [["plan", name], ["plan", name, "--format", "json"]]
            // No run gets far enough to send anything.
            if !name.hasPrefix("without") {
                commands += [["run", name, "--report", "report.json", "--progress", "plain"]]
            }
        }
        for arguments in commands {
            let outcome = try job.runner(arguments)
            let text = outcome.standardOutput + outcome.standardError
            for line in text.split(separator: "\n") {
                #expect(!line.contains("hunter2"), "\(arguments)")
            }
            if arguments.last == "text" {
                for name in names { #expect(text.contains(name)) }
            }
        }
    }

    @Test func `a plan shows the settings of a file without their secrets`() throws {
        let job = try JobFolder(
            """
            version: 1
            variables: { token: hunter2-literal }
            sessions:
              s:
                credentials: [{ method: basic, origin: "https://a.test", user: u, password: "${env.NOPE:-hunter2-literal}" }]
            uploads:
              a:
                url: "https://h/"
                headers: { Authorization: "Bearer ${env.T:-hunter2-literal}", X-Api-Key: hunter2-literal, X-Other: "${env.O:-plain}" }
                json: { user: me, password: hunter2-literal, more: [{ token: "${var.token}" }] }
            """
        )
        for format in ["text", "json"] {
            let outcome = try job.runner(["plan", "job.yaml", "--format", format])
            #expect(outcome.status == .exit(0), "\(outcome.standardError)")
            let text = outcome.standardOutput
            #expect(!(text + outcome.standardError).contains("hunter2"), "\(text)")
            #expect(text.contains("${env.NOPE:-•••}"))
            #expect(text.contains("${env.O:-•••}"))
            #expect(text.contains("Bearer ${env.T:-•••}"))
        }
    }
}
