import TestSupport
import Testing
import TransferModel

/// Stale responses that a run refreshes for the next one.
@Suite struct RefreshTests {
    private static let stale = "Cache-Control: max-age=0, stale-while-revalidate=600"

    @Test func `each session's response is refreshed`() throws {
        let server = try ScriptedServer { _ in .ok("content", [Self.stale]) }
        func session(_ user: String) -> String {
            "{ credentials: [{ method: basic, origin: \"\(server.origin)\", user: \(user), password: \"${secret.k}\" }] }"
        }
        let job = try JobFolder(
            """
            version: 1
            secrets: { k: { env: K, origins: ["\(server.origin)"] } }
            sessions:
              s: \(session("a"))
              t: \(session("b"))
            data:
              a: { url: "\(server.origin)/x", session: s }
              b: { url: "\(server.origin)/x", session: t }
            """
        )
        _ = try job.run(environment: ["K": "password"])
        let count = server.requests.count
        let second = try job.run(environment: ["K": "password"])
        for id in ["a", "b"] {
            let reason = second.task(id)?["extension"]?["cache"]?["reason"]?.string
            #expect(reason == "staleWhileRevalidate")
        }
        #expect(server.requests.count == count + 2)
    }

    @Test func `background refreshes end at the run's deadline`() throws {
        let server = try ScriptedServer { request in
            guard request.headers["if-none-match"] != nil else {
                return .ok("content", [Self.stale, "ETag: \"a\""])
            }
            let head = Reply.head(200, ["Content-Length: 4", Self.stale])
            return Reply([.send(head), .drip(Array("slow".utf8), every: .milliseconds(100))])
        }
        let tasks = (0..<60).map { "  t\($0): { url: \"\(server.origin)/\($0)\" }" }
        let job = try JobFolder("version: 1\ndata:\n" + tasks.joined(separator: "\n"))
        _ = try job.run()
        #expect(server.requests.count == 60)
        let text = try job.folder.text("job.yaml")
        try job.folder.write("schedule: { deadline: 1s }\n" + text, to: "job.yaml")
        _ = try job.run()
        #expect(server.requests.count < 120)
    }
}
