import SystemKit
import TestSupport
import Testing
import TransferModel

/// Files under names of servers that the runs of a job replace: their own, and no others.
@Suite struct WrittenFileTests {
    private static let record = ".local/state/runner/written"

    /// A server that names its file `name`, with another text in each run.
    private static func server(_ name: String = "named") throws -> ScriptedServer {
        try ScriptedServer { request in
            .ok(
                "text \(request.earlierRequestsForPath + 1)",
                ["Content-Disposition: attachment; filename=\"\(name)\""]
            )
        }
    }

    private static func job(_ server: ScriptedServer, _ more: String = "") throws -> JobFolder {
        try JobFolder(
            "version: 1\ndownloads: { a: { url: \"\(server.url("/of-url"))\", to: out/\(more) } }\n"
        )
    }

    private func message(_ run: RunOutcome, _ task: String = "a") -> String? {
        run.task(task)?["error"]?["message"]?.string
    }

    private static func refusal(of peer: String) -> String {
        "\(peer) named the file `out/named`, which exists, and there is no record that this task "
            + "wrote it as it is now"
    }

    /// The keys that a shop has accepted.
    private final class Shop: Sendable {
        private let keys = Lock([String]())

        var accepted: [String] { keys.withLock { $0 } }

        func answer(_ request: RecordedRequest) -> Reply {
            switch request.path {
            case "/login": return .ok(#"{"token":"t0k3n"}"#)
            case "/prices":
                return .ok(
                    "night \(request.earlierRequestsForPath + 1)",
                    ["Content-Disposition: attachment; filename=prices.csv"]
                )
            default:
                guard request.headers["Authorization"] == "Bearer t0k3n",
                    let key = request.headers["Idempotency-Key"]
                else { return .status(401) }
                keys.withLock { keys in if !keys.contains(key) { keys.append(key) } }
                return .status(201)
            }
        }
    }

    @Test func `three nights with a folder, a login and two orders send six orders`() throws {
        let shop = Shop()
        let server = try ScriptedServer { shop.answer($0) }
        let order = { (name: String) in
            "  \(name): { url: \"\(server.url("/\(name)"))\", needs: [login, prices], "
                + "json: { amount: 1 }, idempotencyKey: auto, "
                + "headers: { Authorization: \"Bearer ${task.login.token}\" } }"
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              login:
                url: "\(server.url("/login"))"
                capture: { token: { json: /token } }
            downloads:
              prices: { url: "\(server.url("/prices"))", to: in/ }
            uploads:
            \(order("one"))
            \(order("two"))
            """
        )
        for night in 1...3 {
            let run = try job.run("--progress", "failures")
            #expect(run.code == 0)
            #expect(run.command.standardError.isEmpty, "\(run.command.standardError)")
            #expect(try job.folder.text("in/prices.csv") == "night \(night)")
            #expect(shop.accepted.count == 2 * night)
        }
    }

    @Test func `a foreign file under a server's name stays until the job may replace it`() throws {
        let server = try Self.server()
        let job = try Self.job(server)
        try job.folder.makeFolder("out")
        try job.folder.write("foreign", to: "out/named")
        for _ in 1...2 {
            let run = try job.run()
            #expect(run.code == 1)
            #expect(message(run) == Self.refusal(of: "the server"))
            #expect(try job.folder.text("out/named") == "foreign")
        }
        #expect(!job.folder.contains(Self.record))
        #expect(try Command("rm", [job.folder.path("out/named")]).run().status == .exit(0))
        for _ in 1...2 { #expect(try job.run().code == 0) }
        #expect(try job.folder.text("out/named") == "text 4")
    }

    @Test(arguments: ["printf mine > named", "printf mine > new && mv new named"])
    func `a file that somebody has changed since is not replaced`(change: String) throws {
        let server = try Self.server()
        let job = try Self.job(server)
        #expect(try job.run().code == 0)
        let changed = Command("sh", ["-c", change], workingFolder: job.folder.path("out"))
        #expect(try changed.run().status == .exit(0))
        let run = try job.run()
        #expect(run.code == 1)
        #expect(message(run) == Self.refusal(of: "the server"))
        #expect(try job.folder.text("out/named") == "mine")
        #expect(try job.folder.list("out") == ["named"])
    }

    @Test func `a link under a server's name is not replaced`() throws {
        let server = try Self.server()
        let job = try Self.job(server)
        #expect(try job.run().code == 0)
        let change = "mv named kept && ln -s kept named"
        let changed = Command("sh", ["-c", change], workingFolder: job.folder.path("out"))
        #expect(try changed.run().status == .exit(0))
        #expect(try job.run().code == 1)
        #expect(try job.folder.text("out/kept") == "text 1")
    }

    @Test func `the file of a run that is killed before its note stays`() throws {
        let server = try ScriptedServer { request in
            let number = request.earlierRequestsForPath + 1
            let name = number == 1 ? "first" : "named"
            return .ok("text \(number)", ["Content-Disposition: attachment; filename=\(name)"])
        }
        let job = try Self.job(server)
        #expect(try job.run().code == 0)
        let name = try #require(try job.folder.list(Self.record).first { $0.hasSuffix(".lock") })
        let lock = try FileLock(
            in: Folder(path: job.folder.path(Self.record), create: false),
            name: name
        )
        #expect(try lock.take())
        let running = try job.runCommand().start()
        try job.folder.wait(for: "the file") { job.folder.contains("out/named") }
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        withExtendedLifetime(lock) {}
        let run = try job.run()
        #expect(run.code == 1)
        #expect(message(run) == Self.refusal(of: "the server"))
        #expect(try job.folder.text("out/named") == "text 2")
    }

    @Test func `without its record a job replaces no file under a server's name`() throws {
        let server = try Self.server()
        let job = try Self.job(server)
        #expect(try job.run().code == 0)
        #expect(try Command("rm", ["-r", job.folder.path(Self.record)]).run().status == .exit(0))
        let run = try job.run()
        #expect(message(run) == Self.refusal(of: "the server"))
        #expect(try job.folder.text("out/named") == "text 1")
    }

    @Test func `ifExists replace permits any file, without a record`() throws {
        let server = try Self.server()
        let job = try Self.job(server, ", ifExists: replace")
        try job.folder.makeFolder("out")
        try job.folder.write("foreign", to: "out/named")
        for _ in 1...2 { #expect(try job.run().code == 0) }
        #expect(try job.folder.text("out/named") == "text 2")
        #expect(!job.folder.contains(Self.record))
    }

    @Test(arguments: ["of-url", "/of-url", "../of-url"])
    func `the name of the job's own URL replaces any file, without a record`(name: String) throws {
        let server = try Self.server(name)
        let job = try Self.job(server)
        try job.folder.makeFolder("out")
        try job.folder.write("foreign", to: "out/of-url")
        for _ in 1...2 { #expect(try job.run().code == 0) }
        #expect(try job.folder.text("out/of-url") == "text 2")
        #expect(!job.folder.contains(Self.record))
    }

    @Test func `the path of a redirect is a peer's name`() throws {
        let server = try ScriptedServer { request in
            request.path == "/of-url" ? .redirect(to: "/named") : .ok("new")
        }
        let job = try Self.job(server)
        try job.folder.makeFolder("out")
        try job.folder.write("foreign", to: "out/named")
        let run = try job.run()
        #expect(message(run) == Self.refusal(of: "the server"))
        #expect(try job.folder.text("out/named") == "foreign")
    }

    @Test(arguments: [
        ("url: \"{}\", to: \"out/${task.info.name}\"", true),
        ("url: \"{}${task.info.name}\", to: out/", true),
        ("url: \"{}named\", to: out/, headers: { X: \"${task.info.name}\" }", false),
    ])
    func `a captured value in the path or the URL makes the name a peer's`(
        settings: String,
        isOfPeer: Bool
    ) throws {
        let server = try ScriptedServer { request in
            request.path == "/info" ? .ok(#"{"name":"named"}"#) : .ok("new")
        }
        let job = try JobFolder(
            """
            version: 1
            data: { info: { url: "\(server.url("/info"))", capture: { name: { json: /name } } } }
            downloads: { a: { needs: [info], \(settings.replacing("{}", with: server.url("/"))) } }
            """
        )
        try job.folder.makeFolder("out")
        try job.folder.write("foreign", to: "out/named")
        let run = try job.run()
        #expect(run.code == (isOfPeer ? 1 : 0), "\(run.command.standardError)")
        #expect(message(run) == (isOfPeer ? Self.refusal(of: "a captured value") : nil))
        #expect(try job.folder.text("out/named") == (isOfPeer ? "foreign" : "new"))
        let remove = try Command("rm", [job.folder.path("out/named")]).run()
        #expect(remove.status == .exit(0))
        for _ in 1...2 { #expect(try job.run().code == 0) }
    }

    @Test func `two tasks of a run do not share a file that an earlier run wrote`() throws {
        let server = try Self.server()
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: "\(server.url("/a"))", to: out/ }
              b: { url: "\(server.url("/b"))", to: out/, needs: [a] }
            """
        )
        for _ in 1...2 {
            let run = try job.run()
            #expect(run.outcome("a") == "succeeded")
            #expect(message(run, "b") == "`out/named` belongs to the task a")
        }
        #expect(try job.folder.text("out/named") == "text 2")
    }

    @Test(arguments: ["none", "file", "full"])
    func `large and small files are replaced with every durability`(durability: String) throws {
        let server = try ScriptedServer { request in
            let text = "\(request.earlierRequestsForPath)"
            let count = request.path == "/large" ? 3_000_000 : 3
            return .ok(
                String(repeating: text, count: count),
                ["Content-Disposition: attachment; filename=named\(request.path.dropFirst())"]
            )
        }
        let job = try JobFolder(
            """
            version: 1
            schedule: { durability: \(durability) }
            downloads:
              small: { url: "\(server.url("/small"))", to: out/ }
              large: { url: "\(server.url("/large"))", to: out/ }
            """
        )
        for night in 0...2 {
            #expect(try job.run().code == 0)
            #expect(try job.folder.text("out/namedsmall") == "\(night)\(night)\(night)")
            #expect(try job.folder.text("out/namedlarge").hasPrefix("\(night)"))
        }
        #expect(try job.folder.list("out") == ["namedlarge", "namedsmall"])
    }

    @Test func `a record that cannot be written is a warning`() throws {
        let server = try Self.server()
        let job = try Self.job(server)
        let state = ".local/state/runner"
        #expect(
            try Command("mkdir", ["-p", job.folder.path(state)]).run().status == .exit(0)
        )
        try job.folder.write("no folder", to: Self.record)
        let run = try job.run()
        #expect(run.code == 0)
        #expect(
            run.command.standardError.contains(
                "warning: the job's own files are not recorded"
            )
        )
        #expect(try job.run().code == 1)
    }
}
