import SystemKit
import TestSupport
import Testing
import TransferModel

/// Downloads of an interrupted run, which the next run resumes.
@Suite struct ResumeAcrossRunsTests {
    private static let body = FileContent.patterned(4 << 20)
    private static let other = FileContent.patterned(4 << 20, mask: 0xFF)
    /// The SHA-256 of `body`.
    private static let digest = "18ca4f0412b21dff8bb1fcad260346a299dad85382e4f518fa254913c7508438"
    private static let tag = "ETag: \"one\""
    private static let names = [".a.bin.part", ".a.bin.part.record"]

    private func job(_ url: String, _ settings: String = "", session: String = "{}") throws
        -> JobFolder
    {
        try JobFolder(
            """
            version: 1
            sessions: { s: \(session) }
            defaults: { retry: { attempts: 1 } }
            downloads: { a: { url: "\(url)", to: out/a.bin\(settings) } }
            """
        )
    }

    /// A server that sends the first `count` bytes and waits; later it answers requests in full.
    private func server(stoppingAt count: Int) throws -> ScriptedServer {
        try ScriptedServer { request in
            guard request.earlierRequestsForPath == 0 else {
                return request.rangeStart.map { .part(of: Self.body, from: $0, [Self.tag]) }
                    ?? .ok(Self.body, [Self.tag])
            }
            let whole = Reply.head(200, [Self.tag, "Content-Length: \(Self.body.count)"])
            return Reply([.send(whole + Self.body.prefix(count)), .waitForPeerToLeave])
        }
    }

    /// Waits until the record of the part vouches for so many bytes, or more.
    private func waitForNote(of size: Int, in job: JobFolder) throws {
        try job.folder.wait(for: "a note of \(size) bytes") { try noted(in: job) >= size }
    }

    /// How many bytes the record of the part vouches for.
    private func noted(in job: JobFolder) throws -> Int {
        guard let text = try? job.folder.text("out/.a.bin.part.record"),
            // The last record may be incomplete; before it are pairs of a record and its seal.
            let line = text.split(separator: "\n").dropLast().last(where: { $0.hasPrefix("{") })
        else { return 0 }
        let record = try JSONValue(bytes: Array(line.utf8))
        return Int(record["checkpoints"]?.elements.last?["length"]?.integer ?? 0)
    }

    /// Runs the job until so much of its part is noted, and ends it by a signal.
    private func interrupt(
        _ job: JobFolder,
        at size: Int,
        by signals: [Int32] = [9]
    ) throws {
        let running = try job.runCommand().start()
        try waitForNote(of: size, in: job)
        for (place, signal) in signals.enumerated() {
            if place > 0 { _ = try running.waitForLine(containing: "stopping") }
            running.signal(signal)
        }
        _ = try running.finish()
    }

    @Test(arguments: [true, false])
    func `the digest of the first response holds for the rest that a later one brings`(
        isNextRun: Bool
    ) throws {
        let bytes = (0..<32).compactMap {
            UInt8(Self.digest.dropFirst(2 * $0).prefix(2), radix: 16)
        }
        let digest = "Repr-Digest: sha-256=:\(Base64.encode(bytes)):"
        let server = try ScriptedServer { request in
            guard request.earlierRequestsForPath == 0 else {
                guard let start = request.rangeStart else { return .ok(Self.body, [Self.tag]) }
                // Other bytes, which the server says are of the same file.
                let other = [UInt8](repeating: 0, count: Self.body.count)
                return .part(of: other, from: start, [Self.tag])
            }
            let head = Reply.head(200, [Self.tag, digest, "Content-Length: \(Self.body.count)"])
            let end = isNextRun ? Reply.Step.waitForPeerToLeave : .close
            return Reply([.send(head + Self.body.prefix(3_000_000)), end])
        }
        let retry = isNextRun ? 2 : 3
        let job = try job(
            server.url("/"),
            ", retry: { attempts: \(retry), backoff: { initial: 10ms } }"
        )
        if isNextRun { try interrupt(job, at: 3_000_000) }
        let run = try job.run()
        #expect(server.requests.map(\.rangeStart) == [nil, 3_000_000, nil])
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test(arguments: [[9], [15, 15], [2, 2]] as [[Int32]])
    func `the next run resumes a download that a signal cut`(signals: [Int32]) throws {
        let server = try server(stoppingAt: 3_000_000)
        let job = try job(server.url("/"))
        try interrupt(job, at: 3_000_000, by: signals)
        #expect(try job.folder.list("out") == Self.names)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 3_000_000])
        #expect(server.requests.last?.headers["If-Range"] == "\"one\"")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
        #expect(run.exchanges("a").map { $0["reason"]?.string } == ["resume"])
        #expect(run.task("a")?["file"]?["resumedFrom"]?.integer == 3_000_000)
        #expect(
            run.task("a")?["countOfBytesReceived"]?.integer == Int64(Self.body.count - 3_000_000)
        )
    }

    @Test(arguments: ["none", "full"])
    func `a cut that no attempt can repair is left for the next run`(durability: String) throws {
        let server = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.body, from: $0, [Self.tag]) }
                ?? .ok(Self.body, [Self.tag]).cut(after: 500_000)
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads: { a: { url: "\(server.url("/"))", to: out/a.bin } }
            schedule: { durability: \(durability) }
            """
        )
        #expect(try job.run().code == 5)
        #expect(try job.folder.list("out") == Self.names)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 500_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    /// A change that keeps the next run from resuming, and whether the partial file stays.
    @Test(arguments: [
        ("truncate -s 1000000 out/.a.bin.part", false),
        ("sed -i 's/^{/{ /' out/.a.bin.part.record", false),
        ("rm out/.a.bin.part.record", true),
        ("sed -i 's/\\/?x=1/\\/?x=2/' job.yaml", false),
        ("sed -i 's/a.bin }/a.bin, headers: { Accept: text\\/html } }/' job.yaml", false),
        ("sed -i 's/a.bin }/a.bin, headers: { X-Tenant: b } }/' job.yaml", false),
        ("sed -i 's/a.bin }/a.bin, headers: { Cookie: user=b } }/' job.yaml", false),
    ])
    func `a partial file of another request is not resumed`(change: String, stays: Bool) throws {
        let server = try server(stoppingAt: 3_000_000)
        let job = try job(server.url("/?x=1"))
        try interrupt(job, at: 3_000_000, by: [15, 15])
        #expect(
            try Command("sh", ["-c", change], workingFolder: job.folder.path).run().status
                == .exit(0)
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, nil])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(job.folder.contains("out/.a.bin.part") == stays)
    }

    @Test(arguments: [404, 503])
    func `a mirror resumes its own partial file in the next run`(status: Int) throws {
        let server = try ScriptedServer(["/": [.status(status)]])
        let mirror = try self.server(stoppingAt: 3_000_000)
        let job = try job(
            server.url("/"),
            ", mirrors: [\"\(mirror.url("/"))\"], checksum: \"sha256:\(Self.digest)\", "
                + "headers: { Authorization: Bearer x }"
        )
        try interrupt(job, at: 3_000_000)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(mirror.requests.map(\.rangeStart) == [nil, 3_000_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a mirror resumes the partial file of a URL that now answers 404`() throws {
        let server = try ScriptedServer([
            "/": [.ok(Self.body, [Self.tag]).cut(after: 3_000_000), .status(404)]
        ])
        let mirror = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.body, from: $0, [Self.tag]) }
                ?? .ok(Self.body, [Self.tag])
        }
        let job = try job(server.url("/"), ", checksum: \"sha256:\(Self.digest)\"")
        #expect(try job.run().code == 5)
        try job.folder.write(
            job.folder.text("job.yaml").replacing(
                "checksum:",
                with: "mirrors: [\"\(mirror.url("/"))\"], checksum:"
            ),
            to: "job.yaml"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(mirror.requests.map(\.rangeStart) == [3_000_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a changed redirect in the next run fetches everything`() throws {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/":
                return .redirect(to: request.earlierRequestsForPath == 0 ? "/one" : "/two")
            case "/one": return .ok(Self.body, [Self.tag]).cut(after: 3_000_000)
            default:
                return request.rangeStart.map { .part(of: Self.other, from: $0, [Self.tag]) }
                    ?? .ok(Self.other, [Self.tag])
            }
        }
        let job = try job(server.url("/"))
        #expect(try job.run().code == 5)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.other)
    }

    @Test(arguments: ["", ", mode: '0644'"])
    func `a download whose name was taken resumes once the name is free`(mode: String) throws {
        let job = try JobFolder("")
        try job.folder.makeFolder("out")
        let path = job.folder.path("out/a.bin")
        let server = try ScriptedServer { request in
            guard let start = request.rangeStart else {
                // Something takes the name while the body is on its way.
                _ = try? Command("sh", ["-c", "echo theirs >\"\(path)\""]).run()
                return .ok(Self.body, [Self.tag])
            }
            return .part(of: Self.body, from: start, [Self.tag])
        }
        try job.folder.write(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/"))", to: out/a.bin, ifExists: fail\(mode) } }
            """,
            to: "job.yaml"
        )
        #expect(try job.run().code == 1)
        #expect(try job.folder.list("out") == Self.names + ["a.bin"])
        #expect(try Command("rm", [path]).run().status == .exit(0))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, Self.body.count - 1])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.mode(of: "out/a.bin") & 0o444 != 0)
    }

    @Test func `a large file has a partial file from its first bytes on`() throws {
        let server = try server(stoppingAt: 1000)
        let job = try job(server.url("/"))
        try interrupt(job, at: 1000)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 1000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    /// Changes of a partial file behind the length that its record vouches for.
    @Test(arguments: [
        "printf junk >>out/.a.bin.part",
        "head -c 200000 /dev/urandom >>out/.a.bin.part",
    ])
    func `bytes behind the recorded length are fetched again`(change: String) throws {
        let server = try server(stoppingAt: 3_000_000)
        let job = try job(server.url("/"))
        try interrupt(job, at: 3_000_000)
        #expect(
            try Command("sh", ["-c", change], workingFolder: job.folder.path).run().status
                == .exit(0)
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 3_000_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    /// The received bytes and the length of a stalled body.
    @Test(arguments: [(700_000, 500_000), (60_000, 40_000), (300_000, 1_000)])
    func `a stalled small body has a partial file, too`(total: Int, count: Int) throws {
        let body = Array(Self.body.prefix(total))
        let server = try ScriptedServer { request in
            if let start = request.rangeStart {
                return .part(of: body, from: start, [Self.tag])
            }
            let head = Reply.head(200, [Self.tag, "Content-Length: \(total)"])
            return Reply([.send(head + body.prefix(count)), .waitForPeerToLeave])
        }
        let job = try job(server.url("/"))
        try interrupt(job, at: count)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, count])
        #expect(try job.folder.read("out/a.bin") == body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a file that has changed meanwhile is fetched whole`() throws {
        let server = try ScriptedServer { request in
            request.earlierRequestsForPath == 0
                ? .ok(Self.body, [Self.tag]).cut(after: 3_000_000)
                : .ok(Self.other, ["ETag: \"two\""])
        }
        let job = try job(server.url("/"))
        #expect(try job.run().code == 5)
        #expect(try job.run().code == 0)
        #expect(try job.folder.read("out/a.bin") == Self.other)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a changed partial file is fetched once more in spite of retry`() throws {
        let server = try server(stoppingAt: 3_000_000)
        let job = try job(server.url("/"))
        try interrupt(job, at: 3_000_000, by: [15, 15])
        let change = "printf xxxx | dd of=out/.a.bin.part conv=notrunc status=none bs=1 seek=77777"
        #expect(
            try Command("sh", ["-c", change], workingFolder: job.folder.path).run().status
                == .exit(0)
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 3_000_000, nil])
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["integrity", nil])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test(arguments: ["", ", resume: false"])
    func `the next run removes a whole file that a kill left without its name`(
        settings: String
    ) throws {
        let server = try ScriptedServer { _ in .ok("new") }
        let job = try job(server.url("/"), settings)
        try job.folder.makeFolder("out")
        try job.folder.write("whole", to: "out/x")
        let left = TemporaryName.make(for: "a.bin", inode: try job.folder.inode(of: "out/x"))
        let move = Command("mv", ["out/x", "out/\(left)"], workingFolder: job.folder.path)
        #expect(try move.run().status == .exit(0))
        try job.folder.write("theirs", to: "out/.a.bin.2b0c41c7y9dk3.part")
        #expect(try job.run().code == 0)
        #expect(try job.folder.list("out").sorted() == [".a.bin.2b0c41c7y9dk3.part", "a.bin"])
    }

    @Test func `a leftover file for a server-given name is removed, too`()
        throws
    {
        let server = try ScriptedServer { _ in .ok("new") }
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/a.bin"))", to: out/, ifExists: replace } }
            """
        )
        try job.folder.makeFolder("out")
        try job.folder.write("whole", to: "out/x")
        let left = TemporaryName.make(for: "a.bin", inode: try job.folder.inode(of: "out/x"))
        let move = Command("mv", ["out/x", "out/\(left)"], workingFolder: job.folder.path)
        #expect(try move.run().status == .exit(0))
        #expect(try job.run().code == 0)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test(arguments: [404, 410])
    func `a file that is gone leaves no partial file`(status: Int) throws {
        let server = try ScriptedServer { request in
            request.earlierRequestsForPath == 0
                ? .ok(Self.body, [Self.tag]).cut(after: 3_000_000) : .status(status)
        }
        let job = try job(server.url("/"))
        #expect(try job.run().code == 5)
        #expect(try job.folder.list("out") == Self.names)
        #expect(try job.run().code == 1)
        #expect(try job.folder.list("out") == [])
    }

    @Test(arguments: [
        (", resume: false", "{}", false), ("", "{ configuration: ephemeral }", false),
        (", resume: true", "{ configuration: ephemeral }", true), ("", "{}", true),
    ])
    func `a partial file is left only where the job allows it`(
        settings: String,
        session: String,
        isLeft: Bool
    ) throws {
        let server = try ScriptedServer { _ in .ok(Self.body, [Self.tag]).cut(after: 3_000_000) }
        let job = try job(server.url("/"), settings, session: session)
        #expect(try job.run().code == 5)
        #expect(try job.folder.list("out") == (isLeft ? Self.names : []))
    }

    @Test func `a secret in a URL is not written down`() throws {
        let server = try ScriptedServer { _ in .ok(Self.body, [Self.tag]).cut(after: 3_000_000) }
        let job = try JobFolder(
            """
            version: 1
            secrets: { s: { env: SIGNATURE, allowInURL: true } }
            defaults: { retry: { attempts: 1 } }
            downloads: { a: { url: "\(server.url("/"))?s=${secret.s}", to: out/a.bin } }
            """
        )
        #expect(try job.run(environment: ["SIGNATURE": "abcdefgh"]).code == 5)
        #expect(try job.folder.list("out") == [])
    }

    /// As `checksum` has it.
    private func digest() throws -> String {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.body, to: "body")
        return try "sha256:\(Command("sha256sum", [path]).run().standardOutput.prefix(64))"
    }

    @Test(arguments: [true, false])
    func `a mirror resumes a partial file only with a checksum`(hasChecksum: Bool) throws {
        let mirror = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.body, from: $0, ["ETag: \"mirror\""]) }
                ?? .ok(Self.body, ["ETag: \"mirror\""])
        }
        let server = try ScriptedServer { _ in .ok(Self.body, [Self.tag]).cut(after: 3_000_000) }
        let checksum = try hasChecksum ? ", checksum: \"\(digest())\"" : ""
        let job = try job(server.url("/"), ", mirrors: [\"\(mirror.url("/m"))\"]" + checksum)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(mirror.requests.map(\.rangeStart) == [hasChecksum ? 3_000_000 : nil])
        #expect(mirror.requests.first?.headers["If-Range"] == nil)
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
        #expect(
            run.task("a")?["extension"]?["vouchedBy"]?.string
                == (hasChecksum ? "checksum" : "length")
        )
    }

    @Test func `a file mixed from two servers is fetched again from its first byte`()
        throws
    {
        let mirror = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.other, from: $0) } ?? .ok(Self.other)
        }
        let server = try ScriptedServer { request in
            request.earlierRequestsForPath == 0
                ? .ok(Self.body, [Self.tag]).cut(after: 3_000_000) : .ok(Self.body, [Self.tag])
        }
        let job = try job(
            server.url("/"),
            ", mirrors: [\"\(mirror.url("/m"))\"], checksum: \"\(digest())\""
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(mirror.requests.map(\.rangeStart) == [3_000_000])
        #expect(server.requests.map(\.rangeStart) == [nil, nil])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a wrong checksum of a resumed file keeps no partial file`()
        throws
    {
        let server = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.body, from: $0, [Self.tag]) }
                ?? (request.earlierRequestsForPath == 0
                    ? .ok(Self.body, [Self.tag]).cut(after: 3_000_000) : .ok(Self.body, [Self.tag]))
        }
        let wrong = "sha256:" + String(repeating: "0", count: 64)
        let job = try job(server.url("/"), ", checksum: \"\(wrong)\"")
        #expect(try job.run().code == 5)
        let run = try job.run()
        #expect(run.code == 6)
        #expect(server.requests.map(\.rangeStart) == [nil, 3_000_000, nil])
        #expect(try job.folder.list("out") == [])
    }

    @Test func `a download killed 30 times is whole, with few bytes fetched twice`() throws {
        // nginx sends the bytes of a second at once, and then in steps.
        let nginx = try Nginx(
            locations: "location /paced/ { rewrite ^/paced(/.*)$ $1 break; limit_rate 384k; }"
        )
        var generator = SplitMix64(seed: 42)
        let body = FileContent.random(10 << 20, &generator)
        try nginx.root.write(body, to: "a.bin")
        let job = try job("\(nginx.origin)/paced/a.bin")
        for _ in 0..<30 {
            let size = try noted(in: job)
            let further = Int.random(in: 340_000...390_000, using: &generator)
            guard size + further < body.count - (384 << 10) else { break }
            let running = try job.runCommand(["--progress", "none"]).start()
            try waitForNote(of: size + further, in: job)
            running.signal(9)
            #expect(try running.finish().status == .signal(9))
        }
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == body)
        #expect(try job.folder.list("out") == ["a.bin"])
        let sent = try nginx.requests().reduce(0) { $0 + $1.responseByteCount }
        #expect(sent * 10 <= body.count * 11, "\(sent) of \(body.count)")
    }
}
