import SystemKit
import TestSupport
import Testing

/// Runs on file systems that refuse calls which others have: NFS, FUSE mounts, and some sandboxes.
@Suite struct RefusingFileSystemTests {
    private static let body = FileContent.patterned(4 << 20)
    /// More than a body that stays in memory, and less than a response that is too large to store.
    private static let small = Array(body.prefix(200_000))
    private static let errors = ["EINVAL", "EOPNOTSUPP", "EPERM", "ENOSYS"]
    private static let kinds: [[RefusedCall]] = [
        RefusedCall.ofNFS, RefusedCall.ofFUSE, RefusedCall.ofFUSE + [.locks], [.links],
    ]

    /// Answers each path with the small body, but `/a` with the large one, which the first answer
    /// only begins.
    private func server() throws -> ScriptedServer {
        try ScriptedServer { request in
            let tag = "ETag: \"one\""
            guard request.path == "/a" else {
                let disposition = "Content-Disposition: attachment; filename=\"named\""
                return .ok(Self.small, [tag, disposition])
            }
            guard request.earlierRequestsForPath == 0 else {
                return request.rangeStart.map { .part(of: Self.body, from: $0, [tag]) }
                    ?? .ok(Self.body, [tag])
            }
            let head = Reply.head(200, [tag, "Content-Length: \(Self.body.count)"])
            return Reply([.send(head + Self.body.prefix(3_000_000)), .waitForPeerToLeave])
        }
    }

    /// How many bytes of the download the record of its part vouches for.
    private func noted(in job: JobFolder) throws -> Int64 {
        guard let text = try? job.folder.text("out/.a.part.record"),
            let line = text.split(separator: "\n").dropLast().last(where: { $0.hasPrefix("{") })
        else { return 0 }
        let record = try JSONValue(bytes: Array(line.utf8))
        return record["checkpoints"]?.elements.last?["length"]?.integer ?? 0
    }

    @Test(arguments: kinds, errors)
    func `a killed download is resumed, and nothing of the killed run is left`(
        calls: [RefusedCall],
        error: String
    ) throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: "\(server.url("/a"))", to: out/a }
              b: { url: "\(server.url("/b"))", to: out/b, ifExists: fail }
            """
        )
        let command = try job.runCommand().refusing(calls, with: error)
        let running = try command.start()
        try job.folder.wait(for: "a note") { try noted(in: job) > 2_500_000 }
        try job.folder.wait(for: "the other file") { job.folder.contains("out/b") }
        running.signal(9)
        #expect(try running.finish().status == .signal(9))
        #expect(try Command("rm", [job.folder.path("out/b")]).run().status == .exit(0))
        let run = try command.run().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        let starts = server.requests(for: "/a").map(\.rangeStart)
        #expect(starts.count == 2 && starts[0] == nil && (starts[1] ?? 0) > 2_500_000)
        #expect(try job.folder.read("out/a") == Self.body)
        #expect(try job.folder.list("out") == ["a", "b"])
        #expect(try job.folder.list() == ["job.yaml", "out", "report.json"])
    }

    @Test(arguments: kinds, errors)
    func `new names are given, and taken ones are kept`(
        calls: [RefusedCall],
        error: String
    ) throws {
        let server = try server()
        let job = try JobFolder(
            """
            version: 1
            downloads:
              skip: { url: "\(server.url("/skip"))", to: out/skip, ifExists: skip }
              fail: { url: "\(server.url("/fail"))", to: out/fail, ifExists: fail }
              named: { url: "\(server.url("/named"))", to: out/, ifExists: fail }
              replace: { url: "\(server.url("/replace"))", to: out/replace }
            """
        )
        try job.folder.makeFolder("out")
        try job.folder.write("old", to: "out/replace", mode: 0o640)
        let command = try job.runCommand().refusing(calls, with: error)
        let run = try command.run().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        let names = ["fail", "named", "replace", "skip"]
        #expect(try job.folder.list("out") == names)
        for name in names { #expect(try job.folder.read("out/\(name)") == Self.small) }
        #expect(try job.folder.mode(of: "out/replace") == 0o640)

        for name in names { try job.folder.write("theirs", to: "out/\(name)") }
        let next = try command.run().reported(in: job.folder)
        #expect(next.outcome("skip") == "unchanged" || next.outcome("skip") == "succeeded")
        #expect(next.outcome("fail") == "failed")
        #expect(next.outcome("named") == "failed")
        for name in names where name != "replace" {
            #expect(try job.folder.text("out/\(name)") == "theirs")
        }
        #expect(try job.folder.list("out") == names)
    }

    @Test(arguments: kinds)
    func `a file that appears during its download is kept`(calls: [RefusedCall]) throws {
        let (begun, rest) = (try Gate(), try Gate())
        let server = try ScriptedServer { _ in
            let head = Reply.head(200, ["Content-Length: \(Self.body.count)", "ETag: \"one\""])
            return Reply([
                .send(head + Self.body.prefix(3_000_000)), .open(begun), .wait(rest),
                .send(Array(Self.body.dropFirst(3_000_000))),
            ])
        }
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/a"))", to: out/a, ifExists: fail } }
            """
        )
        let running = try job.runCommand().refusing(calls, with: "EINVAL").start()
        try begun.wait()
        try job.folder.wait(for: "a part") { job.folder.contains("out/.a.part") }
        try job.folder.write("theirs", to: "out/a")
        rest.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.kind("a") == "localIO")
        #expect(try job.folder.text("out/a") == "theirs")
    }

    @Test(arguments: [RefusedCall.ofNFS, RefusedCall.ofFUSE])
    func `caches, cookies, journals and archives work as elsewhere`(calls: [RefusedCall]) throws {
        let archive = try TestArchive.make(
            "file('tool', b'content', 0o755); hard('same', 'tool')"
        )
        let server = try ScriptedServer { request in
            switch request.path {
            case "/archive": .ok(archive)
            case "/order": .status(201)
            default:
                .ok(Self.small, ["Cache-Control: max-age=600", "Set-Cookie: a=b; Max-Age=600"])
            }
        }
        let job = try JobFolder(
            """
            version: 1
            sessions:
              s: { urlCache: {} }
              nightly: { configuration: background, identifier: nightly }
            schedule: { lock: fail }
            data:
              a: { session: s, url: "\(server.url("/a"))", responseTo: out/a }
            downloads:
              archive: { session: s, url: "\(server.url("/archive"))", to: out/t.tar, extract: { to: tools, ifExists: replace } }
            uploads:
              order: { session: nightly, url: "\(server.url("/order"))", text: a, idempotencyKey: auto }
            """
        )
        let cache = ["RUNNER_CACHE_DIR": job.folder.path("cache")]
        for _ in 0..<2 {
            let command = try job.runCommand(environment: cache).refusing(calls, with: "EINVAL")
            let run = try command.run().reported(in: job.folder)
            #expect(run.code == 0, "\(run.command.standardError)")
            #expect(try job.folder.read("out/a") == Self.small)
            #expect(try job.folder.text("tools/same") == "content")
            #expect(try job.folder.mode(of: "tools/same") == job.folder.mode(of: "tools/tool"))
            #expect(try job.folder.list("out") == ["a", "t.tar"])
        }
        #expect(server.requests(for: "/a").count == 1)
        let hidden = try Command("find", [job.folder.path, "-name", ".*.part*"]).run()
        #expect(hidden.standardOutput.isEmpty, "\(hidden.standardOutput)")
    }
}
