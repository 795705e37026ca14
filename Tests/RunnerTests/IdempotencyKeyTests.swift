import SystemKit
import TestSupport
import Testing
import TransferModel

@Suite struct IdempotencyKeyTests {
    private func job(_ uploads: String) throws -> JobFolder {
        try JobFolder("version: 1\nvariables: { amount: 1 }\nuploads:\n\(uploads)\n")
    }

    private func order(_ id: String, _ server: ScriptedServer, _ more: String = "") -> String {
        "  \(id): { url: \(server.url("/\(id)")), json: { amount: \"${var.amount}\" }, "
            + "idempotencyKey: auto, retry: { attempts: 1 }\(more) }"
    }

    private func keys(_ server: ScriptedServer, _ path: String) -> [String] {
        server.requests(for: path).compactMap { $0.headers["Idempotency-Key"] }
    }

    private static let journals = ".local/state/runner/journals"

    @Test func `all attempts of a task have one key, tasks have different ones`() throws {
        let server = try ScriptedServer([
            "/a": [.hangUp, .status(503, ["Retry-After: 0"]), .ok("")], "/b": [.ok("")],
        ])
        let retry = "retry: { attempts: 3, backoff: { initial: 1ms, jitter: none } }"
        let job = try job(
            """
              a: { url: \(server.url("/a")), text: one, idempotencyKey: auto, \(retry) }
              b: { url: \(server.url("/b")), text: one, idempotencyKey: auto }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let (first, second) = (keys(server, "/a"), keys(server, "/b"))
        #expect(first.count == 3)
        #expect(Set(first + second).count == 2)
        let form = #/"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"/#
        for key in first + second { #expect(try form.wholeMatch(in: key) != nil, "\(key)") }
        let headers = try #require(run.task("a")?["originalRequest"]?["headers"]?.elements)
        let reported = headers.first { $0["name"]?.string == "Idempotency-Key" }
        #expect(reported?["value"]?.string == first.first)
    }

    @Test(arguments: [true, false])
    func `an order keeps its key in another folder by the identifier of its job`(
        isIdentified: Bool
    ) throws {
        let server = try ScriptedServer(["/a": [.hangUp, .ok("")]])
        let job = try job("")
        let head = isIdentified ? "identifier: orders" : "name: orders"
        for release in ["r1", "r2"] {
            let text = "version: 1\n\(head)\nvariables: { amount: 1 }\nuploads:\n"
            try job.folder.makeFolder(release)
            try job.folder.write(text + order("a", server), to: "\(release)/job.yaml")
        }
        let outcomes = try ["r1", "r2"].map { release in
            let place = job.folder.path("current")
            _ = try Command("ln", ["-sfn", release, place]).run()
            return try job.runner(["run", "current/job.yaml"]).status
        }
        #expect(outcomes == [.exit(5), .exit(0)])
        #expect(Set(keys(server, "/a")).count == (isIdentified ? 1 : 2))
        let names = try job.folder.list(Self.journals)
        #expect(names.count == (isIdentified ? 1 : 2))
        #expect(names.allSatisfy { $0.hasPrefix("orders-") })
    }

    @Test func `all orders keep their keys until a run has ended with 0`() throws {
        let server = try ScriptedServer([
            "/a": [.ok("")], "/b": [.status(503), .hangUp, .status(201)],
        ])
        let job = try job([order("a", server), order("b", server)].joined(separator: "\n"))
        let first = try job.run()
        #expect(first.code == 5)
        #expect(first.task("a")?["extension"]?["isKeyReused"]?.bool == false)
        #expect(try job.run().code == 5)
        let third = try job.run()
        #expect(third.task("a")?["extension"]?["isKeyReused"]?.bool == true)
        #expect(third.code == 0)
        let rounds = [first, third].map { $0.report["job"]?["keyRoundBeginDate"]?.string }
        #expect(rounds[0] == first.report["run"]?["startDate"]?.string)
        #expect(rounds[1] == rounds[0])
        let place = job.folder.path(Self.journals)
        #expect(third.command.standardError.contains(" ended with exit code 0: orders keep their "))
        #expect(third.command.standardError.contains("to get new keys, delete \(place)/"))
        #expect(Set(keys(server, "/a")).count == 1)
        #expect(Set(keys(server, "/b")).count == 1)
        // All orders are accepted: the next run sends new ones.
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
        #expect(keys(server, "/b").count == 4)
        #expect(Set(keys(server, "/b")).count == 2)
        #expect(try job.folder.list(Self.journals).count == 1)
    }

    @Test(arguments: ["", " ", #"\"\""#])
    func `an order whose captured key is blank is not sent`(captured: String) throws {
        let server = try ScriptedServer([
            "/k": [.ok("{\"key\": \"\(captured)\"}", ["Content-Type: application/json"])],
            "/field": [.hangUp], "/key": [.hangUp],
        ])
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 4, backoff: { initial: 1ms, jitter: none } } }
            data:
              k: { url: \(server.url("/k")), capture: { key: { json: /key } } }
            uploads:
              field:
                url: \(server.url("/field"))
                text: order
                needs: [k]
                headers: { Idempotency-Key: "${task.k.key}" }
              key: { url: \(server.url("/key")), text: order, needs: [k], idempotencyKey: "${task.k.key}" }
            """
        )
        let run = try job.run()
        #expect(run.code == 1, "\(run.command.standardError)")
        for id in ["field", "key"] {
            #expect(run.outcome(id) == "failed")
            #expect(run.task(id)?["error"]?["message"]?.string?.contains("may not be") == true)
            #expect(server.requests(for: "/\(id)").isEmpty)
        }
    }

    @Test(arguments: ["none", "auto"])
    func `a captured word can be a key`(word: String) throws {
        let server = try ScriptedServer([
            "/k": [.ok("{\"key\": \"\(word)\"}", ["Content-Type: application/json"])],
            "/o": [.ok("")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              k: { url: \(server.url("/k")), capture: { key: { json: /key } } }
            uploads:
              o: { url: \(server.url("/o")), text: order, needs: [k], idempotencyKey: "${task.k.key}" }
            """
        )
        #expect(try job.run().code == 0)
        #expect(keys(server, "/o") == ["\"\(word)\""])
    }

    @Test func `an order that is changed is another one`() throws {
        let server = try ScriptedServer(["/a": [.status(503)]])
        let job = try job(order("a", server))
        #expect(try job.run().code == 5)
        #expect(try job.run("--var", "amount=2").code == 5)
        #expect(try job.run().code == 5)
        let keys = keys(server, "/a")
        #expect(keys.count == 3)
        #expect(keys.first == keys.last)
        #expect(Set(keys).count == 2)
    }

    @Test func `a refusal uses up no key of any order`() throws {
        let server = try ScriptedServer([
            "/a": [.ok("")], "/b": [.hangUp, .status(402)], "/c": [.status(503), .status(422)],
        ])
        let job = try job(
            [order("a", server), order("b", server), order("c", server)].joined(separator: "\n")
        )
        #expect(try job.run().code == 5)
        #expect(try job.run().code == 1)
        #expect(try job.run().code == 1)
        for path in ["/a", "/b", "/c"] { #expect(Set(keys(server, path)).count == 1) }
    }

    @Test func `a run with another failure keeps the keys`() throws {
        let server = try ScriptedServer(["/a": [.status(201)], "/d": [.status(503), .ok("")]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a: { url: \(server.url("/a")), text: a, idempotencyKey: auto }
            downloads:
              d: { url: \(server.url("/d")), to: d, needs: [a], retry: { attempts: 1 } }
            """
        )
        #expect(try job.run().code == 5)
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 1)
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
    }

    @Test func `a stopped run keeps the keys of accepted orders`() throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps
        }
        let job = try job(order("a", server))
        let running = try job.runCommand().start()
        try arrived.wait()
        running.signal(15)
        _ = try running.waitForLine(containing: "stopping")
        rest.open()
        #expect(try running.finish().status == .exit(143))
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 1)
    }

    @Test func `orders of a round that other orders have ended come back under their keys`() throws
    {
        let server = try ScriptedServer(["/a": [.ok("")], "/b": [.status(503), .ok("")]])
        let job = try job([order("a", server), order("b", server)].joined(separator: "\n"))
        #expect(try job.run().code == 5)
        #expect(try job.run("--var", "amount=2").code == 0)
        let again = try job.run()
        #expect(again.code == 0)
        #expect(!again.command.standardError.contains("ended with exit code 0"))
        // The second ones are those of the other amount.
        for path in ["/a", "/b"] {
            let keys = keys(server, path)
            #expect(keys.count == 3)
            #expect(keys.first == keys.last)
            #expect(Set(keys).count == 2)
        }
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 3)
    }

    @Test func `a run of a part that ends with 0 ends its orders' keys`() throws {
        let server = try ScriptedServer(["/a": [.ok("")], "/b": [.ok("")]])
        let job = try job([order("a", server), order("b", server)].joined(separator: "\n"))
        #expect(try job.run("--only", "a").code == 0)
        #expect(try job.run("--only", "a").code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
    }

    @Test func `an optional order that was not accepted keeps its key`() throws {
        let server = try ScriptedServer(["/a": [.ok("")], "/b": [.status(503)]])
        let job = try job(
            [order("a", server), order("b", server, ", required: false")].joined(separator: "\n")
        )
        #expect(try job.run().code == 0)
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
        #expect(Set(keys(server, "/b")).count == 1)
    }

    @Test func `the keys belong to the file in any spelling of its path`() throws {
        let server = try ScriptedServer(["/a": [.status(503)]])
        let job = try job(order("a", server))
        try job.folder.makeFolder("in")
        let link = job.folder.path("in/link.yaml")
        #expect(try Command("ln", ["-s", "../job.yaml", link]).run().status == .exit(0))
        for path in ["job.yaml", "./in/../job.yaml", job.folder.path("job.yaml")] {
            #expect(try job.runner(["run", path, "--report", "r.json"]).status == .exit(5))
        }
        #expect(Set(keys(server, "/a")).count == 1)
        #expect(try job.folder.list(Self.journals).count == 1)
        #expect(try job.runner(["run", link, "--report", "r.json"]).status == .exit(5))
        #expect(Set(keys(server, "/a")).count == 1)
        #expect(try job.folder.list(Self.journals).count == 1)
    }

    @Test func `a file that changes between attempts is not sent under the key of another one`()
        throws
    {
        let (arrived, changed) = (try Gate(), try Gate())
        let first = Reply([.open(arrived), .wait(changed)]) + Reply.status(503).steps
        let server = try ScriptedServer(["/a": [first, .status(201)]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a:
                url: \(server.url("/a"))
                file: body
                idempotencyKey: auto
                retry: { attempts: 2, backoff: { initial: 1ms, jitter: none } }
            """
        )
        try job.folder.write("one", to: "body")
        let running = try job.runCommand().start()
        try arrived.wait()
        try job.folder.write("other", to: "body")
        changed.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 4)
        #expect(server.requests.count == 1)
        let message = run.task("a")?["error"]?["message"]?.string
        #expect(message?.contains("changed since its idempotency key was made") == true)
    }

    @Test func `an accepted order whose answer is not as expected keeps its key`() throws {
        let server = try ScriptedServer(["/a": [.ok("accepted")]])
        let job = try job(order("a", server, ", expect: { mimeType: application/json }"))
        #expect(try job.run().code == 1)
        #expect(try job.run().code == 1)
        #expect(Set(keys(server, "/a")).count == 1)
    }

    @Test func `a run of a part completes the open orders`() throws {
        let server = try ScriptedServer(["/a": [.ok("")], "/b": [.status(503), .ok("")]])
        let job = try job([order("a", server), order("b", server)].joined(separator: "\n"))
        #expect(try job.run().code == 5)
        #expect(try job.run("--only", "b").code == 0)
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
        #expect(keys(server, "/b").prefix(2).count == 2)
        #expect(Set(keys(server, "/b")).count == 2)
    }

    @Test func `a run of a part does not end a run that has not begun all orders`() throws {
        let server = try ScriptedServer([
            "/a": [.ok("")], "/h": [.status(503), .ok("")], "/b": [.ok("")],
        ])
        let job = try job(
            [
                order("a", server),
                "  h: { url: \(server.url("/h")), text: h, retry: { attempts: 1 } }",
                order("b", server, ", needs: [h]"),
            ].joined(separator: "\n")
        )
        #expect(try job.run().code == 1)
        #expect(try job.run("--only", "h").code == 0)
        #expect(try job.run().code == 0)
        #expect(keys(server, "/a").count == 2)
        #expect(Set(keys(server, "/a")).count == 1)
        #expect(try job.run().code == 0)
        #expect(Set(keys(server, "/a")).count == 2)
    }

    @Test func `an order of several parts has the same bytes each time`() throws {
        let server = try ScriptedServer(["/a": [.status(503), .status(503), .ok("")]])
        let job = try job(
            "  a: { url: \(server.url("/a")), multipart: { a: one, b: two }, idempotencyKey: auto, "
                + "retry: { attempts: 2, backoff: { initial: 1ms } } }"
        )
        #expect(try job.run().code == 5)
        #expect(try job.run().code == 0)
        let bodies = server.requests.map(\.body)
        #expect(bodies.count == 3)
        #expect(Set(bodies).count == 1)
        #expect(Set(server.requests.map { $0.headers["Content-Type"] }).count == 1)
    }

    @Test func `the content of a file belongs to the order, not its time`() throws {
        let server = try ScriptedServer(["/a": [.status(503)]])
        let job = try JobFolder(
            """
            version: 1
            uploads:
              a: { url: \(server.url("/a")), file: body, idempotencyKey: auto, retry: { attempts: 1 } }
            """
        )
        for body in ["one", "one", "two"] {
            try job.folder.write(body, to: "body")
            #expect(try job.run().code == 5)
        }
        let keys = keys(server, "/a")
        #expect(keys.count == 3)
        #expect(keys.first == keys.dropFirst().first)
        #expect(keys.first != keys.last)
    }

    @Test func `orders of a killed run keep their keys and are each accepted once`() throws {
        // An intake that counts keys: the first request of a key is an order, the others are
        // repeats.
        let accepted = Lock([String: Set<String>]())
        let halt = Lock<(left: Int, gate: Gate)?>(nil)
        let server = try ScriptedServer { request in
            accepted.withLock {
                _ = $0[request.path, default: []].insert(request.headers["Idempotency-Key"] ?? "")
            }
            let gate: Gate? = halt.withLock { halt in
                halt?.left -= 1
                return halt?.left == 0 ? halt?.gate : nil
            }
            return gate.map { Reply([.open($0), .waitForPeerToLeave]) } ?? .status(201)
        }
        let count = 60
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 2 }
            uploads:
              order:
                forEach: { range: [1, \(count)] }
                url: \(server.origin)/${item}
                json: { number: "${item}" }
                idempotencyKey: auto
            """
        )
        var generator = SplitMix64.forTests()
        for _ in 0..<10 {
            let gate = try Gate()
            let number = Int.random(in: 1...count, using: &generator)
            halt.withLock { $0 = (number, gate) }
            let running = try job.runCommand().start()
            try gate.wait()
            running.signal(9)
            #expect(try running.finish().status == .signal(9))
        }
        halt.withLock { $0 = nil }
        let last = try job.run()
        #expect(last.code == 0)
        let keys = accepted.withLock { $0 }
        #expect(keys.count == count)
        #expect(keys.values.allSatisfy { $0.count == 1 })
        // And a run that got through is over.
        #expect(try job.run().code == 0)
        #expect(accepted.withLock { $0 }.values.allSatisfy { $0.count == 2 })
    }

    @Test(
        arguments: [
            ([], ["--shard", "1/1"], "without --shard"),
            (["--shard", "1/1"], [], "with --shard 1/1"),
        ] as [([String], [String], String)]
    )
    func `a simultaneous run of another number of shards is refused`(
        first: [String],
        second: [String],
        part: String
    ) throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps
        }
        let job = try job(order("a", server))
        let running = try job.runCommand(first).start()
        try arrived.wait()
        let other = try job.command(["run", "job.yaml", "--report", "second.json"] + second).run()
        #expect(other.status == .exit(10))
        #expect(other.standardError.contains("\(part) may send the same orders"), "\(other)")
        #expect(!job.folder.contains("second.json"))
        rest.open()
        #expect(try running.finish().status == .exit(0))
        #expect(server.requests.count == 1)
        // After its end another number of shards is free.
        let later = try job.command(["run", "job.yaml", "--report", "second.json"] + second).run()
        #expect(later.status == .exit(0), "\(later)")
    }

    @Test func `a simultaneous second run is refused with and without a lock`() throws {
        let (arrived, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            Reply([.open(arrived), .wait(rest)]) + Reply.status(201).steps
        }
        let job = try job(order("a", server))
        let running = try job.runCommand().start()
        try arrived.wait()
        let second = try job.command(["run", "job.yaml", "--report", "second.json"]).run()
        #expect(second.status == .exit(10))
        #expect(!job.folder.contains("second.json"))
        rest.open()
        #expect(try running.finish().status == .exit(0))
        #expect(server.requests.count == 1)
    }

    @Test func `keys that cannot be kept are not made: nothing is sent`() throws {
        let server = try ScriptedServer(["/a": [.ok("")]])
        let job = try job(order("a", server))
        try job.folder.makeFolder("state")
        try job.folder.write("in the way", to: "state/journals")
        let run = try job.run("--state-dir", "state")
        #expect(run.code == 4)
        #expect(run.outcome("a") == "skipped")
        #expect(server.requests.isEmpty)
    }

    @Test func `a run with a damaged journal sends nothing`() throws {
        let server = try ScriptedServer(["/a": [.status(503)]])
        let job = try job(order("a", server))
        #expect(try job.run().code == 5)
        let name = try #require(try job.folder.list(Self.journals).first)
        try job.folder.write("", to: "\(Self.journals)/\(name)", mode: 0o600)
        let run = try job.run()
        #expect(run.code == 4)
        #expect(run.command.standardError.contains("\(name): the journal is damaged"))
        #expect(server.requests.count == 1)
    }
}
