import SystemKit
import TestSupport
import Testing
import TransferModel

/// Uploads that are cut, to SwiftNIO's server and to a scripted one, within a run and over several.
@Suite struct ResumableUploadTests {
    private static let body = (0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }

    /// So that the 104 of a scripted server is heard before a cut: the body waits for what comes behind it.
    private static let asking = ", headers: { Expect: 100-continue }"

    private func job(
        _ url: String,
        _ settings: String = "",
        session: String = "{}",
        asking: String = Self.asking
    ) throws -> JobFolder {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: \(session) }
            defaults: { retry: { attempts: 1, backoff: { initial: 1ms } } }
            uploads: { a: { url: "\(url)", file: body.bin\(settings)\(asking) } }
            """
        )
        try job.folder.write(Self.body, to: "body.bin")
        return job
    }

    /// The records of uploads that were left.
    private func records(_ job: JobFolder) throws -> [String] {
        let folder = ".local/state/runner/uploads"
        guard job.folder.contains(folder) else { return [] }
        return try job.folder.list(folder).flatMap { try job.folder.list("\(folder)/\($0)") }
            .filter { $0.hasSuffix(".upload") }
    }

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
            // Each request has its connection: behind the first attempt's they are for HEAD and PATCH in turn.
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

    @Test(arguments: [[9, 9, 9, 9], [15, 2, 1, 15]] as [[Int32]])
    func `ended again and again, an upload arrives once and whole`(signals: [Int32]) throws {
        var generator = SplitMix64(seed: 8)
        let server = try ResumableUploadServer()
        let gates = try signals.map { _ in try Gate() }
        let cuts = gates.enumerated().reduce(into: [:]) {
            // HEAD has gone ahead over a connection of its own.
            $0[$1.offset * 2 + 1] = RecordingRelay.Cut.hold(
                after: Int.random(in: 500_000...1_500_000, using: &generator),
                $1.element
            )
        }
        let relay = try RecordingRelay(to: server.port, cuts: cuts)
        let job = try job("\(relay.origin)/files", asking: "")
        for (gate, signal) in zip(gates, signals) {
            let running = try job.runCommand().start()
            try gate.wait()
            try job.folder.wait(for: "the record of an upload") { try !records(job).isEmpty }
            running.signal(signal)
            if signal != 9 {
                _ = try running.waitForLine(containing: "stopping")
                running.signal(signal)
            }
            _ = try running.finish()
            #expect(try records(job).count == 1)
        }
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try server.bodies().isOnly(Self.body))
        #expect(
            run.exchanges("a").map { $0["reason"]?.string } == ["uploadOffset", "uploadAppend"]
        )
        #expect(run.attempts("a").first?["resumedFrom"]?.integer ?? 0 > 2_000_000)
        #expect(run.task("a")?["countOfBytesSent"]?.integer == Int64(Self.body.count))
        #expect(try records(job) == [])
        let passed = relay.passages.reduce(0) { $0 + $1.sent.count }
        #expect(passed * 100 <= Self.body.count * 101, "\(passed) of \(Self.body.count)")
    }

    @Test
    func `an order that SwiftNIO's application has refused behind all of it is not sent twice`()
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

    // MARK: Several runs

    @Test func `what no attempt could mend is gone on with by the next run`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"))
        let first = try job.run()
        // A later run goes on, so that nobody has to look.
        #expect(first.code == 5)
        #expect(first.task("a")?["error"]?["message"]?.string?.contains("unknown") == false)
        #expect(try records(job).count == 1)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.outline == ["POST", "HEAD", "PATCH 3000000"])
        #expect(server.bodies.isOnly(Self.body))
        #expect(try records(job) == [])
    }

    /// What makes another upload of it, and how the server hears of that.
    @Test(arguments: [
        ("printf x >> body.bin", ["HEAD", "DELETE"]), ("touch body.bin", ["HEAD", "DELETE"]),
        ("sed -i 's/Expect/X-Tenant: b, Expect/' job.yaml", ["HEAD", "DELETE"]),
        ("sed -i 's,/files,/others,' job.yaml", ["HEAD", "DELETE"]),
        ("sed -i 's/body.bin/body.bin, method: PUT/' job.yaml", ["HEAD", "DELETE"]),
        ("sed -i 's/body.bin/body.bin, idempotencyKey: k/' job.yaml", ["HEAD", "DELETE"]),
        (
            "sed -i 's/attempts: 1/attempts: 1, repeat: always/; s/Expect/X: b, Expect/' job.yaml",
            ["DELETE"]
        ),
        ("sed -i 's/body.bin/body.bin, description: b/' job.yaml", ["HEAD"]),
    ])
    func `an upload of something else is given up and begins anew`(
        change: String,
        methods: [String]
    ) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        try self.change(job, change)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.method).dropLast() == ["POST"] + methods)
        #expect(server.bodies.map(\.count) == [try job.folder.size(of: "body.bin")])
        #expect(try records(job) == [])
    }

    private func change(_ job: JobFolder, _ script: String) throws {
        let changed = try Command("sh", ["-c", script], workingFolder: job.folder.path).run()
        #expect(changed.status == .exit(0))
    }

    @Test(arguments: [
        "touch body.bin", "cp body.bin b; mv b body.bin",
        "sed -i 's/Expect/X-Tenant: b, Expect/' job.yaml",
        "sed -i 's/sessions: .*/sessions: { s: { httpAdditionalHeaders: { A: b } } }/; s/Expect/X: 1, Expect/' job.yaml",
    ])
    func `an order whose answer was lost is not sent again under other fields`(
        change: String
    ) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        try self.change(job, change)
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.task("a")?["error"]?["message"]?.string?.contains("outcome unknown") == true)
        #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        #expect(server.bodies.count == 1)
        #expect(try records(job) == [])
    }

    @Test func `an order whose record cannot be read is not sent before somebody was told`() throws
    {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        try change(job, "printf x | tee -a .local/state/runner/uploads/*/*.upload")
        let run = try job.run()
        #expect(run.code == 1)
        let message = try #require(run.task("a")?["error"]?["message"]?.string)
        #expect(message.contains("outcome unknown") && message.contains(".upload"), "\(message)")
        #expect(server.requests.count == 1)
        #expect(try job.run().code == 0)
        #expect(server.requests.map(\.method) == ["POST", "POST"])
    }

    @Test func `another order of the task is sent when it is known what became of the one before`()
        throws
    {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        try change(job, "cp body.bin kept; printf x >> body.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.method) == ["POST", "HEAD", "POST"])
        #expect(server.requests[2].headers["Upload-Complete"] == "?1")
        #expect(server.bodies.map(\.count) == [Self.body.count, Self.body.count + 1])
        #expect(try records(job) == [])
    }

    /// Changes the order; what the server does when it is asked about the other one; whether that had come to its end.
    struct Change: Sendable {
        let script: String
        let fault: UploadOrigin.Fault
        let isComplete: Bool
        let attempts: Int
        let last: [String]

        init(
            _ script: String,
            _ fault: UploadOrigin.Fault,
            isComplete: Bool,
            attempts: Int,
            last: [String]
        ) {
            self.script = script
            self.fault = fault
            self.isComplete = isComplete
            self.attempts = attempts
            self.last = last
        }
    }

    @Test(
        arguments: [
            Change("touch body.bin", .answer(503), isComplete: true, attempts: 1, last: []),
            Change(
                "touch body.bin",
                .answer(503),
                isComplete: false,
                attempts: 2,
                last: ["DELETE", "POST"]
            ),
            Change(
                "printf x >> body.bin",
                .cut(after: 0),
                isComplete: true,
                attempts: 2,
                last: ["POST"]
            ),
            Change(
                "printf x >> body.bin",
                .cut(after: 0),
                isComplete: false,
                attempts: 1,
                last: ["DELETE", "POST"]
            ),
        ]
    )
    func `a question about another order that fails leaves its record as it was`(
        change: Change
    ) throws {
        let first: UploadOrigin.Fault = change.isComplete ? .loseAnswer : .cut(after: 3_000_000)
        let server = try UploadOrigin(
            .init { $0.faults = [0: first, 1: change.fault, 2: change.fault] }
        )
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        let record = try recordTexts(job)
        try self.change(job, change.script)
        try self.change(job, "sed -i 's/attempts: 1/attempts: \(change.attempts)/' job.yaml")
        for _ in change.attempts..<3 { #expect(try job.run().code == 5) }
        #expect(try recordTexts(job) == record)
        let run = try job.run()
        #expect(run.code == (change.last.isEmpty ? 1 : 0), "\(run.command.standardError)")
        #expect(server.requests.map(\.method) == ["POST", "HEAD", "HEAD", "HEAD"] + change.last)
        #expect(server.bodies.count == (change.last == ["POST"] ? 2 : 1))
        if !change.last.isEmpty {
            let size = try job.folder.size(of: "body.bin")
            #expect(server.bodies.last?.count == size)
        }
    }

    private func recordTexts(_ job: JobFolder) throws -> [String] {
        let folder = ".local/state/runner/uploads/"
        let name = try job.folder.list(folder)[0]
        return try records(job).map { try job.folder.text("\(folder)\(name)/\($0)") }
    }

    @Test(arguments: [401, 403, 429])
    func `where no later run can ask, a question that is refused leaves the outcome unknown`(
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

    @Test func `a key that an order has got since says nothing of the time without it`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        try change(job, "sed -i 's/body.bin/body.bin, idempotencyKey: k/' job.yaml")
        let run = try job.run()
        #expect(run.code == 1)
        #expect(server.requests.map(\.method) == ["POST", "HEAD"])
        #expect(server.bodies.count == 1)
    }

    @Test func `an order of which another run has the record is not sent`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .loseAnswer] })
        let job = try job(server.url("/files"))
        #expect(try job.run().code == 5)
        let folder = ".local/state/runner/uploads"
        let lock = job.folder.path("\(folder)/\(try job.folder.list(folder)[0])/.lock")
        let script = "exec 9>\"$1\"; flock 9; echo held >&2; exec cat"
        let other = try Command("sh", ["-c", script, "sh", lock]).start()
        _ = try other.waitForLine(containing: "held")
        let run = try job.run()
        #expect(run.code == 5, "\(run.command.standardError)")
        #expect(server.requests.count == 1)
        other.signal(9)
        _ = try other.finish()
        #expect(try job.run().code == 0)
        #expect(server.requests.map(\.method) == ["POST", "HEAD"])
    }

    @Test(arguments: [("{}", true), ("{ proxy: none }", false)])
    func `a record says whether anybody may ask the server`(session: String, isPlain: Bool) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"), session: session)
        #expect(try job.run().code == 5)
        let text = try #require(try recordTexts(job).first)
        #expect(text.contains("\"plain\":\(isPlain)"), "\(text)")
    }

    @Test(arguments: [
        (", resumable: none", "{}", false), ("", "{ configuration: ephemeral }", true),
        (", resumable: auto", "{ configuration: ephemeral }", true), ("", "{}", true),
    ])
    func `it is as the job wants it`(settings: String, session: String, isOffered: Bool) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"), settings, session: session)
        let run = try job.run()
        let isKept = isOffered && (session == "{}" || !settings.isEmpty)
        #expect(run.code == (isOffered ? 5 : 1))
        #expect(try records(job).count == (isKept ? 1 : 0))
        let version = server.requests[0].headers["Upload-Draft-Interop-Version"]
        #expect((version != nil) == isOffered)
    }

    @Test func `a cut order is gone on with although it has no key`() throws {
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

    @Test func `a lost answer is a success without a response where nothing else is expected`()
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

    @Test func `where an answer is expected, the outcome of a lost one is unknown`() throws {
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

extension [[UInt8]] {
    /// Whether there is that one alone; a large array is not for a message.
    fileprivate func isOnly(_ body: [UInt8]) -> Bool { self == [body] }
}
