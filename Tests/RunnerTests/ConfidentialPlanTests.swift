import TestSupport
import Testing

/// `runner plan` shows only what cannot be a secret.
@Suite struct ConfidentialPlanTests {
    private static let job = """
        version: 1
        variables: { x: hunter2 }
        uploads:
          a:
            url: "https://h/?k=hunter2"
            file: "${env.FOLDER:-hunter2}/a.bin"
            method: PUT
            timeoutInterval: 5s
            headers: { X-Any: "hunter2 ${var.x}" }
            priority: high
          b: { url: "https://h/", stream: { command: [dump, -phunter2, "${var.x}"] } }
          c: { url: "https://h/", file: out/c.bin }
        """

    @Test(arguments: [
        ("url", "https://h/•••"), ("file", "${env.FOLDER:-•••}•••"), ("method", "PUT"),
        ("timeoutInterval", "5s"), ("headers.X-Any", "•••${var.x}"), ("priority", "high"),
        ("stream.command", "[•••, •••, ${var.x}]"), ("file", "•••"),
    ])
    func `a plan shows numbers, words of the language, expressions and URLs up to the query`(
        key: String,
        shown: String
    ) throws {
        let job = try JobFolder(Self.job)
        try job.folder.makeFolder("out")
        for name in ["a.bin", "out/c.bin"] { try job.folder.write("x", to: name) }
        let outcome = try job.runner(
            ["plan", "job.yaml"],
            environment: ["FOLDER": job.folder.path]
        )
        let lines = outcome.standardOutput.split(separator: "\n").map {
            $0.split(separator: " ").joined(separator: " ")
        }
        #expect(lines.contains { $0.hasPrefix("\(key) \(shown) (") }, "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"))
    }

    @Test func `a plan with values shows those that are no credential by their keys`() throws {
        let job = try JobFolder(Self.job)
        try job.folder.makeFolder("out")
        for name in ["a.bin", "out/c.bin"] { try job.folder.write("x", to: name) }
        let outcome = try job.runner(
            ["plan", "job.yaml", "--show-values"],
            environment: ["FOLDER": job.folder.path]
        )
        #expect(outcome.standardOutput.contains("  out/c.bin  (line 12)"), "\(outcome)")
        #expect(outcome.standardOutput.contains("  https://h/•••  (line 5)"), "\(outcome)")
        #expect(!outcome.standardOutput.contains("hunter2"), "\(outcome)")
    }

    @Test(arguments: [
        "data: { a: { url: 'https://h/', headers: { X-Api-Kex: hunter2 } } }",
        "uploads: { a: { url: 'https://h/', json: { type: auth, soken: hunter2 } } }",
        "uploads: { a: { url: 'https://h/', json: [auth, hunter2] } }",
        "uploads: { a: { url: 'https://h/', text: \"user=ada\\npassword hunter2\" } }",
        "uploads: { a: { url: 'https://h/', form: { user: ada, 'curl -u ada:hunter2': x } } }",
        "uploads: { a: { url: 'https://h/', form: { session: hunter2, key: hunter2, name: hunter2 } } }",
        "streams: { a: { host: h, port: 25, steps: [{ write: { line: “AUTH PLAIN hunter2” } }] } }",
        "streams: { a: { host: h, port: 25, steps: [{ write: { line: auth ada hunter2 } }] } }",
        "data: { a: { url: 'https://h/bot123:hunter2hunter2hunter2/getMe' } }",
        "webSockets: { a: { url: 'wss://h/', protocols: [base64url.bearer.hunter2], steps: [{ ping: {} }] } }",
        "sessions: { s: { credentials: [{ method: awsSigV4, host: h.example, region: r, service: s, accessKey: hunter2, secretKey: x }] } }\ndata: { a: { url: 'https://h/' } }",
    ])
    func `a plan shows no text that may be a secret`(job text: String) throws {
        let job = try JobFolder("version: 1\n\(text)\n")
        let plan = try job.runner(["plan", "job.yaml"])
        #expect(plan.status == .exit(0), "\(plan.standardError)")
        #expect(!plan.standardOutput.contains("hunter2"), "\(plan.standardOutput)")
        let json = try job.runner(["plan", "job.yaml", "--format", "json"])
        #expect(!json.standardOutput.contains("hunter2"), "\(json.standardOutput)")
    }

    @Test(arguments: [
        "hooks: { webhook: { url: 'https://hooks.example/T0/B0/hunter2', onn: always } }",
        "sessions: { s: { credentials: [{ method: clientCertificate, host: h, certificate: c.pem, key: hunter2 }] } }",
        "sessions: { s: { credentials: [{ method: awsSigV4, host: h.example, region: hunter2, servic: s }] } }",
    ])
    func `a value beside a credential is in no message and no quoted line`(file: String) throws {
        let text = "version: 1\ndata: { a: { url: 'https://h/' } }\n\(file)\n"
        for (format, said) in try ConfidentialFileTests.said(of: Array(text.utf8)) {
            #expect(!said.contains("hunter2"), "\(format): \(said)")
        }
    }
}
