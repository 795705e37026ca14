import TestSupport
import Testing

/// Faults of servers: a run fails with the right kind, in bounded memory, and leaves the
/// destination unchanged.
@Suite struct ServerFaultTests {
    /// A fault, and the kinds of failure that tell it rightly.
    struct Fault: Sendable, CustomTestStringConvertible {
        var name: String
        var reply: Reply
        var kinds: Set<String>
        var testDescription: String { name }

        init(_ name: String, _ kinds: Set<String>, _ reply: Reply) {
            self.name = name
            self.kinds = kinds
            self.reply = reply
        }

        init(_ name: String, _ kind: String, _ text: String) {
            self.init(name, [kind], .raw(text, then: [.close]))
        }

        init(_ name: String, _ text: String) {
            self.init(name, "protocolViolation", text)
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"
    private static let endless = Reply.Step.sendRepeatedly(
        [UInt8](repeating: UInt8(ascii: "a"), count: 16_384),
        count: .max
    )

    private static func lines(_ text: String, then steps: [Reply.Step] = []) -> Reply {
        .raw(text, then: steps + [.close])
    }

    private static let chunks: [Fault] = [
        Fault("a chunk size that is no number", chunked + "xyz\r\nhello\r\n0\r\n\r\n"),
        Fault("a negative chunk size", chunked + "-5\r\nhello\r\n0\r\n\r\n"),
        Fault("a chunk size beyond 64 bits", chunked + "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
        Fault("an empty chunk size", chunked + "\r\nhello\r\n0\r\n\r\n"),
        Fault("a chunk without its line end", chunked + "5\r\nhelloworld\r\n0\r\n\r\n"),
        Fault("a chunk that is cut", "truncated", chunked + "5\r\nhel"),
        Fault("chunks without an end", "truncated", chunked + "5\r\nhello\r\n"),
        Fault(
            "a chunk of the largest size that is cut",
            "truncated",
            chunked + "7fffffffffffffff\r\nhello"
        ),
        Fault(
            "trailers without an end",
            ["protocolViolation"],
            lines(
                chunked + "5\r\nhello\r\n0\r\n",
                then: [.sendRepeatedly(Array("X-Trailer: a\r\n".utf8), count: .max)]
            )
        ),
    ]

    private static let lengths: [Fault] = [
        Fault("a body that is too short", "truncated", ok + "Content-Length: 10\r\n\r\nhello"),
        Fault("two lengths", ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
        Fault("a list of two lengths", ok + "Content-Length: 5, 6\r\n\r\nhello"),
        Fault("a negative length", ok + "Content-Length: -5\r\n\r\nhello"),
        Fault("a length that is no number", ok + "Content-Length: five\r\n\r\nhello"),
        Fault("a length in hexadecimal digits", ok + "Content-Length: 0x5\r\n\r\nhello"),
        Fault(
            "a length beyond 64 bits",
            ok + "Content-Length: 99999999999999999999999\r\n\r\nhello"
        ),
        Fault(
            "a length beside chunks",
            ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
        ),
        Fault(
            "a length larger than any disk",
            ["localIO", "truncated"],
            lines(ok + "Content-Length: 9223372036854775807\r\n\r\nhello")
        ),
    ]

    private static let heads: [Fault] = [
        Fault(
            "a field of 1 MiB",
            ["protocolViolation"],
            lines(ok + "X-Long: \(String(repeating: "a", count: 1 << 20))\r\n\r\n")
        ),
        Fault(
            "a field without an end",
            ["protocolViolation"],
            lines(ok + "X-Long: ", then: [endless])
        ),
        Fault(
            "a status line without an end",
            ["protocolViolation"],
            lines("HTTP/1.1 200 ", then: [endless])
        ),
        Fault(
            "a head of 1 MiB",
            ["protocolViolation"],
            lines(
                ok
                    + String(
                        repeating: "X-Filler: \(String(repeating: "a", count: 1000))\r\n",
                        count: 1040
                    )
            )
        ),
        Fault(
            "more than a thousand fields",
            ok + String(repeating: "X: a\r\n", count: 1001) + "\r\n"
        ),
        Fault(
            "fields without an end",
            ["protocolViolation"],
            lines(ok, then: [.sendRepeatedly(Array("X: a\r\n".utf8), count: .max)])
        ),
        Fault(
            "informational responses without an end",
            ["protocolViolation"],
            lines(
                "",
                then: [.sendRepeatedly(Array("HTTP/1.1 102 Processing\r\n\r\n".utf8), count: .max)]
            )
        ),
        Fault("a field with a zero byte", ok + "X-Odd: a\0b\r\nContent-Length: 2\r\n\r\nok"),
        Fault("a field without a colon", ok + "nonsense\r\nContent-Length: 2\r\n\r\nok"),
        Fault("HTTP/0.9", "hello, this is no HTTP at all\r\n"),
        Fault("another protocol", "SSH-2.0-OpenSSH_9.2\r\n"),
        Fault("an unknown version of HTTP", "HTTP/7.3 200 OK\r\nContent-Length: 2\r\n\r\nok"),
        Fault("a status that is no number", "HTTP/1.1 abc OK\r\nContent-Length: 2\r\n\r\nok"),
        Fault("a status of four digits", "HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\nok"),
        Fault("a status out of range", "HTTP/1.1 999 Odd\r\nContent-Length: 2\r\n\r\nok"),
        Fault("a head that is cut", ["reset", "truncated", "protocolViolation"], lines(ok + "X-")),
        Fault(
            "an unasked part",
            "HTTP/1.1 206 Part\r\nContent-Length: 2\r\nContent-Range: bytes 0-1/9\r\n\r\nok"
        ),
        Fault("an unasked 304", "HTTP/1.1 304 Not Modified\r\n\r\n"),
        Fault(
            "unasked other protocols",
            "HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\nhello"
        ),
    ]

    /// Runs a job that has no more than 96 MiB for all that it keeps.
    private static func run(_ job: JobFolder) throws -> RunOutcome {
        let command = try job.runCommand().limitedToData(ofKibibytes: 96 << 10)
        return try command.run().reported(in: job.folder)
    }

    /// Runs one download over an older file; the kind of its failure, and the run.
    private func run(_ reply: Reply, _ settings: String = "") throws -> (RunOutcome, JobFolder) {
        let server = try ScriptedServer(["/": [reply]])
        let job = try JobFolder(
            """
            version: 1
            downloads:
              a: { url: \(server.url("/")), to: a.bin, retry: { attempts: 1 }\(settings) }
            """
        )
        try job.folder.write("old", to: "a.bin")
        return (try Self.run(job), job)
    }

    @Test(arguments: chunks + lengths + heads)
    func `a fault is a failure of its kind and leaves the old file`(fault: Fault) throws {
        let (run, job) = try run(fault.reply)
        let kind = run.kind("a") ?? "none"
        let error = run.task("a")?["error"]
        #expect(fault.kinds.contains(kind), "\(kind): \(error?["message"]?.string ?? "")")
        #expect(try job.folder.text("a.bin") == "old")
        #expect(try job.folder.list().sorted() == ["a.bin", "job.yaml", "report.json"])
        #expect(try job.folder.read("report.json").count < 1 << 20)
        #expect(error?["message"]?.string?.utf8.count ?? 0 < 1000)
    }

    /// 200 MB that are 200 KB as gzip.
    private func bomb() throws -> Reply {
        let folder = try TemporaryFolder()
        let script = "head -c 200000000 /dev/zero | gzip -9 >'\(folder.path("bomb"))'"
        #expect(try Command("sh", ["-c", script]).run().status == .exit(0))
        return .ok(try folder.read("bomb"), ["Content-Encoding: gzip"])
    }

    @Test func `a small body that expands to a huge one is ended by the job's limit`() throws {
        let (run, job) = try run(try bomb(), ", decode: true, expect: { maximumSize: 1MiB }")
        #expect(run.kind("a") == "tooLarge")
        #expect(try job.folder.text("a.bin") == "old")
        let exchange = try #require(run.exchanges("a").first)
        #expect(try #require(exchange["countOfResponseBodyBytesAfterDecoding"]?.integer) < 2 << 20)
    }

    @Test func `a body without a limit goes to a file with little memory`() throws {
        let (run, job) = try run(try bomb(), ", decode: true")
        #expect(run.code == 0)
        #expect(run.task("a")?["file"]?["size"]?.integer == 200_000_000)
        try job.folder.write("", to: "a.bin")
    }

    @Test func `a body without an end is ended by the job's limit`() throws {
        let reply = Reply([.send(Array((Self.ok + "\r\n").utf8)), Self.endless])
        let (run, job) = try run(reply, ", expect: { maximumSize: 1MiB }")
        #expect(run.kind("a") == "tooLarge")
        #expect(try job.folder.text("a.bin") == "old")
    }

    // Values that would be another field, drive a terminal or end a line, were they passed on as
    // they are.
    @Test(arguments: [
        "\u{1B}[2J\u{1B}]0;owned\u{7}", "a\rSet-Cookie: b=c", "\u{8}\u{7F}", "a\r\n folded",
    ])
    func `a server's control characters reach terminal and report escaped`(
        value: String
    ) throws {
        let text = """
            HTTP/1.1 404 \(value)\r\nX-Odd: \(value)\r\nContent-Type: text/plain; \(value)\r\n\
            Location: \(value)\r\nContent-Length: 40\r\n\r\n\(value)
            """
        let (run, job) = try run(.raw(text + String(repeating: "x", count: 40), then: [.close]))
        #expect(run.outcome("a") == "failed")
        #expect(try job.folder.text("a.bin") == "old")
        let output = run.command.standardOutput + run.command.standardError
        let report = try job.folder.text("report.json")
        for text in [output, report] {
            let odd = text.unicodeScalars.filter {
                ($0.value < 32 && $0 != "\n") || $0.value == 127
            }
            #expect(odd.isEmpty)
        }
        let names = run.task("a")?["response"]?["headers"]?.elements.map { $0["name"]?.string }
        #expect(names?.contains("Set-Cookie") != true)
    }

    @Test func `a field that a server hides in another one is not captured`() throws {
        let server = try ScriptedServer([
            "/": [.ok("x", ["X-Token: abc\rX-Evil: 1"])], "/next": [.ok("y")],
        ])
        let job = try JobFolder(
            """
            version: 1
            data:
              a: { url: \(server.url("/")), capture: { token: { header: X-Token } } }
              b: { url: \(server.url("/next")), needs: [a], headers: { X-Copy: "${task.a.token}" } }
            """
        )
        let run = try job.run()
        #expect(run.outcome("a") == "failed" || run.outcome("b") == "failed")
        #expect(server.requests(for: "/next").isEmpty)
    }
}
