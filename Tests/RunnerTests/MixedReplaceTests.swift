import TestSupport
import Testing
import TransferModel

/// Responses whose parts replace each other, by the built executable.
@Suite struct MixedReplaceTests {
    private static let type = "Content-Type: multipart/x-mixed-replace; boundary=frame"

    private static func part(_ text: String, _ fields: String = "Content-Type: text/plain\r\n")
        -> [UInt8]
    {
        Array("--frame\r\n\(fields)\r\n\(text)\r\n".utf8)
    }

    private static func parts(_ texts: [String]) -> [[UInt8]] {
        texts.map { part($0) } + [Array("--frame--\r\n".utf8)]
    }

    @Test func `the last part is the body, for data and downloads`() throws {
        let long = String(repeating: "long ", count: 30_000)
        let server = try ScriptedServer { request in
            switch request.path {
            case "/one": .chunked(Self.parts(["first", #"{"id":7}"#]), [Self.type])
            case "/two": .ok(Array(Self.parts([long, "short"]).joined()), [Self.type])
            case "/three": .ok(Array(Self.parts(["short", long]).joined()), [Self.type])
            default: .ok("alone")
            }
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              one:
                url: \(server.url("/one"))
                mixedReplace: {}
                responseTo: one
                expect: { mimeType: text/plain, json: { /id: 7 }, maximumSize: 10B }
                capture: { id: { json: /id } }
              raw: { url: "\(server.url("/one"))", responseTo: raw }
              many:
                url: \(server.url("/two"))
                mixedReplace: { keep: last }
                becomeDownload: { largerThan: 1KiB, to: many }
            downloads:
              two: { url: "\(server.url("/two"))", headers: { X-Id: "${task.one.id}" }, to: two, mixedReplace: {}, needs: one }
              three: { url: "\(server.url("/three"))", to: three, mixedReplace: {} }
              alone: { url: "\(server.url("/alone"))", to: alone, mixedReplace: { stopAfter: 1 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("one") == #"{"id":7}"#)
        #expect(try job.folder.text("raw").hasPrefix("--frame\r\n"))
        #expect(try job.folder.text("two") == "short")
        #expect(try job.folder.text("three") == long)
        #expect(try job.folder.text("alone") == "alone")
        // Only the last part decides whether the response becomes a download.
        #expect(!job.folder.contains("many"))
        #expect(run.task("two")?["file"]?["size"]?.integer == 5)
        #expect(server.requests.contains { $0.headers["X-Id"] == "7" })
    }

    @Test func `a task ends after so many parts of a server that goes on`() throws {
        let frame = Self.part("0123456789", "Content-Type: image/x\r\nContent-Length: 10\r\n")
        let head = Reply.head(200, [Self.type, "Connection: close"])
        let server = try ScriptedServer { _ in
            Reply([.send(head), .sendRepeatedly(frame, count: .max)])
        }
        let job = try JobFolder(
            """
            version: 1
            downloads:
              frame: { url: "\(server.url("/"))", to: frame, mixedReplace: { stopAfter: 1 } }
            data:
              many: { url: "\(server.url("/"))", responseTo: many, mixedReplace: { keep: all, stopAfter: 3 } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("frame") == "0123456789")
        let lines = try job.folder.text("many").split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.hasSuffix(#""base64":"MDEyMzQ1Njc4OQ=="}"#) })
    }

    @Test func `the first part is enough before the next one is there`() throws {
        let head = Reply.head(200, [Self.type, "Connection: close"])
        let frame = Self.part("one", "Content-Length: 3\r\n")
        let server = try ScriptedServer { _ in
            Reply([.send(head + frame), .waitForPeerToLeave])
        }
        let headServer = try ScriptedServer { _ in Reply([.send(Reply.head(200, [Self.type]))]) }
        let job = try JobFolder(
            """
            version: 1
            data:
              first: { url: "\(server.url("/"))", responseTo: first, mixedReplace: { stopAfter: 1 } }
              head: { url: "\(headServer.url("/"))", method: HEAD, mixedReplace: {} }
            """
        )
        #expect(try job.run().code == 0)
        #expect(try job.folder.text("first") == "one")
    }

    @Test func `all parts are lines of JSON`() throws {
        let server = try ScriptedServer { _ in
            .chunked(
                [
                    Self.part(#"{"a": 1}"#, "Content-Type: application/json\r\n"),
                    Self.part("é \"x\""),
                    Self.part("a\u{0}b", "Content-Type: image/png\r\n"), Self.part("no type", ""),
                    Array("--frame--".utf8),
                ],
                [Self.type]
            )
        }
        let job = try JobFolder(
            """
            version: 1
            data:
              all: { url: "\(server.url("/"))", responseTo: all.jsonl, mixedReplace: { keep: all } }
            """
        )
        let run = try job.run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let lines = try job.folder.text("all.jsonl").split(separator: "\n")
        let values = try lines.map { try JSONValue(bytes: Array($0.utf8)) }
        #expect(values.count == 4)
        #expect(values.allSatisfy { $0["date"]?.string != nil })
        #expect(values[0]["json"]?["a"]?.integer == 1)
        #expect(values[1]["text"]?.string == "é \"x\"")
        #expect(values[2]["base64"]?.string == "YQBi")
        #expect(values[3]["text"]?.string == "no type")
    }

    @Test(arguments: [
        ("cut", "truncated"), ("none", "protocolViolation"), ("boundary", "protocolViolation"),
        ("field", "protocolViolation"), ("type", "mimeType"), ("size", "tooLarge"),
        ("empty", "protocolViolation"),
    ])
    func `parts that break a rule fail the task and leave the old file`(
        path: String,
        kind: String
    ) throws {
        let server = try ScriptedServer { request in
            let whole = Self.part("one")
            let close = Array("--frame--".utf8)
            let bodies: [String: [UInt8]] = [
                "/cut": whole + Self.part("tw").dropLast(2), "/none": close, "/empty": [],
                "/field": whole + Self.part("two", "a line\r\n") + close,
                "/type": whole + Self.part("two", "Content-Type: text/html\r\n") + close,
                "/size": whole + Self.part("two three four") + close,
            ]
            let type =
                request.path == "/boundary"
                ? "Content-Type: multipart/x-mixed-replace" : Self.type
            return .ok(bodies[request.path] ?? whole + close, [type])
        }
        let job = try JobFolder(
            """
            version: 1
            defaults: { retry: { attempts: 1 } }
            downloads:
              task:
                url: \(server.url("/\(path)"))
                to: file
                mixedReplace: {}
                expect: { mimeType: text/plain, maximumSize: 8B }
            """
        )
        try job.folder.write("old", to: "file")
        let run = try job.run()
        #expect(run.code != 0)
        #expect(run.kind("task") == kind)
        #expect(try job.folder.text("file") == "old")
    }
}
