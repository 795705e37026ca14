import Synchronization
import TestSupport
import Testing

/// Downloads by several connections from servers that answer requests for parts with anything else.
@Suite struct SegmentRefusalTests {
    private static let body = FileContent.patterned(4 << 20)
    private static let other = FileContent.patterned(4 << 20, mask: 0xFF)
    private static let tag = "ETag: \"one\""
    private static let otherTag = "ETag: \"two\""
    private static let share = 1 << 20

    /// The server of a test must not make the body while the program waits for it.
    init() { _ = (Self.body, Self.other) }

    private func job(_ url: String) throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads: { a: { url: "\(url)", to: out/a.bin, segments: 4, timeoutInterval: 60s } }
            """
        )
    }

    /// The head of a response with the whole body, and its first bytes.
    private static func beginning(then steps: [Reply.Step]) -> Reply {
        let head = Reply.head(200, [tag, "Content-Length: \(body.count)"])
        return Reply([.send(head + body.prefix(share))] + steps)
    }

    private static func part(_ range: ClosedRange<Int>) -> Reply {
        .part(of: body, from: range.lowerBound, to: range.upperBound, [tag])
    }

    /// Answers of a server that sends the whole file, but no part of it.
    enum Answer: String, CaseIterable {
        case refusedRange, refusedRangeOfLength, failedCondition
        case otherTotal, weakValidator, noValidator, otherServer

        /// What the report says.
        var reason: String {
            switch self {
            case .refusedRange, .refusedRangeOfLength: "the status 416"
            case .failedCondition: "the status 412"
            case .otherTotal: "a part of another length"
            case .weakValidator, .noValidator: "a part with another validator"
            case .otherServer: "the status 200"
            }
        }

        func reply(to range: ClosedRange<Int>) -> Reply {
            let (first, last) = (range.lowerBound, range.upperBound)
            let count = SegmentRefusalTests.body.count
            func part(_ fields: [String], of total: Int = count) -> Reply {
                .part(
                    of: SegmentRefusalTests.body,
                    from: first,
                    to: last,
                    fields,
                    contentRange: "bytes \(first)-\(last)/\(total)"
                )
            }
            return switch self {
            case .refusedRange: .status(416)
            case .refusedRangeOfLength: .status(416, ["Content-Range: bytes */\(count)"])
            case .failedCondition: .status(412)
            case .otherTotal: part([SegmentRefusalTests.tag], of: count + 1)
            case .weakValidator: part(["ETag: W/\"one\""])
            case .noValidator: part([])
            case .otherServer:
                .ok(SegmentRefusalTests.other, [SegmentRefusalTests.otherTag])
            }
        }
    }

    // RFC 9110 §15.3.7, §15.5.13, §15.5.17
    @Test(arguments: Answer.allCases)
    func `the first connection fetches a file whose server is of no use for parts`(
        answer: Answer
    ) throws {
        let isRefused = try Gate()
        let server = try ScriptedServer { request in
            guard let range = request.byteRange else {
                return Self.beginning(
                    then: [.wait(isRefused), .send(Array(Self.body.dropFirst(Self.share)))]
                )
            }
            // All of the body might not fit into the connection before its peer has left.
            let beginning = answer.reply(to: range).cut(after: 1000).steps.dropLast()
            return Reply(beginning + [.waitForPeerToLeave, .open(isRefused)])
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(server.requests.count { $0.byteRange == nil } == 1)
        #expect(server.requests.count <= 4)
        #expect(run.task("a")?["extension"]?["partRefusal"]?.string == answer.reason)
        #expect(run.task("a")?["countOfBytesReceived"]?.integer == Int64(Self.body.count))
    }

    /// Two servers behind one name, of which the second one answers all but the first request for a
    /// part.
    @Test(arguments: [true, false])
    func `one more request asks for the rest when parts come no more`(isSame: Bool) throws {
        let hasSentPart = Atomic(false)
        // The request that follows the part.
        let isNext = try Gate()
        let server = try ScriptedServer { request in
            if let start = request.rangeStart {
                return isSame
                    ? Self.part(start...Self.body.count - 1)
                    : .ok(Self.other, [Self.otherTag])
            }
            guard let range = request.byteRange else {
                return Self.beginning(then: [.waitForPeerToLeave])
            }
            guard hasSentPart.exchange(true, ordering: .relaxed) else { return Self.part(range) }
            if request.earlierRequestsForPath == 4 { isNext.open() }
            return Reply([.wait(isNext)] + Reply.ok(Self.other, [Self.otherTag]).steps)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == (isSame ? Self.body : Self.other))
        #expect(try job.folder.list("out") == ["a.bin"])
        #expect(run.task("a")?["attempts"]?.elements.count == 1)
        #expect(run.exchanges("a").last?["reason"]?.string == "resume")
        #expect(run.task("a")?["extension"]?["partRefusal"]?.string == "the status 200")
    }

    @Test func `an answer that is no part does not make a server of parts one of no use`() throws {
        let hasRefused = Atomic(false)
        // The program ends its first request when the head of a part has arrived. An answer before
        // that head would show a server of no use for parts, whose first response never ends.
        let hasSentPart = try Gate()
        let server = try ScriptedServer { request in
            guard let range = request.byteRange else {
                return Self.beginning(then: [.waitForPeerToLeave, .open(hasSentPart)])
            }
            if hasRefused.exchange(true, ordering: .relaxed) { return Self.part(range) }
            return Reply([.wait(hasSentPart)] + Reply.ok(Self.other, [Self.otherTag]).steps)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.exchanges("a").allSatisfy { $0["reason"]?.string != "resume" })
        #expect(run.task("a")?["extension"]?["partRefusal"]?.isNull == true)
    }

    @Test func `a server that refuses ranges before any part is asked for everything`() throws {
        // The mirror sends one part, so that the server's own response ends behind its share.
        // Refused earlier, its share would become that of the response.
        let hasEnded = try Gate()
        let digest = try FileServerTests.digest(of: Self.body)
        let server = try ScriptedServer { request in
            if request.byteRange != nil || request.rangeStart != nil {
                return Reply([.wait(hasEnded)] + Reply.status(416).steps)
            }
            return request.earlierRequestsForPath == 0
                ? Self.beginning(then: [.waitForPeerToLeave, .open(hasEnded)])
                : .ok(Self.body, [Self.tag])
        }
        let mirror = try ScriptedServer { request in
            guard let range = request.byteRange, request.earlierRequestsForPath == 0 else {
                return Reply([.wait(hasEnded)] + Reply.status(503).steps)
            }
            return Self.part(range)
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads:
              a:
                url: "\(server.url("/"))"
                mirrors: ["\(mirror.url("/"))"]
                to: out/a.bin
                segments: 4
                checksum: "sha256:\(digest)"
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(server.requests.count { $0.byteRange == nil && $0.rangeStart == nil } == 2)
        #expect(server.requests.allSatisfy { $0.rangeStart == nil })
        #expect(run.exchanges("a").last?["reason"]?.string == "restart")
        #expect(run.task("a")?["extension"]?["partRefusal"]?.string == "the status 416")
    }

    @Test func `a server that sends parts is not called of no use`() throws {
        let server = try ScriptedServer { request in
            request.byteRange.map(Self.part) ?? Self.beginning(then: [.waitForPeerToLeave])
        }
        let run = try job(server.url("/")).run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.task("a")?["extension"]?["partRefusal"]?.isNull == true)
    }
}
