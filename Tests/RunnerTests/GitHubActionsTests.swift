import TestSupport
import Testing

/// A run as a step of GitHub Actions.
@Suite struct GitHubActionsTests {
    private let job: JobFolder
    private let server: ScriptedServer

    init() throws {
        server = try ScriptedServer([
            "/ok": [.ok("hello")],
            "/missing": [.status(404, text: "<b>no|such*file</b>\n::error::x")],
        ])
        job = try JobFolder(
            """
            version: 1
            name: "nightly | <b>"
            secrets: { key: { env: KEY } }
            downloads:
              found: { url: "\(server.url("/ok"))", to: found }
              missing: { url: "\(server.url("/missing"))", to: missing,
                         headers: { X-Key: "${secret.key}" } }
              maybe: { url: "\(server.url("/missing"))", to: maybe, required: false }
            """
        )
    }

    private func run(_ changes: [String: String?] = [:]) throws -> RunOutcome {
        let environment: [String: String?] = [
            "KEY": "swordfish", "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": job.folder.path, "GITHUB_OUTPUT": job.folder.path("out"),
            "GITHUB_STEP_SUMMARY": job.folder.path("summary.md"),
        ]
        let command = try job.runCommand(environment: environment.merging(changes) { $1 })
        return try command.run().reported(in: job.folder)
    }

    @Test func `failed tasks are annotated at their places behind the group`() throws {
        let said = try run().command.standardError
        let lines = said.split(separator: "\n").map(String.init)
        #expect(lines.first == "::group::runner nightly | <b>")
        let end = try #require(lines.firstIndex(of: "::endgroup::"))
        let notes = lines[end...].filter { $0.hasPrefix("::error") || $0.hasPrefix("::warning") }
        #expect(notes.count == 2, "\(said)")
        #expect(
            notes.contains {
                $0.hasPrefix(
                    "::error file=job.yaml,line=6,col=14,title=missing%3A failed::httpStatus: "
                )
            }
        )
        #expect(
            notes.contains { $0.hasPrefix("::warning file=job.yaml,line=8,col=12,title=maybe") }
        )
        #expect(lines.allSatisfy { !$0.hasPrefix("::error::x") }, "a server gave a command")
    }

    @Test func `the summary is a table without markup of others, and outputs are lines`() throws {
        try job.folder.write("# before\n", to: "summary.md")
        _ = try run()
        let summary = try job.folder.text("summary.md")
        #expect(
            summary.hasPrefix("# before\n### ❌ runner: `nightly ¦ <b>`"),
            "\(summary)"
        )
        #expect(summary.contains("| succeeded | failed | time | received | sent |"))
        #expect(summary.contains("| `missing` | failed | `httpStatus: the server answered 404"))
        #expect(!summary.contains("swordfish"))
        let outputs = try job.folder.text("out").split(separator: "\n")
        #expect(outputs.contains("exit-code=1") && outputs.contains("failed=2"))
        #expect(outputs.contains("report=report.json"))
    }

    @Test func `files that cannot be written are a warning`() throws {
        let outcome = try run(["GITHUB_STEP_SUMMARY": job.folder.path("none/summary.md")])
        #expect(outcome.code == 1)
        #expect(outcome.command.standardError.contains("::warning::"))
    }

    @Test func `nothing is said elsewhere`() throws {
        let said = try run(["GITHUB_ACTIONS": nil]).command.standardError
        #expect(!said.contains("::"))
        #expect(!job.folder.contains("summary.md") && !job.folder.contains("out"))
    }
}
