import TestSupport
import Testing
import TransferModel

@Suite struct WebhookTests {
    private static func job(
        _ server: ScriptedServer,
        _ hooks: String,
        more: String = ""
    ) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            name: nightly
            hooks: { \(hooks) }
            defaults: { retry: 1 }
            \(more)
            data:
              a: { url: "\(server.url("/a"))" }
              b: { url: "\(server.url("/a"))", needs: a }
            """
        )
    }

    private static func server(_ status: Int, _ webhook: [Reply]) throws -> ScriptedServer {
        try ScriptedServer(["/a": [.status(status)], "/hook": webhook])
    }

    @Test func `a failed run posts its summary`() throws {
        let server = try Self.server(404, [.status(204)])
        let job = try Self.job(
            server,
            "webhook: { url: '\(server.url("/hook"))', headers: { X-Job: n } }"
        )
        let run = try job.run()
        #expect(run.code == 1)
        let posts = server.requests(for: "/hook")
        #expect(posts.count == 1)
        let post = try #require(posts.first)
        #expect(post.method == "POST")
        #expect(post.headers["Content-Type"] == "application/json")
        #expect(post.headers["X-Job"] == "n")
        let body = try JSONValue(bytes: post.body)
        #expect(body["job"]?.string == "nightly")
        #expect(body["run"]?.string == run.report["run"]?["id"]?.string)
        #expect(body["exitCode"]?.integer == 1)
        #expect(body["summary"]?["failed"]?.integer == 1)
        #expect(body["tasks"]?.elements.map { $0["id"]?.string } == ["a", "b"])
        #expect(body["tasks"]?.elements.first?["status"]?.integer == 404)
        #expect(body["report"]?.string?.hasSuffix("report.json") == true)
        #expect(
            body["text"]?.string
                == "nightly: ended with exit code 1, 2 of 2 tasks did not succeed: a (404), b (skipped)"
        )
        #expect(!run.command.standardError.contains("webhook"))
    }

    @Test(arguments: [("failure", 0), ("always", 1)])
    func `a good run posts only on request`(condition: String, count: Int) throws {
        let server = try Self.server(200, [.status(200)])
        let job = try Self.job(
            server,
            "webhook: { url: '\(server.url("/hook"))', on: \(condition) }"
        )
        #expect(try job.run().code == 0)
        #expect(server.requests(for: "/hook").count == count)
    }

    @Test func `a webhook that fails is a warning and changes no exit code`() throws {
        let server = try Self.server(200, [.status(410)])
        let job = try Self.job(server, "webhook: { url: '\(server.url("/hook"))', on: always }")
        let run = try job.run()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("warning: the webhook at \(server.origin) got"))
        #expect(server.requests(for: "/hook").count == 1)
    }

    @Test func `a webhook of a busy server is asked again`() throws {
        let server = try Self.server(200, [.status(503), .status(200)])
        let job = try Self.job(server, "webhook: { url: '\(server.url("/hook"))', on: always }")
        let run = try job.run()
        #expect(run.code == 0)
        #expect(!run.command.standardError.contains("webhook"))
        #expect(server.requests(for: "/hook").count == 2)
    }

    @Test func `a silent server does not hold the run`() throws {
        let rest = try Gate()
        let server = try Self.server(200, [Reply([.wait(rest)])])
        let job = try Self.job(
            server,
            "webhook: { url: '\(server.url("/hook"))', on: always, timeout: 50ms }"
        )
        let run = try job.run()
        rest.open()
        #expect(run.code == 0)
        #expect(run.command.standardError.contains("got no summary"))
    }

    @Test func `a signal ends the wait for a webhook`() throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try Self.server(200, [Reply([.open(arrived), .wait(rest)])])
        let job = try Self.job(
            server,
            "webhook: { url: '\(server.url("/hook"))', on: always, timeout: 1h }"
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(15)
        let run = try running.finish().reported(in: job.folder)
        rest.open()
        #expect(run.code == 0)
    }

    @Test func `a webhook may have secrets, under the rules of origins`() throws {
        let server = try Self.server(404, [.status(200)])
        let secrets = "secrets: { t: { env: TOKEN, allowInURL: true } }"
        let hook =
            "webhook: { url: '\(server.url("/hook"))?t=${secret.t}', headers: { X-T: '${secret.t}' } }"
        let job = try Self.job(server, hook, more: secrets)
        let run = try job.run(environment: ["TOKEN": "s3cr3t-value"])
        #expect(run.code == 1)
        let post = try #require(server.requests.last)
        #expect(post.headers["X-T"] == "s3cr3t-value")
        #expect(post.path.hasSuffix("?t=s3cr3t-value") || post.path == "/hook")
        #expect(!run.command.standardError.contains("s3cr3t"))
        let wrong = try Self.job(
            server,
            "webhook: { url: 'https://b.test/', headers: { X-T: '${secret.t}' } }",
            more: "secrets: { t: { env: TOKEN, origins: [\"https://a.test\"] } }"
        )
        let refused = try wrong.runner(["validate", "job.yaml"], environment: ["TOKEN": "x"])
        #expect(refused.status == .exit(3))
        #expect(refused.standardError.contains("job.secret-to-other-origin"))
    }

    @Test func `a run that cannot begin posts that, too`() throws {
        let server = try Self.server(200, [.status(200)])
        let job = try Self.job(
            server,
            "webhook: { url: '\(server.url("/hook"))' }",
            more:
                "secrets: { s: { file: nowhere } }\nuploads: { c: { url: \"https://a.test\", text: \"${secret.s}\" } }"
        )
        #expect(try job.run().code == 4)
        let body = try JSONValue(bytes: try #require(server.requests(for: "/hook").first).body)
        #expect(body["exitCode"]?.integer == 4)
        #expect(body["text"]?.string == "nightly: ended with exit code 4")
    }

    @Test(arguments: [(200, ""), (404, "failure 1\n")])
    func `a program learns of failed runs alone`(status: Int, told: String) throws {
        let server = try Self.server(status, [])
        let job = try Self.job(
            server,
            "onFailure: [sh, -c, 'echo failure $RUNNER_HOOK_EXIT_CODE >> told'], onFinish: [sh, -c, 'echo finish >> told']"
        )
        _ = try job.run()
        #expect(try job.folder.text("told") == told + "finish\n")
    }
}
