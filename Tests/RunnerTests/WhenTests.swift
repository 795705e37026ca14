import JSON
import TestSupport
import Testing
import TransferModel

/// Tasks with `when`, by the built executable.
@Suite struct WhenTests {
    private let server: ScriptedServer
    private let job: JobFolder

    init() throws {
        server = try ScriptedServer { request in
            switch request.path {
            case "/state": .ok(#"{"state":"ready"}"#)
            case "/missing", "/item/2": .status(404)
            default: .ok("x")
            }
        }
        job = try JobFolder(
            """
            version: 1
            variables: { stage: test }
            data:
              state: { url: "\(server.url("/state"))", capture: { state: { json: /state } } }
              missing: { url: "\(server.url("/missing"))", required: false }
              ready:
                url: \(server.url("/ready"))
                needs: state
                when: { equals: ["${task.state.state}", ready, done], matches: ["${var.stage}", ^(x)?t] }
              busy:
                url: \(server.url("/busy"))
                needs: state
                when: { differs: ["${task.state.state}", ready] }
              behind: { url: "\(server.url("/behind"))", needs: busy }
              alert: { url: "\(server.url("/alert"))", when: [{ failed: state }, { failed: missing }] }
              calm: { url: "\(server.url("/calm"))", when: { failed: state } }
              unlock: { url: "\(server.url("/unlock"))", when: { ended: [missing, busy] } }
              item:
                forEach: { range: [1, 3] }
                url: \(server.url("/item"))/${item}
                required: false
              again:
                forEach: { range: [1, 3] }
                url: \(server.url("/again"))/${item}
                when: { failed: "item[${item}]" }
            """
        )
    }

    private static let ran: Set = [
        "/state", "/missing", "/ready", "/alert", "/unlock", "/item/1", "/item/2", "/item/3",
        "/again/2",
    ]

    @Test func `tasks run or are skipped by values and by ends of other tasks`() throws {
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(Set(server.requests.map(\.path)) == Self.ran)
        #expect(server.requests.count == Self.ran.count)
        for id in ["busy", "behind", "calm", "again[1]", "again[3]"] {
            #expect(run.outcome(id) == "skipped" && run.kind(id) == "condition", "\(id)")
        }
        let errors = run.command.standardError
        #expect(
            errors.contains("busy: `when` does not hold: a comparison is false (job.yaml:13:5)")
        )
        #expect(errors.contains("calm: `when` does not hold: `state` succeeded"))
        let shown = try job.runner(["report", "show", "report.json"])
        #expect(shown.standardOutput.contains("calm  skipped: `when` does not hold"), "\(shown)")
    }

    @Test func `shards together run the tasks of the whole job`() throws {
        for index in 1...3 {
            let shard = try job.runner([
                "run", "job.yaml", "--shard", "\(index)/3", "--report", "\(index).json",
            ])
            #expect(shard.status == .exit(0), "\(shard)")
        }
        #expect(Set(server.requests.map(\.path)) == Self.ran)
        #expect(server.requests.count == Self.ran.count)
        let merged = try job.runner(["report", "merge", "1.json", "2.json", "3.json"])
        #expect(merged.status == .exit(0), "\(merged)")
    }

    @Test func `a rerun leaves out the tasks that their conditions skipped`() throws {
        #expect(try job.run().code == 0)
        let count = server.requests.count
        let again = try job.runner([
            "run", "job.yaml", "--rerun-failed", "report.json", "--report", "again.json",
        ])
        #expect(again.status == .exit(0), "\(again)")
        #expect(Set(server.requests.dropFirst(count).map(\.path)) == ["/missing", "/item/2"])
    }

    @Test func `exports count no task as failed that its condition skipped`() throws {
        #expect(try job.run().code == 0)
        func export(_ format: String) throws -> String {
            let export = try job.runner(["report", format, "report.json"])
            #expect(export.status == .exit(0), "\(export)")
            return export.standardOutput
        }
        let junit = try export("junit")
        #expect(junit.contains("errors=\"0\""), "\(junit)")
        #expect(junit.contains("<skipped message=\"condition: `when` does not hold"), "\(junit)")
        #expect(try !export("prometheus").contains("\"calm\""))
        #expect(try !export("otlp").contains("condition"))
    }

    @Test func `the plan lists a condition and the tasks that it names`() throws {
        let plan = try job.runner(["plan", "job.yaml", "--format", "json"])
        let listing = try JSONValue(bytes: Array(plan.standardOutput.utf8))
        let alert = listing["tasks"]?.elements.first { $0["id"]?.string == "alert" }
        #expect(alert?["needs"]?.elements.compactMap(\.string) == ["state", "missing"])
        let text = try job.runner(["plan", "job.yaml"]).standardOutput
        #expect(text.contains("{ended: [missing, busy]}"), "\(text)")
    }
}
