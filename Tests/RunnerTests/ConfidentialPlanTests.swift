import TestSupport
import Testing

/// `runner plan` shows only what cannot be a secret.
@Suite struct ConfidentialPlanTests {
    @Test(arguments: [
        ("[date, -u, +%H]", "[date, -u, ‹redacted›]"),
        ("[./tools/dump.sh, --verbose, all]", "[./tools/dump.sh, --verbose, ‹redacted›]"),
        ("[mysqldump, -phunter2, db]", "[mysqldump, ‹redacted›, ‹redacted›]"),
        ("[dump, \"--password=hun&ter2\"]", "[dump, --password=‹redacted›]"),
        ("[dump, \"--tokeq=hunter2\"]", "[dump, --tokeq=‹redacted›]"),
        ("[sshpass, -p, hunter2]", "[sshpass, -p, ‹redacted›]"),
        ("[\"bob:hunter2\"]", "[‹redacted›]"),
        ("[dump, \"--password hunter2\"]", "[dump, ‹redacted›]"),
        ("[dump, \"${var.x}\"]", "[dump, ${var.x}]"),
    ])
    func `a plan shows of a command the program and the names of options`(
        command: String,
        shown: String
    ) throws {
        let job = try JobFolder(
            "version: 1\nvariables: { x: hunter2 }\nuploads: { a: { url: 'https://h/', stream: { command: \(command) } } }\n"
        )
        let outcome = try job.runner(["plan", "job.yaml"])
        #expect(outcome.standardOutput.contains("stream.command  \(shown)  "), "\(outcome)")
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
