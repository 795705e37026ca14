import SystemKit
import TestSupport
import Testing

/// Tasks of `streams`, against scripted servers of bytes.
@Suite struct StreamTests {
    /// A server that answers lines, after a greeting: `QUIT` ends the connection.
    private static func lines() throws -> TCPServer {
        try TCPServer(greeting: Array("220 hello\r\n".utf8)) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            return text.hasPrefix("QUIT")
                ? .close(Array("221 bye\r\n".utf8))
                : .send(Array("250-you said\r\n250-\(text)250 42 done\r\n".utf8))
        }
    }

    private static func job(_ server: TCPServer, _ rest: String, port: UInt16? = nil) -> String {
        """
        version: 1
        sessions: { s: { configuration: ephemeral, timeoutIntervalForRequest: 20s } }
        streams:
          talk:
            host: 127.0.0.1
            port: \(port ?? server.port)
            \(rest.replacing("\n", with: "\n    "))
        """
    }

    @Test func `a stream keeps to the bandwidth of its session, which is no silence`() throws {
        let answer = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
        let server = try TCPServer(greeting: []) { _ in .close(answer) }
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s: { limits: { bandwidth: 25KB/s }, timeoutIntervalForRequest: 1500ms }
            streams:
              slow:
                host: 127.0.0.1
                port: \(server.port)
                steps: [{ write: { text: go } }, { read: { untilClosed: true, to: answer } }]
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("answer") == answer)
        let wait = run.exchanges("slow").last?["extension"]?["bandwidthWaitUs"]?.integer
        #expect((wait ?? 0) > 500_000)
    }

    @Test func `a conversation writes, reads, captures and reports each step`() throws {
        let server = try Self.lines()
        let job = try JobFolder(
            Self.job(
                server,
                #"""
                steps:
                  - read: { until: "\r\n", expect: { text: 220 hello } }
                  - write: { line: HELO me }
                  - read:
                      untilLine: "^250 "
                      expect: { regex: "250-HELO me" }
                      capture: { number: { regex: "250 (\\d+)" } }
                  - write: { base64: UVVJVA0K }
                  - read: { untilClosed: true, to: bye.txt }
                """#
            )
                + """

                  next:
                    host: localhost
                    port: \(server.port)
                    needs: [talk]
                    steps: [{ write: { text: "${task.talk.number}" }, timeout: 5s }]
                """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("bye.txt") == "221 bye\r\n")
        let steps = run.task("talk")?["extension"]?["stream"]?["steps"]?.elements ?? []
        #expect(steps.map { $0["step"]?.string } == ["read", "write", "read", "write", "read"])
        #expect(steps.map { $0["bytes"]?.integer } == [9, 9, 38, 6, 9])
        #expect(steps.allSatisfy { $0["outcome"]?.string == "succeeded" })
        #expect(run.task("talk")?["extension"]?["stream"]?["isClosedByPeer"]?.bool == true)
        let exchange = run.exchanges("talk").first
        #expect(exchange?["connectEndDate"]?.string != nil)
        let address = "tcp://127.0.0.1:\(server.port)"
        #expect(exchange?["request"]?["url"]?.string == address)
        #expect(run.task("talk")?["originalRequest"]?["url"]?.string == address)
        #expect(run.task("next")?["countOfBytesSent"]?.integer == 2)
    }

    @Test func `bytes go from a file to a file over a connection`() throws {
        let server = try TCPServer.echo()
        let job = try JobFolder(
            Self.job(
                server,
                """
                steps:
                  - write: { file: in.bin }
                  - closeWrite: true
                  - read: { untilClosed: true, to: out/copy.bin }
                """
            )
        )
        let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try job.folder.write(bytes, to: "in.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/copy.bin") == bytes)
    }

    @Test func `after closeRead the runner still writes, and passes over what comes`() throws {
        let server = try TCPServer.echo()
        let job = try JobFolder(
            Self.job(
                server,
                """
                steps:
                  - write: { text: ab }
                  - read: { count: 1B }
                  - closeRead: true
                  - write: { text: cd }
                """
            )
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let steps = run.task("talk")?["extension"]?["stream"]?["steps"]?.elements ?? []
        #expect(steps.map { $0["step"]?.string } == ["write", "read", "closeRead", "write"])
        #expect(steps.compactMap { $0["bytes"]?.integer }.reduce(0, +) == 5)
    }

    @Test func `a conversation that has sent something is not repeated unless the job says so`()
        throws
    {
        let server = try TCPServer { .close($0.isEmpty ? [] : [65]) }
        let steps = "steps: [{ write: { text: a } }, { read: { count: 2B } }]"
        let retry = "retry: { attempts: 3, backoff: { initial: 1ms } REPEAT }\n"
        for (repeated, attempts) in [("", 1), (", repeat: always", 3)] {
            let job = try JobFolder(
                Self.job(server, retry.replacing(" REPEAT", with: repeated) + steps)
            )
            let run = try job.run()
            #expect(run.kind("talk") == "truncated")
            #expect(run.attempts("talk").count == attempts, "\(run.command.standardError)")
        }
        let silent = try TCPServer(greeting: [65]) { _ in .close([]) }
        let reading = "steps: [{ read: { count: 1B } }, { read: { count: 2B }, timeout: 50ms }]"
        let job = try JobFolder(
            Self.job(silent, retry.replacing(" REPEAT", with: "") + reading)
        )
        let run = try job.run()
        #expect(run.kind("talk") == "timeout")
        #expect(run.attempts("talk").count == 3, "\(run.command.standardError)")
    }

    @Test func `a connection that the server resets is lost, and another is made`() throws {
        let server = try TCPServer(greeting: [65]) { _ in .reset }
        let steps = "steps: [{ write: { text: a } }, { read: { count: 2B } }]"
        let retry = "retry: { attempts: 3, backoff: { initial: 1ms }, repeat: always }\n"
        let run = try JobFolder(Self.job(server, retry + steps)).run()
        #expect(run.kind("talk") == "reset")
        #expect(run.attempts("talk").count == 3, "\(run.command.standardError)")
        #expect(run.code == 5)
    }

    @Test func `an answer that is not expected fails the task and its file stays`() throws {
        let server = try Self.lines()
        let job = try JobFolder(
            Self.job(
                server,
                #"""
                steps:
                  - read: { until: "\r\n", to: greeting.txt }
                  - write: { line: NOOP }
                  - read: { untilLine: "^250 ", expect: { regex: "^999" } }
                """#
            )
        )
        try job.folder.write("old", to: "greeting.txt")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("talk") == "content")
        #expect(run.command.standardError.contains("step 3 (`read`)"))
        #expect(try job.folder.text("greeting.txt") == "old")
        #expect(run.task("talk")?["checks"]?.elements.first?["check"]?.string == "content")
    }

    @Test func `a port without a server is retried as any connection is`() throws {
        let job = try JobFolder(
            Self.job(
                try TCPServer.echo(),
                """
                retry: { attempts: 2, backoff: { initial: 1ms } }
                steps: [{ write: { text: a } }]
                """,
                port: try ClosedPort().port
            )
        )
        let run = try job.run()
        #expect(run.kind("talk") == "connect")
        #expect(run.attempts("talk").count == 2)
    }

    @Test func `a secret is hidden, and stays away from a connection without TLS`() throws {
        let server = try TCPServer.echo()
        let secret = "secrets: { token: { env: TOKEN } }\n"
        let steps = """
            steps:
              - write: { line: "AUTH ${secret.token}" }
              - read: { until: "\\r\\n", expect: { text: other } }
            """
        let job = try JobFolder(secret + Self.job(server, steps))
        let run = try job.run(environment: ["TOKEN": "hunter2hunter2"])
        #expect(run.kind("talk") == "content")
        #expect(!run.command.standardError.contains("hunter2"))
        #expect(try !job.folder.text("report.json").contains("hunter2"))

        let remote = try JobFolder(
            secret
                + Self.job(server, steps).replacing("host: 127.0.0.1", with: "host: mail.example")
        )
        let refused = try remote.runner(["validate", "job.yaml"])
        #expect(refused.status == .exit(3))
        #expect(refused.standardError.contains("goes over a connection without TLS"))
    }
}
