import Synchronization
import SystemKit
import TestSupport
import Testing
import TransferModel

/// Downloads whose file several connections fetch at the same time.
@Suite struct SegmentTests {
    private static let body = FileContent.patterned(4 << 20)
    private static let other = FileContent.patterned(4 << 20, mask: 0xFF)
    private static let tag = "ETag: \"one\""

    /// The server of a test must not make the body while the program waits for it.
    init() { _ = Self.body }

    /// What the first request of four brings.
    private static let share = 1 << 20

    private func job(_ url: String, _ settings: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 2, backoff: { initial: 10ms } } }
            downloads: { a: { url: "\(url)", to: out/a.bin, segments: 4\(settings) } }
            """
        )
    }

    /// The whole body's head and its first bytes; the rest never comes.
    private static func beginning(_ count: Int, then step: Reply.Step) -> Reply {
        let head = Reply.head(200, [tag, "Content-Length: \(body.count)"])
        return Reply([.send(head + body.prefix(count)), step])
    }

    private static func part(_ range: ClosedRange<Int>) -> Reply {
        .part(of: body, from: range.lowerBound, to: range.upperBound, [tag])
    }

    @Test(arguments: [(68, 4), (69, 0)])
    func `too few open files for all segments are refused before the first request`(
        files: Int,
        code: Int32
    ) throws {
        let server = try ScriptedServer(["/a": [.ok(Self.body)]])
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            downloads: { a: { url: "\(server.url("/a"))", to: a, segments: 4 } }
            """
        )
        let command = try job.command(["run", "job.yaml"]).limitedToOpenFiles(files)
        let outcome = try command.run()
        #expect(outcome.status == .exit(code), "\(outcome)")
        #expect(server.requests.isEmpty == (code != 0))
        #expect(outcome.standardError.contains("up to 4 connections each") == (code != 0))
    }

    @Test(arguments: [(66, 4), (67, 5)])
    func `a task at a file server counts two connections`(files: Int, code: Int32) throws {
        let job = try JobFolder(
            """
            version: 1
            schedule: { maxConcurrentTasks: 1 }
            sessions: { s: { ftp: { tls: none } } }
            downloads: { a: { url: "ftp://127.0.0.1:9/a", to: a, retry: { attempts: 1 } } }
            """
        )
        let command = try job.command(["run", "job.yaml"]).limitedToOpenFiles(files)
        let outcome = try command.run()
        #expect(outcome.status == .exit(code), "\(outcome)")
        #expect(outcome.standardError.contains("up to 2 connections each") == (code == 4))
    }

    @Test func `several connections fetch the parts of one file`() throws {
        let server = try ScriptedServer { request in
            request.byteRange.map(Self.part)
                ?? Self.beginning(Self.share, then: .waitForPeerToLeave)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(try job.folder.list("out") == ["a.bin"])
        let ranges = server.requests.compactMap(\.byteRange).sorted {
            $0.lowerBound < $1.lowerBound
        }
        #expect(ranges.first?.lowerBound == Self.share)
        #expect(ranges.last?.upperBound == Self.body.count - 1)
        #expect(ranges.count >= 2)
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"one\"" })
        let reasons = run.exchanges("a").map { $0["reason"]?.string }
        #expect(Set(reasons) == ["initial", "segment"])
        #expect(run.task("a")?["countOfBytesReceived"]?.integer == Int64(Self.body.count))
        #expect(run.task("a")?["currentRequest"]?["headers"]?["Range"] == nil)
    }

    @Test func `one connection fetches a file whose server sends no ranges`() throws {
        let server = try ScriptedServer { _ in .ok(Self.body, [Self.tag]) }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test(arguments: [
        ["ETag: \"two\""], ["ETag: W/\"one\""], [],
    ])
    func `no part of another version gets into the file`(headers: [String]) throws {
        let server = try ScriptedServer { request in
            guard let range = request.byteRange else {
                return request.earlierRequestsForPath == 0
                    ? Self.beginning(Self.share, then: .waitForPeerToLeave)
                    : .ok(Self.other, ["ETag: \"two\"", "Accept-Ranges: none"])
            }
            return .part(of: Self.other, from: range.lowerBound, to: range.upperBound, headers)
        }
        let job = try job(server.url("/"), ", timeoutInterval: 4s")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.other)
    }

    @Test func `other connections fetch the bytes of one that is cut`() throws {
        let server = try ScriptedServer { request in
            guard let range = request.byteRange else {
                return Self.beginning(100_000, then: .close)
            }
            let reply = Self.part(range)
            return request.earlierRequestsForPath == 2 ? reply.cut(after: 70_000) : reply
        }
        let job = try job(server.url("/"), ", retry: { attempts: 1 }")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a file that no connection can complete keeps its beginning`() throws {
        let server = try ScriptedServer { request in
            if request.rangeStart != nil { return Self.part(100_000...Self.body.count - 1) }
            return request.byteRange == nil
                ? Self.beginning(100_000, then: .close) : .status(503)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.compactMap(\.rangeStart) == [100_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    /// The first bytes of a part; the rest never comes.
    private static func beginning(of range: ClosedRange<Int>, then step: Reply.Step) -> Reply {
        let place = "bytes \(range.lowerBound)-\(range.upperBound)/\(body.count)"
        let head = Reply.head(
            206,
            [tag, "Content-Length: \(range.count)", "Content-Range: \(place)"]
        )
        return Reply([.send(head + body[range].prefix(200_000)), step])
    }

    @Test func `the run after a kill requests the gaps alone`() throws {
        let server = try ScriptedServer { request in
            if let start = request.rangeStart { return Self.part(start...Self.body.count - 1) }
            guard let range = request.byteRange else {
                return Self.beginning(700_000, then: .waitForPeerToLeave)
            }
            return request.earlierRequestsForPath < 4
                ? Self.beginning(of: range, then: .waitForPeerToLeave) : Self.part(range)
        }
        let job = try job(server.url("/"), ", timeoutInterval: 60s")
        let running = try job.runCommand().start()
        try job.folder.wait(for: "a note") {
            guard let text = try? job.folder.text("out/.a.bin.part.record") else { return false }
            let ends = [1, 2, 3].map { "\"end\":\($0 * Self.share + 200_000)" }
            return text.contains("\"length\":700000") && ends.allSatisfy(text.contains)
        }
        running.signal(9)
        _ = try running.finish()
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.task("a")?["file"]?["resumedFrom"]?.integer == 700_000)
        let received = run.task("a")?["countOfBytesReceived"]?.integer
        #expect(received == Int64(Self.body.count - 1_300_000))
        let present = [1, 2, 3].map { $0 * Self.share..<$0 * Self.share + 200_000 }
        for range in server.requests.dropFirst(4).compactMap(\.byteRange) {
            #expect(!present.contains { $0.overlaps(Range(range)) }, "\(range)")
        }
    }

    /// The bytes that the record of the part vouches for, and in how many pieces behind gaps.
    private func noted(in job: JobFolder) throws -> (bytes: Int64, pieces: Int) {
        guard let text = try? job.folder.text("out/.a.bin.part.record"),
            // The last record may be incomplete; before it are pairs of a record and its seal.
            let line = text.split(separator: "\n").dropLast().last(where: { $0.hasPrefix("{") })
        else { return (0, 0) }
        let record = try JSONValue(bytes: Array(line.utf8))
        let pieces = record["pieces"]?.elements ?? []
        let prefix = record["checkpoints"]?.elements.last?["length"]?.integer ?? 0
        let bytes = pieces.reduce(prefix) {
            $0 + ($1["end"]?.integer ?? 0) - ($1["start"]?.integer ?? 0)
        }
        return (bytes, pieces.count)
    }

    @Test func `a download over several connections that is killed 5 times fetches no byte twice`()
        throws
    {
        let kills = 5
        let kill = Atomic(0)
        let requests = Atomic(0)
        let sent = Atomic(0)
        let server = try ScriptedServer { request in
            let start = request.rangeStart ?? 0
            let range = request.byteRange ?? start...Self.body.count - 1
            let isLast = kill.load(ordering: .relaxed) == kills
            let count = isLast ? range.count : min(100_000, range.count)
            sent.add(count, ordering: .relaxed)
            requests.add(1, ordering: .relaxed)
            let isWhole = request.byteRange == nil && request.rangeStart == nil
            let place = "bytes \(range.lowerBound)-\(range.upperBound)/\(Self.body.count)"
            let fields = [Self.tag, "Content-Length: \(range.count)"]
            let head = Reply.head(
                isWhole ? 200 : 206,
                fields + (isWhole ? [] : ["Content-Range: \(place)"])
            )
            let body = Self.body[range].prefix(count)
            return Reply([.send(head + body), isLast ? .close : .waitForPeerToLeave])
        }
        let job = try job(server.url("/"), ", timeoutInterval: 60s")
        for number in 1...kills {
            let running = try job.runCommand().start()
            // A piece of this run continues one of an earlier run.
            try job.folder.wait(for: "a note of all bytes, in three pieces") {
                try requests.load(ordering: .relaxed) == 4 * number
                    && noted(in: job) == (Int64(sent.load(ordering: .relaxed)), 3)
            }
            running.signal(9)
            _ = try running.finish()
            kill.store(number, ordering: .relaxed)
        }
        let before = sent.load(ordering: .relaxed)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(before == kills * 4 * 100_000)
        let received = run.task("a")?["countOfBytesReceived"]?.integer
        #expect(received == Int64(Self.body.count - before))
    }

    @Test func `the next attempt requests the gaps alone`() throws {
        let isSecondAttempt = Atomic(false)
        let server = try ScriptedServer { request in
            // The first request of an attempt that resumes asks for all of the rest.
            if let start = request.rangeStart {
                isSecondAttempt.store(true, ordering: .relaxed)
                return Self.part(start...Self.body.count - 1)
            }
            guard let range = request.byteRange else {
                return Self.beginning(100_000, then: .waitForPeerToLeave)
            }
            // A slow first attempt has fewer connections than four.
            if isSecondAttempt.load(ordering: .relaxed) { return Self.part(range) }
            // Whichever connection falls silent first, the first attempt cannot fetch its gap.
            return request.earlierRequestsForPath < 4
                ? Self.beginning(of: range, then: .waitForPeerToLeave) : .status(503)
        }
        let job = try job(server.url("/"), ", timeoutInterval: 6s")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.task("a")?["attempts"]?.elements.count == 2)
        #expect(run.task("a")?["countOfBytesReceived"]?.integer == Int64(Self.body.count))
    }

    @Test func `the next attempts of downloads that fell silent together fetch all the rest`()
        throws
    {
        let servers = try (0..<8).map { _ in
            let isSecondAttempt = Atomic(false)
            return try ScriptedServer { request in
                if let start = request.rangeStart {
                    isSecondAttempt.store(true, ordering: .relaxed)
                    return Self.part(start...Self.body.count - 1)
                }
                guard let range = request.byteRange else {
                    return Self.beginning(100_000, then: .waitForPeerToLeave)
                }
                return isSecondAttempt.load(ordering: .relaxed)
                    ? Self.part(range) : Self.beginning(of: range, then: .waitForPeerToLeave)
            }
        }
        let settings = "segments: 4, timeoutInterval: 6s"
        let downloads = servers.enumerated().map { number, server in
            "  d\(number): { url: \"\(server.url("/"))\", to: out/\(number).bin, \(settings) }"
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 2, backoff: { initial: 10ms } } }
            downloads:
            \(downloads.joined(separator: "\n"))
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        for number in servers.indices {
            #expect(try job.folder.read("out/\(number).bin") == Self.body)
        }
    }

    @Test func `one connection fetches again what lies behind a gap`() throws {
        let server = try ScriptedServer { request in
            if let start = request.rangeStart { return Self.part(start...Self.body.count - 1) }
            return request.byteRange.map { Self.beginning(of: $0, then: .waitForPeerToLeave) }
                ?? Self.beginning(100_000, then: .waitForPeerToLeave)
        }
        let job = try job(server.url("/"), ", timeoutInterval: 60s")
        let running = try job.runCommand().start()
        try job.folder.wait(for: "a note") {
            let text = try? job.folder.text("out/.a.bin.part.record")
            return text?.contains("\"pieces\"") ?? false
        }
        running.signal(9)
        _ = try running.finish()
        let text = try job.folder.text("job.yaml")
        try job.folder.write(
            Array(text.replacing("segments: 4", with: "segments: 1").utf8),
            to: "job.yaml"
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.exchanges("a").count == 1)
    }

    /// A job whose file four connections fetch from a server and its mirror.
    private func job(_ server: ScriptedServer, _ mirror: ScriptedServer, _ settings: String = "")
        throws -> JobFolder
    {
        try job(server.url("/"), ", mirrors: [\"\(mirror.url("/"))\"]\(settings)")
    }

    @Test func `a mirror sends parts of a file at the same time`() throws {
        let server = try ScriptedServer { request in
            request.byteRange.map(Self.part)
                ?? Self.beginning(Self.share, then: .waitForPeerToLeave)
        }
        let mirror = try ScriptedServer { $0.byteRange.map(Self.part) ?? .status(500) }
        let digest = try FileServerTests.digest(of: Self.body)
        let job = try job(server, mirror, ", checksum: \"sha256:\(digest)\"")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(!mirror.requests.isEmpty)
        let urls = run.exchanges("a").compactMap { $0["request"]?["url"]?.string }
        #expect(Set(urls) == [server.url("/"), mirror.url("/")])
    }

    // RFC 9110 §8.8.3, §15.3.7.3
    @Test(arguments: [
        ["ETag: \"one\""],
        ["Last-Modified: Thu, 01 Jan 1970 00:00:00 GMT", "Date: Sun, 01 Nov 2026 00:00:00 GMT"],
    ])
    func `no part of a mirror gets into a file without a checksum`(headers: [String]) throws {
        let server = try ScriptedServer { request in
            if let range = request.byteRange {
                return .part(of: Self.body, from: range.lowerBound, to: range.upperBound, headers)
            }
            let head = Reply.head(200, headers + ["Content-Length: \(Self.body.count)"])
            return Reply([.send(head + Self.body.prefix(Self.share)), .waitForPeerToLeave])
        }
        let mirror = try ScriptedServer { request in
            request.byteRange.map {
                .part(of: Self.other, from: $0.lowerBound, to: $0.upperBound, headers)
            } ?? .ok(Self.other, headers)
        }
        let job = try job(server, mirror)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(mirror.requests.isEmpty)
        #expect(server.requests.contains { $0.byteRange != nil })
    }

    @Test func `no part behind a redirect gets into a file without a checksum`() throws {
        let server = try ScriptedServer { request in
            if request.path == "/other" {
                return request.byteRange.map {
                    .part(of: Self.other, from: $0.lowerBound, to: $0.upperBound, [Self.tag])
                } ?? .ok(Self.other, [Self.tag])
            }
            return request.byteRange == nil
                ? .ok(Self.body, [Self.tag]) : .status(302, ["Location: /other"])
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a checksum tells that a mirror has the file, whatever its validator`() throws {
        let server = try ScriptedServer { request in
            request.byteRange.map(Self.part)
                ?? Self.beginning(Self.share, then: .waitForPeerToLeave)
        }
        let mirror = try ScriptedServer { request in
            request.byteRange.map {
                .part(of: Self.body, from: $0.lowerBound, to: $0.upperBound, ["ETag: \"two\""])
            } ?? .status(500)
        }
        let digest = try FileServerTests.digest(of: Self.body)
        let job = try job(server, mirror, ", checksum: \"sha256:\(digest)\"")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(mirror.requests.dropFirst().allSatisfy { $0.headers["If-Range"] != "\"one\"" })
        #expect(run.task("a")?["attempts"]?.elements.count == 1)
    }

    @Test func `a file with wrong parts of a mirror is fetched again from one server`() throws {
        let server = try ScriptedServer { request in
            if let range = request.byteRange { return Self.part(range) }
            return request.earlierRequestsForPath == 0
                ? Self.beginning(Self.share, then: .waitForPeerToLeave)
                : .ok(Self.body, [Self.tag])
        }
        // Asked for the whole, it may also be asked for the end of the same file.
        let isAskedAlone = Lock(false)
        let mirror = try ScriptedServer { request in
            guard let range = request.byteRange else {
                isAskedAlone.withLock { $0 = true }
                return .ok(Self.body, [Self.tag])
            }
            let body = isAskedAlone.withLock { $0 } ? Self.body : Self.other
            return .part(of: body, from: range.lowerBound, to: range.upperBound, [Self.tag])
        }
        let digest = try FileServerTests.digest(of: Self.body)
        let job = try job(server, mirror, ", checksum: \"sha256:\(digest)\"")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.task("a")?["attempts"]?.elements.count == 2)
    }

    @Test(arguments: [1, 2])
    func `after wrong parts of a mirror the task's own URL sends the file`(attempts: Int) throws {
        let server = try ScriptedServer { request in
            if let range = request.byteRange { return Self.part(range) }
            return request.earlierRequestsForPath == 0
                ? Self.beginning(Self.share, then: .waitForPeerToLeave)
                : .ok(Self.body, [Self.tag])
        }
        let mirror = try ScriptedServer { request in
            request.byteRange.map {
                .part(of: Self.other, from: $0.lowerBound, to: $0.upperBound, [Self.tag])
            } ?? .ok(Self.other, [Self.tag])
        }
        let digest = try FileServerTests.digest(of: Self.body)
        let settings = ", checksum: \"sha256:\(digest)\", retry: { attempts: \(attempts) }"
        let job = try job(server, mirror, settings)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        let reasons = run.task("a")?["attempts"]?.elements.map { $0["reason"]?.string }
        #expect(reasons == ["integrity", nil])
        let urls = run.exchanges("a").filter { $0["attempt"]?.integer == 2 }
            .compactMap { $0["request"]?["url"]?.string }
        #expect(Set(urls) == [server.url("/")])
        let origin = mirror.url("")
        #expect(run.command.standardError.contains(", with parts from \(origin); again at once"))
    }

    @Test(arguments: [
        ("segments: 0", "`segments`: `0` is not from 1 to 64"),
        ("segments: 65", "`segments`: `65` is not from 1 to 64"),
        ("segments: many", "`segments`: expected an integer or `auto`"),
        ("segments: 4, decode: true", "`decode: true` in download `a` does not work with"),
        ("segments: auto, method: POST", "`method: POST` in download `a` does not work"),
        ("segments: 2, headers: { Range: bytes=0-5 }", "a `Range` in `headers`"),
        ("segments: 2, expect: { textEncoding: utf-8 }", "a check of the content by `expect`"),
    ])
    func `settings that need the file in one piece are refused`(
        settings: String,
        message: String
    ) throws {
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "http://127.0.0.1/", to: a.bin, \(settings) } }
            """
        )
        let result = try job.runner(["validate", "job.yaml"])
        #expect(result.status == .exit(3))
        #expect(result.standardError.contains(message), "\(result.standardError)")
    }
}
