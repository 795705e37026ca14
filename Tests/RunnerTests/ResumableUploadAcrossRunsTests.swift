import SystemKit
import TestSupport
import Testing
import TransferModel

/// Uploads that a run has left: the next run resumes them or does not.
@Suite struct ResumableUploadAcrossRunsTests: ResumableUploadSuite {
    @Test(arguments: [[9, 9, 9, 9], [15, 2, 1, 15]] as [[Int32]])
    func `ended again and again, an upload arrives once and whole`(signals: [Int32]) throws {
        var generator = SplitMix64(seed: 8)
        let server = try ResumableUploadServer()
        let gates = try signals.map { _ in try Gate() }
        let cuts = gates.enumerated().reduce(into: [:]) {
            // A HEAD over a connection of its own precedes each part.
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

    @Test func `the next run resumes an upload that failed in all attempts`() throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"))
        let first = try job.run()
        // A later run resumes the upload, so that the user need not act.
        #expect(first.code == 5)
        #expect(first.task("a")?["error"]?["message"]?.string?.contains("unknown") == false)
        #expect(try records(job).count == 1)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.outline == ["POST", "HEAD", "PATCH 3000000"])
        #expect(server.bodies.isOnly(Self.body))
        #expect(try records(job) == [])
    }

    /// A change that makes another upload, and the requests by which the server learns of it.
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
    func `an upload of another body is given up and begins anew`(
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
    func `an order with a lost response is not sent again under other fields`(
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

    @Test func `an order with an unreadable record fails once before it is sent again`() throws {
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

    @Test func `another order of a task is sent once the earlier outcome is known`()
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

    /// A change of the order, the server's response about the earlier one, and whether that was
    /// complete.
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
    func `a failed offset request about another order leaves its record`(
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
    func `a record tells whether the server may be asked`(session: String, isPlain: Bool) throws {
        let server = try UploadOrigin(.init { $0.faults = [0: .cut(after: 3_000_000)] })
        let job = try job(server.url("/files"), session: session)
        #expect(try job.run().code == 5)
        let text = try #require(try recordTexts(job).first)
        #expect(text.contains("\"plain\":\(isPlain)"), "\(text)")
    }
}
