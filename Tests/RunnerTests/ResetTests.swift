import JSON
import TestSupport
import Testing
import TransferModel

@Suite struct ResetTests {
    private func server() throws -> ScriptedServer {
        try ScriptedServer { _ in
            .ok("text", ["Set-Cookie: kept=1; Max-Age=600", "Cache-Control: max-age=600"])
        }
    }

    private func job(_ server: ScriptedServer) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            sessions:
              one: { urlCache: { directory: one } }
              two: { urlCache: { directory: two } }
              three: { configuration: ephemeral }
            data:
              a: { session: one, url: "\(server.url("/a"))" }
              b: { session: two, url: "\(server.url("/b"))" }
              c: { session: three, url: "\(server.url("/c"))" }
            """
        )
    }

    private func reset(_ job: JobFolder, _ arguments: [String] = []) throws -> [JSONValue] {
        let outcome = try job.runner(["reset", "job.yaml", "--format", "json"] + arguments)
        #expect(outcome.status == .exit(0), "\(outcome.standardError)")
        return try JSONValue(outcome.standardOutput).elements
    }

    @Test func `cookies and stored responses are removed together or apart`() throws {
        let server = try server()
        let job = try job(server)
        #expect(try job.run().code == 0)
        let first = try reset(job, ["--session", "one", "--cookies"])
        #expect(first.count == 1)
        #expect(first[0]["session"]?.string == "one")
        #expect(first[0]["removedCookies"]?.integer == 1)
        #expect(first[0]["removedFiles"] == .null)
        let rest = try reset(job)
        #expect(rest.map { $0["removedCookies"]?.integer } == [0, 1, 0])
        #expect(rest[0]["removedFiles"]?.integer ?? 0 > 0)
        #expect(rest[1]["removedFiles"]?.integer ?? 0 > 0)
        #expect(rest[2]["removedFiles"] == .null)
        #expect(try job.run().code == 0)
        // No response came from a cache, and no request had a cookie.
        #expect(server.requests.count == 6)
        #expect(server.requests.allSatisfy { $0.headers["cookie"] == nil })
    }

    @Test func `a session without state has nothing to remove`() throws {
        let server = try server()
        let job = try job(server)
        let outcome = try job.runner(["reset", "job.yaml"])
        #expect(outcome.status == .exit(0))
        #expect(
            outcome.standardOutput == """
                one: removed 0 cookies, 0 files of the cache
                two: removed 0 cookies, 0 files of the cache
                three: removed 0 cookies

                """
        )
    }

    @Test func `an unknown session removes nothing`() throws {
        let server = try server()
        let job = try job(server)
        #expect(try job.run().code == 0)
        let outcome = try job.runner(["reset", "job.yaml", "--session", "one", "--session", "four"])
        #expect(outcome.status == .exit(2))
        #expect(outcome.standardError.contains("no session `four`; there are `one`, `two`"))
        #expect(try reset(job)[0]["removedCookies"]?.integer == 1)
    }
}
