import SystemKit
import TestSupport
import Testing
import TransferModel

/// Uploads that are cut, to SwiftNIO's server and to a scripted one, within a run.
@Suite struct ResumableUploadTests: ResumableUploadSuite {
    // MARK: SwiftNIO

    @Test func `a whole upload to SwiftNIO's server is one request`() throws {
        let server = try ResumableUploadServer()
        let job = try job("\(server.origin)/files", ", responseTo: answer.txt", asking: "")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try server.bodies().isOnly(Self.body))
        #expect(try job.folder.text("answer.txt") == "\(Self.body.count)")
        #expect(run.exchanges("a").map { $0["reason"]?.string } == ["initial"])
        #expect(run.task("a")?["countOfBytesSent"]?.integer == Int64(Self.body.count))
        #expect(try records(job) == [])
    }

    @Test func `cut at random bytes, it arrives once and whole at SwiftNIO's server`() throws {
        var generator = SplitMix64(seed: 3)
        for _ in 0..<3 {
            let server = try ResumableUploadServer()
            let heard = try Gate()
            // Each request has its connection: behind the first attempt's they are for HEAD and
            // PATCH in turn.
            var cuts = stride(from: 1, through: 7, by: 2).reduce(into: [:]) {
                $0[$1] = RecordingRelay.Cut.reset(
                    after: Int.random(in: 1000...2_000_000, using: &generator)
                )
            }
            cuts[1] = .reset(
                after: Int.random(in: 1000...3_000_000, using: &generator),
                when: heard
            )
            let relay = try RecordingRelay(to: server.port, cuts: cuts)
            let job = try job(
                "\(relay.origin)/files",
                ", retry: { attempts: 6, backoff: { initial: 1ms } }",
                asking: ""
            )
            let running = try job.runCommand().start()
            try job.folder.wait(for: "the record of an upload") { try !records(job).isEmpty }
            heard.open()
            let run = try running.finish().reported(
                in: job.folder,
                sourceLocation: #_sourceLocation
            )
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(run.attempts("a").count == 5)
            #expect(try server.bodies().isOnly(Self.body))
            #expect(run.task("a")?["countOfBytesSent"]?.integer == Int64(Self.body.count))
            #expect(try records(job) == [])
        }
    }

    @Test
    func `an order that SwiftNIO's application refused is not sent twice`()
        throws
    {
        let server = try ResumableUploadServer()
        let job = try job("\(server.origin)/status/503", asking: "")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(try server.bodies().count == 1)
        #expect(run.task("a")?["error"]?["message"]?.string?.contains("outcome unknown") == true)
        #expect(try records(job) == [])
    }

    // MARK: A scripted server

    @Test(arguments: [
        (", resumable: none", "{}", false), ("", "{ configuration: ephemeral }", true),
        (", resumable: auto", "{ configuration: ephemeral }", true), ("", "{}", true),
    ])
    func `resumption follows the job's settings`(settings: String, session: String, isOffered: Bool)
        throws
    {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"), settings, session: session)
        let run = try job.run()
        let isKept = isOffered && (session == "{}" || !settings.isEmpty)
        #expect(run.code == (isOffered ? 5 : 1))
        #expect(try records(job).count == (isKept ? 1 : 0))
        let version = server.requests[0].headers["Upload-Draft-Interop-Version"]
        #expect((version != nil) == isOffered)
    }

    @Test func `a cut order without a key resumes its upload`() throws {
        let server = try UploadOrigin(
            .init { $0.faults = [0: .cut(after: 3_000_000), 2: .fail(503, after: 1_000_000)] }
        )
        let job = try job(
            server.url("/orders"),
            ", retry: { attempts: 2, backoff: { initial: 1ms } }"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        // Two attempts are not enough for that; each has brought it further.
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["reset", "503", nil])
        #expect(server.bodies.isOnly(Self.body))
        #expect(run.task("a")?["countOfBytesSent"]?.integer == Int64(Self.body.count))
    }

    @Test func `a lost response is a success for a task without expectations`()
        throws
    {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(
            server.url("/orders"),
            ", retry: { attempts: 2, backoff: { initial: 1ms } }"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.task("a")?["response"]?.isNull == true)
        #expect(server.bodies.count == 1)
    }

    @Test func `a lost response that the task needs leaves the outcome unknown`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(
            server.url("/orders"),
            ", responseTo: out.txt, retry: { attempts: 3, backoff: { initial: 1ms } }"
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.task("a")?["error"]?["message"]?.string?.contains("outcome unknown") == true)
        #expect(server.bodies.count == 1)
        #expect(try records(job) == [])
    }

    @Test(arguments: [401, 403, 429])
    func `a refused offset request without a later run leaves the outcome unknown`(
        status: Int
    ) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer, 1: .answer(status)] })
        let job = try job(
            server.url("/files"),
            ", retry: { attempts: 2, backoff: { initial: 1ms } }",
            session: "{ configuration: ephemeral }"
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.task("a")?["error"]?["message"]?.string?.contains("outcome unknown") == true)
        #expect(server.requests.map(\.method) == ["POST", "HEAD"])
    }

    @Test func `a secret in an upload's URL is not written down`() throws {
        let server = try UploadOrigin(
            .init {
                $0.faults = [0: .cut(after: 3_000_000)]
                $0.informalFields = [
                    "Upload-Draft-Interop-Version: 6", "Location: /upload/1?k=abcdefgh",
                ]
            }
        )
        let job = try JobFolder(
            """
            version: 1
            secrets: { s: { env: TOKEN } }
            defaults: { retry: { attempts: 1 } }
            uploads:
              a: { url: "\(server.url("/"))", file: body.bin, headers: { X-Key: "${secret.s}", Expect: 100-continue } }
            """
        )
        try job.folder.write(Self.body, to: "body.bin")
        _ = try job.run(environment: ["TOKEN": "abcdefgh"])
        #expect(try records(job) == [])
    }
}
