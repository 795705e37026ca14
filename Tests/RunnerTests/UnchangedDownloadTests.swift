import TestSupport
import Testing
import TransferModel

/// Expectations and captures of a download's response when the existing file stays.
@Suite struct UnchangedDownloadTests {
    private static let body = #"{"id": 42, "status": "broken"}"#

    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            if request.path.hasPrefix("/next") { return .ok("") }
            return request.headers["if-none-match"] == nil
                ? .ok(Self.body, ["ETag: \"a\"", "X-Version: 7"])
                : .status(304, ["ETag: \"a\""])
        }
    }

    private func job(_ server: ScriptedServer, _ keys: String = "") -> String {
        """
        version: 1
        downloads:
          a:
            url: "\(server.origin)/a"
            to: out
            ifExists: revalidate
            retry: { attempts: 1 }
            \(keys)

        """
    }

    @Test func `captures apply to a stored response, too`() throws {
        let server = try server()
        let job = try JobFolder(
            job(server, "capture: { id: { json: /id }, version: { header: X-Version } }")
                + """
                data:
                  b: { url: "\(server.origin)/next?${task.a.id}-${task.a.version}", needs: [a] }

                """
        )
        #expect(try job.run().code == 0)
        let second = try job.run()
        #expect(second.code == 0)
        #expect(second.outcome("a") == "unchanged")
        #expect(second.outcome("b") == "succeeded")
        #expect(server.requests.filter { $0.target == "/next?42-7" }.count == 2)
    }

    @Test(arguments: [
        "expect: { json: { /status: ok } }", "expect: { headers: { X-Version: 8 } }",
        "capture: { id: { json: /none } }",
    ])
    func `an existing file does not replace a check`(keys: String) throws {
        let server = try server()
        let job = try JobFolder(job(server))
        _ = try job.run()
        #expect(try job.run().outcome("a") == "unchanged")
        try job.folder.write(self.job(server, keys), to: "job.yaml")
        let checked = try job.run()
        #expect(checked.code == 1)
        #expect(checked.kind("a") == "content")
        #expect(try job.folder.text("out") == Self.body)
    }

    @Test(arguments: [
        "expect: { json: { /status: broken } }", "expect: { textEncoding: utf-8 }",
        "expect: { maximumSize: 1kB }",
    ])
    func `an existing file that passes every check stays`(keys: String) throws {
        let server = try server()
        let job = try JobFolder(job(server, keys))
        #expect(try job.run().outcome("a") == "succeeded")
        let second = try job.run()
        #expect(second.outcome("a") == "unchanged")
        let checks = second.task("a")?["checks"]?.elements ?? []
        #expect(checks.contains { $0["check"]?.string != "status" })
    }
}
