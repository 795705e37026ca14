import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Which files under names of servers an engine replaces.
@Suite struct OwnFileChoiceTests {
    /// A record in memory.
    private final class Record: WrittenFileRecord {
        private let files = Lock([String: InputFile.Identity]())

        var paths: [String] { files.withLock { $0.keys.sorted() } }

        func has(_ path: String, _ file: InputFile.Identity, of task: Int) -> Bool {
            files.withLock { $0[path] == file }
        }

        func note(_ path: String, _ file: InputFile.Identity, of task: Int) {
            files.withLock { $0[path] = file }
        }

        func has(_ path: String, _ content: FolderContent, of task: Int) -> Bool { false }

        func note(_ path: String, _ content: FolderContent, of task: Int) {}
    }

    private let folder: TemporaryFolder
    private let record = Record()

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("in")
    }

    private func attempt(
        _ url: String,
        key: Int = 0,
        replacesForeign: Bool = false
    ) throws -> AttemptRequest {
        try AttemptRequest.to(url, key: key) {
            $0.sink = .file(
                .init(
                    path: folder.path("in/"),
                    displayPath: "in/",
                    replacesForeign: replacesForeign
                )
            )
        }
    }

    private func harness(durability: Durability = .none, hasRecord: Bool = true) throws
        -> EngineHarness
    {
        let claims = DestinationClaims(folders: [folder.path("in/")]) { "\($0)" }
        let written: Record? = hasRecord ? record : nil
        return try EngineHarness(durability: durability, claims: claims, written: written)
    }

    private static func named(_ body: String) -> Reply {
        .ok(body, ["Content-Disposition: attachment; filename=x"])
    }

    @Test(arguments: [Durability.none, .file, .full], [5, 200_000])
    func `a file of the job is replaced, and noted again`(
        durability: Durability,
        size: Int
    ) throws {
        let server = try ScriptedServer { request in
            Self.named(String(repeating: "\(request.earlierRequestsForPath)", count: size))
        }
        let harness = try harness(durability: durability)
        for round in 0...2 {
            let result = try harness.run(attempt(server.url("/a")))
            #expect(result.failure == nil)
            #expect(try folder.text("in/x").prefix(5) == String(repeating: "\(round)", count: 5))
            #expect(record.paths == [folder.path("in/x")])
        }
        #expect(try folder.list("in") == ["x"])
    }

    @Test func `a foreign file is refused at the head of the response`() throws {
        try folder.write("foreign", to: "in/x")
        let body = String(repeating: "new", count: 200_000)
        let server = try ScriptedServer { _ in Self.named(body) }
        let result = try harness().run(attempt(server.url("/a")))
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.isPermanent == true)
        #expect(result.failure?.help?.contains("`ifExists: replace`") == true)
        #expect(result.countOfBytesReceived < 100_000)
        #expect(try folder.text("in/x") == "foreign")
        #expect(record.paths.isEmpty)
    }

    @Test func `a refused task leaves the name to a task that may replace the file`() throws {
        try folder.write("foreign", to: "in/x")
        let server = try ScriptedServer { _ in Self.named("new") }
        let harness = try harness()
        let refused = try harness.run(attempt(server.url("/a"), key: 1))
        #expect(refused.failure?.detail.contains("there is no record") == true)
        let allowed = try attempt(server.url("/b"), key: 2, replacesForeign: true)
        #expect(try harness.run(allowed).failure == nil)
        #expect(try folder.text("in/x") == "new")
    }

    @Test func `without a record every file is foreign`() throws {
        let server = try ScriptedServer { _ in Self.named("new") }
        let harness = try harness(hasRecord: false)
        #expect(try harness.run(attempt(server.url("/a"))).failure == nil)
        #expect(try harness.run(attempt(server.url("/a"))).failure?.kind == .localIO)
    }

    @Test(arguments: [true, false])
    func `a file that appears or changes during the transfer stays`(isOwn: Bool) throws {
        let gate = try Gate()
        let server = try ScriptedServer { request in
            guard !isOwn || request.earlierRequestsForPath > 0 else { return Self.named("old") }
            let head = Reply.head(
                200,
                ["Content-Length: 3", "Content-Disposition: attachment; filename=x"]
            )
            return Reply([.send(head + Array("n".utf8)), .wait(gate), .send(Array("ew".utf8))])
        }
        let harness = try harness()
        if isOwn { #expect(try harness.run(attempt(server.url("/a"))).failure == nil) }
        let last = try attempt(server.url("/a"))
        harness.engine.start([last])
        try folder.wait(for: "the request") {
            server.requests(for: "/a").count == (isOwn ? 2 : 1)
        }
        try folder.write("mine!", to: "in/x")
        gate.open()
        let result = try #require(try harness.results(1).first)
        #expect(result.failure?.kind == .localIO)
        #expect(try folder.text("in/x") == "mine!")
        #expect(try folder.list("in") == ["x"])
    }

    @Test func `the name of the requested URL is the job's and is not noted`() throws {
        try folder.write("foreign", to: "in/x")
        let server = try ScriptedServer { _ in Self.named("new") }
        #expect(try harness().run(attempt(server.url("/b/x"))).failure == nil)
        #expect(try folder.text("in/x") == "new")
        #expect(record.paths.isEmpty)
    }

    @Test func `a file that the job file permits to replace is not noted`() throws {
        try folder.write("foreign", to: "in/x")
        let server = try ScriptedServer { _ in Self.named("new") }
        let attempt = try attempt(server.url("/a"), replacesForeign: true)
        #expect(try harness().run(attempt).failure == nil)
        #expect(try folder.text("in/x") == "new")
        #expect(record.paths.isEmpty)
    }
}
