import TestSupport
import Testing
import TransferModel

/// `runner report`, and the documents that a run writes beside its report.
@Suite struct ReportCommandTests {
    private let job: JobFolder

    init() throws {
        let server = try ScriptedServer(["/ok": [.ok("hello")], "/missing": [.status(404)]])
        job = try JobFolder(
            """
            version: 1
            name: nightly
            report: { har: r.har, junit: r.xml, prometheus: r.prom, html: r.html, otlp: r.otlp }
            downloads:
              found: { url: "\(server.url("/ok"))", to: found }
              missing: { url: "\(server.url("/missing"))", to: missing,
                         headers: { X-Key: "${secret.key}" } }
              after: { url: "\(server.url("/ok"))", to: after, needs: [missing] }
            secrets:
              key: { env: KEY, origins: ["\(server.url(""))"] }
            """
        )
        let run = try job.run(environment: ["KEY": "swordfish"])
        #expect(run.code == 1, "\(run.command.standardError)")
    }

    @Test(arguments: [
        ("har", "r.har"), ("junit", "r.xml"), ("prometheus", "r.prom"), ("html", "r.html"),
        ("otlp", "r.otlp"),
    ])
    func `a document of the report is what the run wrote, without its secret`(
        kind: String,
        name: String
    ) throws {
        let written = try job.folder.text(name)
        #expect(!written.contains("swordfish"))
        let printed = try job.runner(["report", kind, "report.json"])
        #expect(printed.status == .exit(0), "\(printed)")
        #expect(printed.standardOutput == written)
        let copy = try job.runner(["report", kind, "report.json", "-o", "copy"])
        #expect(copy.status == .exit(0) && copy.standardOutput.isEmpty, "\(copy)")
        #expect(try job.folder.text("copy") == written)
    }

    @Test func `only metrics are readable for other users`() throws {
        #expect(try job.folder.mode(of: "r.prom") & 0o044 == 0o044)
        for name in ["r.har", "r.xml"] { #expect(try job.folder.mode(of: name) & 0o077 == 0) }
    }

    @Test func `a report is shown with its failures and their places`() throws {
        let shown = try job.runner(["report", "show", "report.json"])
        #expect(shown.status == .exit(0))
        let text = shown.standardOutput
        #expect(text.contains("job nightly (job.yaml), run "), "\(text)")
        #expect(text.contains("3 tasks: 1 succeeded, 1 failed, 1 skipped"))
        #expect(
            text.contains("job.yaml:6:14  missing  failed: httpStatus: the server answered 404")
        )
        #expect(text.contains("  after  skipped: the task needs `missing`, which failed ("))
        #expect(!text.contains("swordfish"))
    }

    @Test func `another file is refused by name`() throws {
        let outcome = try job.runner(["report", "show", "job.yaml"])
        #expect(outcome.status == .exit(4))
        #expect(outcome.standardError.contains("`job.yaml` is no report of runner: it is no JSON"))
        #expect(try job.runner(["report", "har", "none.json"]).status == .exit(4))
        #expect(try job.runner(["report", "show", "--limit", "0", "x"]).status == .exit(2))
    }
}
