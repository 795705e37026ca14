import SystemKit
import TestSupport
import Testing
import TransferModel

/// Background sessions: the state that a run leaves, and the next run that continues it.
@Suite struct BackgroundTests {
    static let journals = ".local/state/runner/background"

    static func job(_ tasks: String, session: String = "", more: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            sessions: { s: { configuration: background, identifier: nightly\(session) } }
            defaults: { retry: { attempts: 1 } }
            \(more)
            \(tasks)
            """
        )
    }

    /// A server of which each path answers with the next of its replies, the last one again and
    /// again.
    private func orders(_ count: Int, _ server: ScriptedServer, _ more: String = "") -> String {
        "uploads:\n"
            + (1...count).map {
                "  o\($0): { url: \(server.url("/o\($0)")), json: { number: \($0) }\(more) }"
            }.joined(separator: "\n")
    }

    /// How many requests each of the orders has led to.
    private func counts(_ count: Int, _ server: ScriptedServer) -> [Int] {
        (1...count).map { server.requests(for: "/o\($0)").count }
    }

    /// Runs the job until a request has arrived, and kills it.
    private func kill(_ job: JobFolder, at arrived: Gate, by signal: Int32 = 9) throws {
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(signal)
        #expect(try running.finish().status == .signal(signal))
    }

    private static func held(_ arrived: Gate) -> Reply {
        Reply([.open(arrived), .waitForPeerToLeave])
    }

    @Test func `a finished run ends its round, and the next one begins anew`() throws {
        let server = try ScriptedServer(["/o1": [.status(201)]])
        let job = try Self.job(orders(1, server))
        for number in 1...2 {
            let run = try job.run()
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(run.task("o1")?["extension"]?["earlier"]?.isNull == true)
            #expect(server.requests.count == number)
        }
        #expect(try job.folder.list(Self.journals) == ["nightly.journal", "nightly.lock"])
        #expect(try job.folder.mode(of: Self.journals) == 0o700)
        #expect(try job.folder.mode(of: "\(Self.journals)/nightly.journal") == 0o600)
    }

    @Test func `transfers that were accepted before a kill are not sent again`() throws {
        let arrived = try Gate()
        let server = try ScriptedServer([
            "/o1": [.status(201)], "/o2": [Self.held(arrived), .status(201)],
            "/o3": [.status(201)],
        ])
        let job = try Self.job(
            orders(3, server, ", idempotencyKey: auto"),
            more: "schedule: { maxConcurrentTasks: 1 }"
        )
        try kill(job, at: arrived)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.command.standardError.contains("background session `nightly` continues from "))
        #expect(counts(3, server) == [1, 2, 1])
        #expect(Set(server.requests(for: "/o2").map { $0.headers["Idempotency-Key"] }).count == 1)
        #expect(run.outcome("o1") == "succeeded")
        #expect(run.attempts("o1").isEmpty)
        let earlier = try #require(run.task("o1")?["extension"]?["earlier"])
        #expect(earlier["attempts"]?.integer == 1)
        #expect(earlier["run"]?.string?.isEmpty == false)
        #expect(earlier["endDate"]?.string?.isEmpty == false)
        #expect(run.task("o1")?["changed"]?.bool == false)
        #expect(run.task("o2")?["extension"]?["earlier"]?["attempts"]?.integer == 1)
        #expect(run.task("o2")?["extension"]?["earlier"]?["run"]?.isNull == true)
        #expect(run.task("o3")?["extension"]?["earlier"]?.isNull == true)
        // The round is over, and with it the keys.
        #expect(try job.run().code == 0)
        #expect(counts(3, server) == [2, 3, 2])
        let keys = server.requests(for: "/o1").map { $0.headers["Idempotency-Key"] }
        #expect(Set(keys).count == 2)
    }

    @Test func `a running order without a key is not sent again`() throws {
        let arrived = try Gate()
        let server = try ScriptedServer(["/o1": [Self.held(arrived), .status(201)]])
        let job = try Self.job(orders(1, server))
        try kill(job, at: arrived)
        let run = try job.run()
        #expect(run.code == 1)
        #expect(server.requests.count == 1)
        let error = try #require(run.task("o1")?["error"])
        #expect(error["message"]?.string?.contains("outcome unknown") == true)
        #expect(error["urlError"]?["code"]?.integer == -997)
        #expect(error["retryable"]?.bool == false)
        // The failure was reported: the next run sends another order.
        #expect(try job.run().code == 0)
        #expect(server.requests.count == 2)
    }

    @Test func `a run with a shortened or changed journal sends nothing`()
        throws
    {
        let arrived = try Gate()
        let server = try ScriptedServer([
            "/o1": [.status(201)], "/o2": [Self.held(arrived), .status(201)],
            "/o3": [.status(201)],
        ])
        let job = try Self.job(orders(3, server), more: "schedule: { maxConcurrentTasks: 1 }")
        try kill(job, at: arrived)
        let path = "\(Self.journals)/nightly.journal"
        let whole = try job.folder.read(path)
        func refuse(_ bytes: [UInt8], _ what: String) throws {
            try job.folder.write(bytes, to: path, mode: 0o600)
            let run = try job.run()
            #expect(run.code == 4, "\(what)")
            #expect(run.command.standardError.contains(path), "\(what)")
            #expect(counts(3, server) == [1, 1, 0], "\(what)")
            #expect(try job.folder.read(path) == bytes, "\(what)")
        }
        for length in Array(stride(from: 0, to: whole.count, by: 19)) + [whole.count - 1] {
            try refuse(Array(whole.prefix(length)), "cut to \(length)")
        }
        for place in Array(stride(from: 45, to: whole.count, by: 37)) + [whole.count - 1] {
            var bytes = whole
            bytes[place] ^= 1
            try refuse(bytes, "changed at \(place)")
        }
        try job.folder.write(whole, to: path, mode: 0o600)
        #expect(try job.run().code == 1)
        #expect(counts(3, server) == [1, 1, 1])
    }

    @Test func `a download resumes from its partial file, and a finished one stays`() throws {
        let body = FileContent.patterned(4 << 20)
        let tag = "ETag: \"one\""
        let server = try ScriptedServer { request in
            if request.path == "/small" { return .ok("small") }
            guard request.earlierRequestsForPath == 0 else {
                return request.rangeStart.map { .part(of: body, from: $0, [tag]) } ?? .ok(body)
            }
            let whole = Reply.head(200, [tag, "Content-Length: \(body.count)"])
            return Reply([.send(whole + body.prefix(3_000_000)), .waitForPeerToLeave])
        }
        let job = try Self.job(
            """
            downloads:
              small: { url: \(server.url("/small")), to: out/small }
              large: { url: \(server.url("/large")), to: out/large, needs: [small] }
            """
        )
        let running = try job.runCommand().start()
        try job.folder.wait(for: "a note of the part") {
            let text = try? job.folder.text("out/.large.part.record")
            return text?.contains("\"length\":3000000") == true
        }
        running.signal(9)
        _ = try running.finish()
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests(for: "/small").count == 1)
        #expect(server.requests(for: "/large").map(\.rangeStart) == [nil, 3_000_000])
        #expect(try job.folder.read("out/large") == body)
        let file = try #require(run.task("small")?["file"])
        #expect(file["path"]?.string == "out/small")
        #expect(file["size"]?.integer == 5)
    }

    @Test func `a permanent failure stays in the round, and a temporary one is retried`() throws {
        let server = try ScriptedServer([
            "/o1": [.status(402), .status(201)], "/o2": [.status(503), .status(503), .status(201)],
            "/o3": [.status(201)],
        ])
        let job = try Self.job(orders(3, server, ", idempotencyKey: auto"))
        #expect(try job.run().code == 1)
        let second = try job.run()
        #expect(second.code == 1)
        #expect(second.kind("o1") == "httpStatus")
        #expect(second.task("o1")?["error"]?["message"]?.string?.contains("402") == true)
        #expect(counts(3, server) == [1, 2, 1])
        // With this one nothing is left open.
        #expect(try job.run().code == 1)
        #expect(counts(3, server) == [1, 3, 1])
        #expect(try job.run().code == 0)
        #expect(counts(3, server) == [2, 4, 2])
    }

    @Test func `a failure of this machine is retried, and accepted orders are not resent`()
        throws
    {
        let server = try ScriptedServer(["/o1": [.status(201)], "/f": [.ok([1])]])
        let job = try Self.job(
            orders(1, server) + "\ndownloads: { f: { url: \(server.url("/f")), to: out/f } }"
        )
        try job.folder.write("", to: "out")
        #expect(try job.run().code == 4)
        #expect(try Command("rm", [job.folder.path("out")]).run().status == .exit(0))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.outcome("f") == "succeeded")
        #expect(counts(1, server) == [1])
    }

    @Test(arguments: [1, 2])
    func `a signalled run leaves its round open, even with nothing left`(
        count: Int
    ) throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/o1": [Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps],
            "/o2": [.status(201)],
        ])
        let job = try Self.job(
            orders(count, server),
            more: "schedule: { maxConcurrentTasks: 1 }"
        )
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        rest.open()
        #expect(try running.finish().reported(in: job.folder).code == 143)
        let run = try job.run()
        #expect(run.code == 0)
        #expect(counts(count, server) == Array(repeating: 1, count: count))
    }

    @Test func `transfers that the job no longer has are reported once`() throws {
        let server = try ScriptedServer(["/o1": [.status(201)], "/o2": [.status(503)]])
        let job = try Self.job(orders(2, server, ", idempotencyKey: auto"))
        #expect(try job.run().code == 5)
        let text = try job.folder.text("job.yaml")
        let without = text.split(separator: "\n").filter { !$0.contains("o1:") }
        try job.folder.write(without.joined(separator: "\n"), to: "job.yaml")
        #expect(
            try job.run().command.standardError.contains(
                "no longer has these transfers of an earlier run: `o1`\n"
            )
        )
        #expect(!(try job.run().command.standardError.contains("no longer has these transfers")))
    }

    @Test func `a run of a part leaves the rest of the round alone`() throws {
        let server = try ScriptedServer([
            "/o1": [.status(201)], "/o2": [.status(503), .status(201)],
        ])
        let job = try Self.job(orders(2, server, ", idempotencyKey: auto"))
        #expect(try job.run().code == 5)
        #expect(try job.run("--only", "o1").code == 0)
        #expect(counts(2, server) == [1, 1])
        #expect(try job.run().code == 0)
        #expect(counts(2, server) == [1, 2])
    }

    @Test func `the journal has no secret, and a secret's value identifies no transfer`() throws {
        let server = try ScriptedServer(["/o1": [.status(402, text: "no s3cr3t-one")]])
        let job = try JobFolder(
            """
            version: 1
            secrets: { token: { env: TOKEN, allowInURL: true } }
            sessions: { s: { configuration: background, identifier: nightly } }
            uploads:
              o1: { url: "\(server.url("/o1"))?t=${secret.token}", text: "${secret.token}" }
              o2: { url: "http://127.0.0.1:1/", text: x, idempotencyKey: auto, retry: { attempts: 1 } }
            """
        )
        #expect(try job.run(environment: ["TOKEN": "s3cr3t-one"]).code == 1)
        let journal = try job.folder.read("\(Self.journals)/nightly.journal")
        #expect(!String(decoding: journal, as: UTF8.self).contains("s3cr3t"))
        #expect(try job.run(environment: ["TOKEN": "s3cr3t-two"]).code == 1)
        #expect(server.requests.count == 1)
    }

    @Test func `one process at a time has a background session, also across jobs`() throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/o1": [Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps]
        ])
        let job = try Self.job(orders(1, server))
        try job.folder.write(job.folder.text("job.yaml"), to: "other.yaml")
        let running = try job.runCommand().start()
        try arrived.wait()
        for path in ["job.yaml", "other.yaml"] {
            let second = try job.command(["run", path, "--report", "second.json"]).run()
            #expect(second.status == .exit(10))
            let number = running.identifier
            #expect(
                second.standardError
                    == "runner: another run (process \(number)) holds the background session `nightly`: nothing was done\n"
            )
        }
        #expect(!job.folder.contains("second.json"))
        rest.open()
        #expect(try running.finish().status == .exit(0))
        #expect(server.requests.count == 1)
    }

    @Test func `a job does not take over another job's open round`() throws {
        let server = try ScriptedServer(["/o1": [.status(503)]])
        let job = try Self.job(orders(1, server, ", idempotencyKey: auto"))
        #expect(try job.run().code == 5)
        try job.folder.write(job.folder.text("job.yaml"), to: "other.yaml")
        let other = try job.command(["run", "other.yaml", "--report", "other.json"]).run()
        #expect(other.status == .exit(4))
        #expect(
            other.standardError.contains("run that job, or end the session with `runner cancel`")
        )
        #expect(server.requests.count == 1)
    }

    @Test func `a job with an identifier continues its open round in another folder`() throws {
        let server = try ScriptedServer(["/o1": [.hangUp, .status(201)]])
        let job = try Self.job("identifier: orders\n" + orders(1, server, ", idempotencyKey: auto"))
        #expect(try job.run().code == 5)
        try job.folder.makeFolder("next")
        try job.folder.write(job.folder.text("job.yaml"), to: "next/job.yaml")
        let next = try job.command(["run", "next/job.yaml", "--report", "next.json"]).run()
        #expect(next.status == .exit(0), "\(next)")
        #expect(Set(server.requests.map { $0.headers["Idempotency-Key"] }).count == 1)
    }

    @Test func `a run whose journal cannot be written sends nothing`() throws {
        let server = try ScriptedServer(["/o1": [.status(201)]])
        let job = try Self.job(orders(1, server))
        try job.folder.makeFolder("state")
        try job.folder.write("in the way", to: "state/background")
        #expect(try job.runCommand(["--state-dir", "state"]).run().status == .exit(4))
        #expect(try job.run().code == 0)
        let name = "\(Self.journals)/nightly.journal"
        try job.folder.write("", to: name, mode: 0o600)
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.command.standardError.contains("nightly.journal: the journal is damaged"))
        #expect(server.requests.count == 1)
    }

    @Test func `a run that is killed again and again sends every order exactly once by key`() throws
    {
        let accepted = Lock([String: Set<String>]())
        let halt = Lock<(left: Int, gate: Gate)?>(nil)
        let answered = Lock([String: Int]())
        let server = try ScriptedServer { request in
            let gate: Gate? = halt.withLock { halt in
                halt?.left -= 1
                return halt?.left == 0 ? halt?.gate : nil
            }
            if request.method == "POST" {
                accepted.withLock {
                    _ = $0[request.path, default: []]
                        .insert(request.headers["Idempotency-Key"] ?? "")
                }
            }
            if let gate { return Reply([.open(gate), .waitForPeerToLeave]) }
            answered.withLock { $0[request.path, default: 0] += 1 }
            return request.method == "POST" ? .status(201) : .ok("file \(request.path)")
        }
        let count = 30
        let job = try Self.job(
            """
            uploads:
              order:
                forEach: { range: [1, \(count)] }
                url: \(server.origin)/o${item}
                json: { number: "${item}" }
                idempotencyKey: auto
            downloads:
              file:
                forEach: { range: [1, \(count)] }
                url: \(server.origin)/f${item}
                to: out/${item}
            """,
            more: "schedule: { maxConcurrentTasks: 3 }"
        )
        var generator = SplitMix64.forTests()
        for _ in 0..<8 {
            let gate = try Gate()
            let number = Int.random(in: 1...8, using: &generator)
            halt.withLock { $0 = (number, gate) }
            try kill(job, at: gate)
        }
        halt.withLock { $0 = nil }
        let last = try job.run()
        #expect(last.code == 0, "\(last.command.standardError)")
        #expect(last.report["summary"]?["succeeded"]?.integer == Int64(2 * count))
        let keys = accepted.withLock { $0 }
        #expect(keys.count == count)
        #expect(keys.values.allSatisfy { $0.count == 1 })
        // At each of the kills at most three orders were running, with unread responses.
        let repeats = answered.withLock { $0.values.reduce(0) { $0 + $1 - 1 } }
        #expect(repeats <= 8 * 3)
        for number in 1...count {
            #expect(try job.folder.text("out/\(number)") == "file /f\(number)")
        }
    }

    @Test func `cookies of a background session are kept`() throws {
        let server = try ScriptedServer(["/o1": [.status(201, ["Set-Cookie: a=1; Max-Age=600"])]])
        let job = try Self.job(orders(1, server))
        #expect(try job.run().code == 0)
        #expect(try job.run().code == 0)
        #expect(server.requests.map { $0.headers["Cookie"] } == [nil, "a=1"])
    }
}
