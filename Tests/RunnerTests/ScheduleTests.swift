import TestSupport
import Testing

@Suite struct ScheduleTests {
    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            request.path.hasPrefix("/missing") ? .status(404) : .ok("x")
        }
    }

    @Test func `all direct and indirect dependents of a failed task are skipped`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            data:
              child: { url: \(server.url("/child")), needs: [parent] }
              grandchild: { url: \(server.url("/grandchild")), needs: [child] }
              parent: { url: \(server.url("/missing")) }
              other: { url: \(server.url("/other")) }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.outcome("child") == "skipped")
        #expect(run.outcome("grandchild") == "skipped")
        #expect(run.outcome("other") == "succeeded")
        #expect(Set(server.requests.map(\.path)) == ["/missing", "/other"])
    }

    @Test func `with one task at a time, needs precede priority and file order`() throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            data:
              last: { url: \(server.url("/last")), priority: low }
              second: { url: \(server.url("/second")) }
              third: { url: \(server.url("/third")) }
              first: { url: \(server.url("/first")), priority: high }
              after: { url: \(server.url("/after")), priority: 1, needs: [last] }
            schedule: { maxConcurrentTasks: 1 }
            """
        )
        #expect(try job.run().code == 0)
        #expect(server.requests.map(\.path) == ["/first", "/second", "/third", "/last", "/after"])
    }

    @Test(arguments: ["option", "environment", "job"])
    func `fail-fast starts nothing more after a failure`(place: String) throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            data:
              bad: { url: \(server.url("/missing")) }
              next: { url: \(server.url("/next")) }
            schedule: { maxConcurrentTasks: 1\(place == "job" ? ", failFast: true" : "") }
            """
        )
        let run = try job.runCommand(
            place == "option" ? ["--fail-fast"] : [],
            environment: place == "environment" ? ["RUNNER_FAIL_FAST": "1"] : [:]
        ).run().reported(in: job.folder)
        #expect(run.code == 1)
        #expect(run.outcome("next") == "cancelled")
        // The place is not that of another key.
        let cause = run.task("next")?["error"]?["source"]
        #expect(cause?["line"]?.integer == (place == "job" ? 5 : nil))
        #expect(server.requests.map(\.path) == ["/missing"])
    }

    @Test(arguments: ["option", "environment"])
    func `only runs the named tasks and what they need`(place: String) throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: \(server.url("/a")) }
              b: { url: \(server.url("/b")), needs: [a] }
              c: { url: \(server.url("/c")), needs: [b] }
              d: { url: \(server.url("/d")) }
              e: { url: \(server.url("/e")) }
            """
        )
        let run = try job.runCommand(
            place == "option" ? ["--only", "b", "d"] : [],
            environment: place == "environment" ? ["RUNNER_ONLY": "b d"] : [:]
        ).run().reported(in: job.folder)
        #expect(run.code == 0)
        #expect(Set(server.requests.map(\.path)) == ["/a", "/b", "/d"])
        #expect(run.report["summary"]?["tasks"]?.integer == 3)
    }
}
