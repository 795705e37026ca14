import TestSupport
import Testing
import TransferModel

/// Cut downloads, which a run resumes.
@Suite struct ResumeTests {
    private static let body = FileContent.patterned(300_000)
    private static let other = FileContent.patterned(300_000, mask: 0xFF)
    private static let tag = "ETag: \"one\""
    private static let otherTag = "ETag: \"two\""

    private func job(_ url: String, _ settings: String = "") throws -> JobFolder {
        try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 3, backoff: { initial: 1ms } } }
            downloads: { a: { url: \(url), to: out/a.bin\(settings) } }
            """
        )
    }

    @Test func `a download resumes after every cut`() throws {
        let cuts = [0, 70_000, 70_001, 150_000, 299_999]
        let server = try ScriptedServer { request in
            let place = request.earlierRequestsForPath
            let start = request.rangeStart ?? 0
            let reply =
                start == 0
                ? Reply.ok(Self.body, [Self.tag]) : .part(of: Self.body, from: start, [Self.tag])
            let end = place + 1 < cuts.count ? cuts[place + 1] : nil
            return end.map { reply.cut(after: $0 - start) } ?? reply
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 9, backoff: { initial: 1ms } } }
            downloads: { a: { url: \(server.url("/")), to: out/a.bin, expect: { maximumSize: 300000B } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(server.requests.map(\.rangeStart) == [nil, 70_000, 70_001, 150_000, 299_999])
        #expect(server.requests.dropFirst().allSatisfy { $0.headers["If-Range"] == "\"one\"" })
        #expect(server.requests.allSatisfy { $0.headers["Accept-Encoding"] == "identity" })
        #expect(
            run.exchanges("a").map { $0["reason"]?.string }.dropFirst() == [
                "resume", "resume", "resume", "resume",
            ]
        )
        #expect(
            run.attempts("a").map { $0["resumedFrom"]?.integer }
                == [nil, 70_000, 70_001, 150_000, 299_999]
        )
        #expect(run.task("a")?["file"]?["resumedFrom"]?.integer == 299_999)
        #expect(run.task("a")?["file"]?["size"]?.integer == 300_000)
        #expect(run.task("a")?["countOfBytesReceived"]?.integer == 300_000)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    /// A server's response to the request for the rest, its response to the request for everything,
    /// and the number of requests.
    struct Answer: CustomTestStringConvertible {
        var testDescription: String
        var rest: Reply
        var requests = 3
        var isChanged = false
    }

    static let answers: [Answer] = [
        .init(
            testDescription: "the file has changed",
            rest: .ok(other, [otherTag]),
            requests: 2,
            isChanged: true
        ),
        .init(testDescription: "no ranges", rest: .ok(body, [tag])),
        .init(
            testDescription: "a part of the changed file",
            rest: .part(of: other, from: 200_000, [otherTag]),
            isChanged: true
        ),
        .init(
            testDescription: "a part without a tag",
            rest: .part(of: other, from: 200_000),
            isChanged: true
        ),
        .init(
            testDescription: "a part from another position",
            rest: .part(of: body, from: 100_000, [tag])
        ),
        .init(
            testDescription: "a part of another length",
            rest: .part(
                of: body,
                from: 200_000,
                [tag],
                contentRange: "bytes 200000-299999/300001"
            )
        ),
        .init(
            testDescription: "a part of unknown length",
            rest: .part(of: body, from: 200_000, [tag], contentRange: "bytes 200000-299999/*")
        ),
        .init(
            testDescription: "another unit",
            rest: .part(
                of: body,
                from: 200_000,
                [tag],
                contentRange: "lines 200000-299999/300000"
            )
        ),
        .init(
            testDescription: "a length that is not the range's",
            rest: .part(
                of: body,
                from: 200_000,
                [tag],
                contentRange: "bytes 200000-250000/300000"
            )
        ),
        .init(
            testDescription: "several parts",
            rest: .status(206, [tag, "Content-Type: multipart/byteranges; boundary=x"], body: body)
        ),
        .init(
            testDescription: "a 200 with a range",
            rest: .status(200, [tag, "Content-Range: bytes 200000-299999/300000"], body: body)
        ),
        .init(testDescription: "412", rest: .status(412)),
        .init(
            testDescription: "416 of a shorter file",
            rest: .status(416, ["Content-Range: bytes */100"]),
            isChanged: true
        ),
        .init(testDescription: "416 without a length", rest: .status(416, text: "no")),
        .init(
            testDescription: "more than the range",
            rest: .chunkedPart(of: body, from: 200_000, excess: [1, 2, 3], [tag])
        ),
    ]

    @Test func `a small download resumes, too, and leaves no partial file`() throws {
        let body = Array(Self.body.prefix(40_000))
        let server = try ScriptedServer { request in
            switch request.earlierRequestsForPath {
            case 0: .ok(body, [Self.tag]).cut(after: 10_000)
            case 1:
                .part(of: body, from: request.rangeStart ?? 0, [Self.tag]).cut(after: 10_000)
            default: .part(of: body, from: request.rangeStart ?? 0, [Self.tag])
            }
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 10_000, 20_000])
        #expect(try job.folder.read("out/a.bin") == body)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test(arguments: answers)
    func `a resumed file is one version for every response to the range`(
        answer: Answer
    ) throws {
        let server = try ScriptedServer { request in
            if request.earlierRequestsForPath == 0 {
                return .ok(Self.body, [Self.tag]).cut(after: 200_000)
            }
            if request.rangeStart == 200_000 { return answer.rest }
            return answer.isChanged ? .ok(Self.other, [Self.otherTag]) : .ok(Self.body, [Self.tag])
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            try job.folder.read("out/a.bin") == (answer.isChanged ? Self.other : Self.body)
        )
        #expect(server.requests.count == answer.requests)
        #expect(
            server.requests.last?.headers["If-Range"] == (answer.requests == 2 ? "\"one\"" : nil)
        )
        #expect(run.task("a")?["file"]?["resumedFrom"]?.isNull == true)
        #expect(try job.folder.list("out") == ["a.bin"])
    }

    @Test func `a range shorter than requested is progress`() throws {
        let server = try ScriptedServer { request in
            guard let start = request.rangeStart else {
                return .ok(Self.body, [Self.tag]).cut(after: 100_000)
            }
            return .part(of: Self.body, from: start, to: min(start + 99_999, 299_999), [Self.tag])
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.attempts("a").map { $0["reason"]?.string } == ["truncated", "truncated", nil])
    }

    /// Responses that prevent resuming: they do not guarantee that the bytes stay the same.
    @Test(arguments: [
        (["ETag: W/\"one\""], ""),
        ([], ""),
        (["ETag: \"one\"", "Accept-Ranges: none"], ""),
        (["ETag: \"one\"", "Content-Encoding: gzip"], ""),
        (["ETag: \"one\""], ", resume: false"),
        (["ETag: \"one\""], ", headers: { If-Match: '\"one\"' }"),
        (["ETag: \"one\""], ", method: POST, retry: { repeat: always }"),
        (["ETag: \"one\""], ", expect: { textEncoding: iso-8859-1 }"),
    ])
    func `without a valid record everything is requested again`(
        fields: [String],
        settings: String
    ) throws {
        let server = try ScriptedServer { request in
            let reply = Reply.ok(Self.body, fields)
            return request.earlierRequestsForPath == 0 ? reply.cut(after: 200_000) : reply
        }
        let job = try job(server.url("/"), settings)
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 2)
        #expect(server.requests.allSatisfy { $0.headers["Range"] == nil })
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a date that is old enough serves as a validator`() throws {
        let fields = [
            "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Date: Sun, 06 Nov 2022 08:49:37 GMT",
        ]
        let server = try ScriptedServer { request in
            guard let start = request.rangeStart else {
                return .ok(Self.body, fields).cut(after: 200_000)
            }
            return .part(of: Self.body, from: start)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.last?.headers["If-Range"] == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `failures without a body keep the partial file`() throws {
        let server = try ScriptedServer { request in
            switch request.earlierRequestsForPath {
            case 0: .ok(Self.body, [Self.tag]).cut(after: 200_000)
            case 1: .unavailable(retryAfter: "0")
            case 2: .hangUp
            default: .part(of: Self.body, from: request.rangeStart ?? 0, [Self.tag])
            }
        }
        let job = try job(server.url("/"), ", retry: { attempts: 5 }")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000, 200_000, 200_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a redirect keeps the range, and the validator decides`() throws {
        let other = try ScriptedServer { request in
            request.rangeStart.map { .part(of: Self.body, from: $0, [Self.tag]) }
                ?? .ok(Self.body, [Self.tag]).cut(after: 200_000)
        }
        let server = try ScriptedServer { _ in .redirect(to: other.url("/file")) }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(other.requests.map(\.rangeStart) == [nil, 200_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    /// A server that ignores the range of a request with `If-Range`.
    private static func droppingServer(_ tag: @escaping @Sendable (Int) -> String) throws
        -> ScriptedServer
    {
        try ScriptedServer { request in
            let tag = tag(request.earlierRequestsForPath)
            guard let start = request.rangeStart, request.headers["If-Range"] == nil else {
                return .ok(body, [tag]).cut(after: 200_000)
            }
            return .part(of: body, from: start, [tag])
        }
    }

    @Test func `a server that drops a range with If-Range is asked with If-Match`() throws {
        let server = try Self.droppingServer { _ in Self.tag }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000, 200_000])
        #expect(server.requests.map { $0.headers["If-Match"] } == [nil, nil, "\"one\""])
        #expect(try job.folder.read("out/a.bin") == Self.body)
        #expect(run.exchanges("a").map { $0["reason"]?.string } == ["initial", "resume", "resume"])
    }

    @Test func `a checksum vouches for the rest of a server whose tags differ`() throws {
        let server = try Self.droppingServer { "ETag: \"\($0)\"" }
        let sum = try FileServerTests.digest(of: Self.body)
        let job = try job(server.url("/"), ", checksum: \"sha256:\(sum)\"")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000, 200_000])
        #expect(server.requests.allSatisfy { $0.headers["If-Match"] == nil })
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a redirect with another query is the same file if its tag is a hash`() throws {
        let tag = "ETag: \"d41d8cd98f00b204e9800998ecf8427e\""
        let server = try ScriptedServer { request in
            guard request.path == "/file" else {
                return .redirect(to: "/file?jwt=\(request.earlierRequestsForPath)")
            }
            return request.rangeStart.map { .part(of: Self.body, from: $0, [tag]) }
                ?? .ok(Self.body, [tag]).cut(after: 200_000)
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.attempts("a").map { $0["resumedFrom"]?.integer } == [nil, 200_000])
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a changed redirect fetches everything in spite of the ETag`() throws {
        let other = Self.other
        let server = try ScriptedServer { request in
            switch request.path {
            case "/":
                return .redirect(to: request.earlierRequestsForPath == 0 ? "/one?s=1" : "/two?s=1")
            case "/one": return .ok(Self.body, [Self.tag]).cut(after: 200_000)
            default:
                return request.rangeStart.map { .part(of: other, from: $0, [Self.tag]) }
                    ?? .ok(other, [Self.tag])
            }
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, nil, 200_000, 200_000, nil])
        #expect(try job.folder.read("out/a.bin") == other)
        #expect(
            run.exchanges("a").map { $0["reason"]?.string }.suffix(3)
                == ["resume", "redirect", "restart"]
        )
    }

    @Test func `a 304 to a range request fails and keeps the partial file`() throws {
        let server = try ScriptedServer { request in
            switch request.earlierRequestsForPath {
            case 0: .ok(Self.body, [Self.tag]).cut(after: 200_000)
            case 1: .status(304, [Self.tag])
            default: .part(of: Self.body, from: request.rangeStart ?? 0, [Self.tag])
            }
        }
        let job = try job(server.url("/"), ", expect: { statusCode: [200, 304] }")
        try job.folder.makeFolder("out")
        try job.folder.write("old", to: "out/a.bin")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.map(\.rangeStart) == [nil, 200_000, 200_000])
        #expect(run.attempts("a").map { $0["reason"]?.string }[1] == "protocolViolation")
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a file that keeps changing is requested as often as attempts allows`() throws {
        let body = [UInt8](repeating: 7, count: 9 << 20)
        let server = try ScriptedServer { request in
            let place = request.earlierRequestsForPath
            return .ok(body, ["ETag: \"\(place)\""]).cut(after: min(place + 1, 8) << 20)
        }
        let job = try job(server.url("/"))
        #expect(try job.run().code == 5)
        #expect(server.requests.count == 3)
    }

    @Test func `short parts are progress, as long as each is a hundredth of the file`() throws {
        let server = try ScriptedServer { request in
            guard let start = request.rangeStart else {
                return .ok(Self.body, [Self.tag]).cut(after: 70_000)
            }
            return .part(of: Self.body, from: start, to: min(start + 29_999, 299_999), [Self.tag])
        }
        let job = try job(server.url("/"))
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 9)
        #expect(try job.folder.read("out/a.bin") == Self.body)
    }

    @Test func `a server that cuts every transfer is retried until the file is whole`() throws {
        let body = [UInt8](repeating: 7, count: 9 << 20)
        let server = try ScriptedServer { request in
            guard let start = request.rangeStart else {
                return .ok(body, [Self.tag]).cut(after: 2 << 20)
            }
            return .part(of: body, from: start, [Self.tag]).cut(after: 2 << 20)
        }
        let job = try job(server.url("/"), ", retry: { attempts: 2 }")
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(server.requests.count == 5)
        #expect(run.task("a")?["file"]?["size"]?.integer == 9 << 20)
    }
}

extension Reply {
    /// 206 in chunks, with bytes behind the range that it announces.
    fileprivate static func chunkedPart(
        of body: [UInt8],
        from first: Int,
        excess: [UInt8],
        _ headers: [String]
    ) -> Reply {
        let bytes = Array(body[first...]) + excess
        let fields =
            headers + [
                "Content-Range: bytes \(first)-\(body.count - 1)/\(body.count)",
                "Transfer-Encoding: chunked",
            ]
        let frame = Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + [13, 10]
        return Reply([.send(head(206, fields) + frame + Array("0\r\n\r\n".utf8))])
    }
}
