import TestSupport
import Testing
import TransferModel

/// When a download by several connections gets its turns.
@Suite struct SegmentPaceTests {
    private static let body = FileContent.patterned(4 << 20)
    private static let tag = "ETag: \"one\""
    /// Bytes arrive so often while a server drips.
    private static let interval = Duration.milliseconds(1)

    /// The server of a test must not make the body while the program waits for it.
    init() { _ = Self.body }

    /// The head of a whole response, its first bytes, and then `steps`.
    private static func beginning(_ count: Int, then steps: [Reply.Step]) -> Reply {
        let head = Reply.head(200, [tag, "Content-Length: \(body.count)"])
        return Reply([.send(head + body.prefix(count))] + steps)
    }

    private static func part(_ range: ClosedRange<Int>) -> Reply {
        .part(of: body, from: range.lowerBound, to: range.upperBound, [tag])
    }

    @Test func `measured connections grow while bytes arrive all the time`() throws {
        let hasGrown = try Gate()
        let server = try ScriptedServer { request in
            if let range = request.byteRange {
                hasGrown.open()
                return Self.part(range)
            }
            let rest = Array(Self.body.dropFirst(100_000))
            return Self.beginning(100_000, then: [.drip(rest, every: Self.interval)])
        }
        let job = try JobFolder(
            """
            version: 1
            downloads: { a: { url: "\(server.url("/"))", to: a.bin, segments: auto } }
            """
        )
        let running = try job.runCommand().start()
        try hasGrown.wait()
        running.signal(9)
        _ = try running.finish()
    }

    @Test func `a silent connection is relieved beside a busy one`() throws {
        let isRelieved = try Gate()
        let server = try ScriptedServer { request in
            guard let range = request.byteRange else {
                return Self.beginning(100_000, then: [.waitForPeerToLeave])
            }
            if range.lowerBound == 100_000 { isRelieved.open() }
            return Self.part(range)
        }
        let busy = try ScriptedServer { _ in
            let head = Reply.head(200, ["Content-Length: 1000001"])
            let drops = Array(repeating: UInt8(1), count: 1_000_000)
            return Reply([.send(head), .drip(drops, every: Self.interval), .send([1])])
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 }, timeoutIntervalForRequest: 20s }
            downloads:
              a: { url: "\(server.url("/"))", to: a.bin, segments: 4 }
              b: { url: "\(busy.url("/"))", to: b.bin }
            """
        )
        let running = try job.runCommand().start()
        try isRelieved.wait()
        running.signal(9)
        _ = try running.finish()
    }

    // Later than it may leave is always right, so that no load makes the test fail.
    @Test func `every request for a part has its turn under the limit of requests`() throws {
        let server = try ScriptedServer { request in
            request.byteRange.map(Self.part)
                ?? (request.path == "/a"
                    ? Self.beginning(1 << 20, then: [.waitForPeerToLeave]) : .ok("small"))
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { limits: { requests: 4/s }, retry: { attempts: 1 } }
            downloads: { a: { url: "\(server.url("/a"))", to: a.bin, segments: 4, priority: 1 } }
            data: { b: { url: "\(server.url("/b"))" }, c: { url: "\(server.url("/c"))" } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("a.bin") == Self.body)
        let start = try #require(run.report["run"]?["startDate"]?.string)
        let begin = try #require(Timestamp(rfc3339: start))
        let waits = try (run.exchanges("a") + run.exchanges("b") + run.exchanges("c")).map {
            let date = try #require($0["fetchStartDate"]?.string)
            return try #require(Timestamp(rfc3339: date)).microseconds(since: begin)
        }
        #expect(waits.count >= 5)
        // Two threads may once choose the same turn.
        for (index, wait) in waits.sorted().enumerated() {
            #expect(wait >= Int64(index - 1) * 250_000, "\(waits.sorted())")
        }
    }

    @Test func `parts have connections of their own where HTTP2 is spoken`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: "location = /a { limit_rate 1m; }"
        )
        try nginx.root.write(Self.body, to: "a")
        let origin = try #require(nginx.secureOrigin)
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { httpVersion: "2", tls: { caFile: \(certificates.authorityFile) } } }
            downloads: { a: { session: s, url: "\(origin)/a", to: a.bin, segments: 4 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("a.bin") == Self.body)
        let exchanges = run.exchanges("a")
        #expect(exchanges.first?["networkProtocolName"]?.string == "h2")
        let parts = exchanges.filter { $0["reason"]?.string == "segment" }
        #expect(parts.count >= 3)
        #expect(parts.allSatisfy { $0["networkProtocolName"]?.string == "http/1.1" })
        let connections = parts.prefix(3).map { $0["extension"]?["connectionIdentifier"]?.integer }
        #expect(Set(connections).count == 3)
    }
}
