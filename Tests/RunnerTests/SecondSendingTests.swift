import TestSupport
import Testing

// A kept connection that ends without an answer has libcurl send the request again over another
// one.
@Suite struct SecondSendingTests {
    /// Runs a task over a connection that dies under it, and returns how it ended and how often its
    /// request arrived.
    private func run(_ task: String, retry: String) throws -> (RunOutcome, arrivals: Int) {
        let server = try ScriptedServer(["/warm": [.ok("x")], "/b": [.hangUp, .ok("y")]])
        let job = try JobFolder(
            """
            version: 1
            defaults: { urlCache: none }
            downloads: { a: { url: "\(server.url("/warm"))", to: a } }
            \(task.replacing("@", with: "needs: [a], retry: \(retry), url: \"\(server.url("/b"))\""))
            """
        )
        let outcome = try job.run()
        return (outcome, server.requests(for: "/b").count)
    }

    @Test(
        arguments: ["{ repeat: never }", "{ attempts: 1 }"],
        [
            "uploads: { b: { @, method: PUT, text: x } }",
            "uploads: { b: { @, method: POST, text: x, idempotencyKey: k } }",
            "uploads: { b: { @, method: POST, text: x } }",
            "data: { b: { @, method: DELETE } }",
        ]
    )
    func `a request of a task without repeats arrives once if its connection dies`(
        retry: String,
        task: String
    ) throws {
        let (outcome, arrivals) = try run(task, retry: retry)
        #expect(arrivals == 1)
        #expect(outcome.kind("b") == "reset")
        #expect(outcome.exchanges("b").count == 1)
        #expect(outcome.attempts("b").count == 1)
    }

    @Test
    func
        `a GET with one attempt is sent again by the connection, one that is never repeated is not`()
        throws
    {
        // It goes over the kept connection either way.
        let (once, onceArrivals) = try run("data: { b: { @ } }", retry: "{ attempts: 1 }")
        #expect(onceArrivals == 2)
        #expect(once.outcome("b") == "succeeded")
        let (never, arrivals) = try run("data: { b: { @ } }", retry: "{ repeat: never }")
        #expect(arrivals == 1)
        #expect(never.kind("b") == "reset")
        #expect(never.exchanges("b").first?["isReusedConnection"]?.bool == true)
    }

    @Test func `a PUT with several attempts uses a kept connection`() throws {
        let (outcome, arrivals) = try run(
            "uploads: { b: { @, method: PUT, text: x } }",
            retry: "{ attempts: 2 }"
        )
        #expect(arrivals == 2)
        #expect(outcome.outcome("b") == "succeeded")
        let reasons = outcome.exchanges("b").map { $0["reason"]?.string }
        #expect(reasons == ["initial", "transparentRetry"])
    }
}
