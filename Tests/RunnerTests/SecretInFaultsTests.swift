import TestSupport
import Testing
import TransferModel

/// Messages about a job file, and its listing, do not reveal the value of a declared environment
/// variable.
@Suite struct SecretInFaultsTests {
    private static let token = "SuperSecretToken99"
    private static let environment = ["TOKEN": token, "FULL": "x \(token)", "STATE": nil]

    /// A job whose fault quotes the value, by way of another variable and of a data file.
    private static func folder(secrets: String = "s: { env: TOKEN }") throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            secrets: { \(secrets) }
            data:
              a:
                url: https://a.example/${item}
                timeoutInterval: ${env.FULL}
                forEach: { lines: rows.txt }
                description: SuperSecretToken99
            """
        )
        try job.folder.write("SuperSecretToken99 x\n", to: "rows.txt")
        return job
    }

    @Test(arguments: [
        ["run", "job.yaml", "--report", "report.json"], ["plan", "job.yaml"],
        ["validate", "job.yaml"], ["validate", "job.yaml", "--format", "json"],
        ["validate", "job.yaml", "--format", "github"],
        ["validate", "job.yaml", "--format", "sarif"],
    ])
    func `a fault does not quote the value of a secret`(arguments: [String]) throws {
        let outcome = try Self.folder().runner(arguments, environment: Self.environment)
        #expect(outcome.status == .exit(3))
        let text = outcome.standardError + outcome.standardOutput
        #expect(text.contains("` is not a duration"))
        #expect(!text.contains(Self.token) && !text.contains("Token99"))
    }

    @Test(arguments: [
        "s: { env: TOKEN, origins: [nowhere] }", "s: { env: TOKEN, file: f }",
        "1s: { env: TOKEN }", "s: { env: TOKEN, env: OTHER }",
    ])
    func `a secret with a fault is still a secret`(secrets: String) throws {
        let outcome = try Self.folder(secrets: secrets)
            .runner(["validate", "job.yaml"], environment: Self.environment)
        #expect(outcome.status == .exit(3))
        #expect(!(outcome.standardError + outcome.standardOutput).contains(Self.token))
    }

    @Test(arguments: ["text", "json"])
    func `a plan does not show the value of a secret`(format: String) throws {
        let job = try JobFolder(
            """
            version: 1
            secrets: { s: { env: TOKEN } }
            data:
              a: { url: "https://a.example/", description: "is SuperSecretToken99" }
              b: { url: "https://a.example/${item}", forEach: { lines: rows.txt } }
            """
        )
        try job.folder.write("SuperSecretToken99\n", to: "rows.txt")
        let outcome = try job.runner(
            ["plan", "job.yaml", "--format", format, "--show-values"],
            environment: Self.environment
        )
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        let text = outcome.standardOutput
        #expect(text.contains("is ‹redacted›") && text.contains("b[‹redacted›]"))
        #expect(!text.contains(Self.token))
    }

    @Test func `a secret that a server lowercases is redacted`() throws {
        let token = "GhP_AbCdEf0123456789"
        let server = try ScriptedServer { request in
            let token = request.headers["X-Token"] ?? ""
            return switch request.path {
            case "/type": .status(200, ["Content-Type: \(token)"], text: "x")
            case "/host": .redirect(to: "http://\(token).invalid/")
            default: .redirect(to: "\(token.prefix(3))\(token.dropFirst(4))://x")
            }
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { s: { env: TOKEN }, t: { env: PLAIN } }
            defaults: { httpAdditionalHeaders: { X-Token: "${secret.s}" } }
            data:
              right: { url: \(server.url("/type")) }
              type: { url: \(server.url("/type")), expect: { mimeType: text/plain } }
              host: { url: \(server.url("/host")), redirects: { follow: sameOrigin } }
              scheme:
                url: \(server.url("/scheme"))
                headers: { X-Token: "GhP_${secret.t}" }
            """
        )
        let plain = "AbCdEfGhIjKl"
        let run = try job.run(
            "--progress",
            "plain",
            environment: ["TOKEN": token, "PLAIN": plain]
        )
        #expect(run.code == 1)
        for text in [try job.folder.text("report.json"), run.command.standardError] {
            let text = text.lowercased()
            #expect(!text.contains(token.lowercased()) && !text.contains(plain.lowercased()))
            #expect(text.contains("‹redacted›"))
        }
    }
}
