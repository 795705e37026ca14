import JSON
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// The engine's results for bodies and fields that differ from a job's expectations.
@Suite struct ExpectTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Downloads the reply over an old file.
    private func download(
        _ reply: Reply,
        method: String = "GET",
        durability: Durability = .none,
        _ expect: (inout TransferModel.Expectation) throws -> Void
    ) throws -> AttemptResult {
        try folder.write("old", to: "out")
        let server = try ScriptedServer(["/": [reply]])
        var attempt = try AttemptRequest.download(server.url("/"), to: folder.path("out"))
        attempt.request.method = method
        try expect(&attempt.expectation)
        return try EngineHarness(durability: durability).run(attempt)
    }

    private func expectOldFile() throws {
        #expect(try folder.text("out") == "old")
        #expect(try folder.list() == ["out"])
    }

    private static func value(
        _ pointer: String,
        _ value: JSONValue
    ) throws -> [TransferModel.Expectation.JSONValueAt] {
        [.init(try #require(JSONPointer(pointer)), value: value)]
    }

    // MARK: - maximumSize

    @Test(arguments: [100, 200_000])
    func `a body of the largest size passes and one byte more does not`(size: Int) throws {
        let body = [UInt8](repeating: 65, count: size)
        for reply in [Reply.ok(body), .chunked([body])] {
            let good = try download(reply) { $0.maximumSize = Int64(size) }
            #expect(good.failure == nil)
            #expect(good.checks.map(\.check) == [.clientError, .statusCode, .data])
            #expect(try folder.read("out") == body)
            let bad = try download(reply) { $0.maximumSize = Int64(size - 1) }
            #expect(bad.failure?.kind == .tooLarge)
            #expect(bad.failure?.isPermanent == true)
            #expect(bad.failure?.urlError?.code == -1103)
            #expect(bad.checks.last?.check == .data)
            try expectOldFile()
        }
    }

    @Test func `a Content-Length above the limit ends the transfer before its body`() throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"
        let result = try download(.raw(head, then: [.waitForPeerToLeave])) {
            $0.maximumSize = 1 << 20
        }
        #expect(result.failure?.kind == .tooLarge)
        #expect(result.checks.last?.actual == "Content-Length 99999999999")
        #expect(result.countOfBytesReceived == 0)
        try expectOldFile()
    }

    @Test func `a body without end is ended at the largest size`() throws {
        let piece = [UInt8](repeating: 65, count: 10_000)
        let reply = Reply.raw("HTTP/1.1 200 OK\r\n\r\n") + [.sendRepeatedly(piece, count: .max)]
        let result = try download(reply) { $0.maximumSize = 1 << 20 }
        #expect(result.failure?.kind == .tooLarge)
        try expectOldFile()
    }

    @Test func `a body with JSON checks ends at 16 MiB`() throws {
        let piece = [UInt8](repeating: 32, count: 1 << 16)
        let reply = Reply.raw("HTTP/1.1 200 OK\r\n\r\n") + [.sendRepeatedly(piece, count: .max)]
        let result = try download(reply) { $0.json = [] }
        #expect(result.failure?.kind == .tooLarge)
        #expect(result.checks.last?.expected == "at most 16777216 bytes")
        try expectOldFile()
    }

    @Test func `a shorter body than announced is truncated, whatever it says`() throws {
        let result = try download(.cut(Array("{\"a\":1}  ".utf8), after: 7, then: [.close])) {
            $0.json = try Self.value("/a", .number("1"))
            $0.textEncoding = .utf8
            $0.maximumSize = 100
        }
        #expect(result.failure?.kind == .truncated)
        #expect(result.checks.map(\.check) == [.clientError])
        try expectOldFile()
    }

    // MARK: - Presence

    @Test func `an empty body fails where text or JSON is expected, and only there`() throws {
        let text = try download(.ok("")) { $0.textEncoding = .utf8 }
        #expect(text.failure?.kind == .content)
        #expect(text.failure?.urlError?.code == -1014)
        #expect(text.checks.last?.check == .data)
        try expectOldFile()
        let json = try download(.ok("")) { $0.json = [] }
        #expect(json.checks.last?.check == .data)
        let file = try download(.ok("")) { $0.maximumSize = 0 }
        #expect(file.failure == nil)
        #expect(try folder.text("out") == "")
    }

    @Test(arguments: [(204, "GET"), (205, "GET"), (200, "HEAD")])
    func `a response without content skips the body checks`(status: Int, method: String) throws {
        let reply = Reply.raw("HTTP/1.1 \(status) Scripted\r\nX: y\r\nContent-Length: 0\r\n\r\n")
        let result = try download(reply, method: method) {
            $0.json = try Self.value("/a", .null)
            $0.textEncoding = .utf8
            $0.headers = [HeaderField(name: "x", value: "y")]
        }
        #expect(result.failure == nil)
        #expect(result.checks.map(\.check) == [.clientError, .statusCode, .content])
    }

    // MARK: - Decoding

    @Test(arguments: [1, 2, 3, 5, 1000])
    func `a character may be cut by the chunks of the body`(size: Int) throws {
        let text = String(repeating: "Größe 100 €🙂 ", count: 60)
        let bytes = Array(text.utf8)
        let chunks = stride(from: 0, to: bytes.count, by: size).map {
            Array(bytes[$0..<min($0 + size, bytes.count)])
        }
        let steps = chunks.map {
            Reply.Step.send(Array("\(String($0.count, radix: 16))\r\n".utf8) + $0 + [13, 10])
        }
        let head = Reply.head(200, ["Transfer-Encoding: chunked"])
        let reply = Reply([.send(head)] + steps + [.send(Array("0\r\n\r\n".utf8))])
        let result = try download(reply) { $0.textEncoding = .utf8 }
        #expect(result.failure == nil)
        #expect(result.checks.map(\.check) == [.clientError, .statusCode, .data, .decoding])
        #expect(try folder.text("out") == text)
    }

    @Test(arguments: [1, 300_000])
    func `a body that does not decode leaves the old file`(size: Int) throws {
        let body = [UInt8](repeating: 65, count: size) + [0xC3]
        let result = try download(.ok(body)) { $0.textEncoding = .utf8 }
        #expect(result.failure?.kind == .content)
        #expect(result.failure?.urlError?.code == -1016)
        #expect(result.checks.map(\.check) == [.clientError, .statusCode, .data, .decoding])
        #expect(result.checks.last?.expected == "utf-8")
        try expectOldFile()
    }

    @Test func `a charset that is not expected fails`() throws {
        let result = try download(.ok("x", ["Content-Type: text/plain; Charset=\"ISO-8859-1\""])) {
            $0.textEncoding = .utf8
        }
        #expect(result.checks.last?.actual == "the body is ISO-8859-1")
        try expectOldFile()
    }

    // MARK: - Content

    @Test(arguments: [0, 200_000], [Durability.none, .file])
    func `a wrong value leaves the old file and the right one replaces it`(
        padding: Int,
        durability: Durability
    ) throws {
        let text = #"{"status":"ok"}"# + String(repeating: " ", count: padding)
        let bad = try download(.ok(text), durability: durability) {
            $0.json = try Self.value("/status", .string("failed"))
        }
        #expect(bad.failure?.kind == .content)
        #expect(bad.failure?.detail == #"`/status` of the body is "ok" instead of "failed""#)
        #expect(bad.file == nil)
        try expectOldFile()
        let good = try download(.chunked([Array(text.utf8)]), durability: durability) {
            $0.json = try Self.value("/status", .string("ok"))
        }
        #expect(good.failure == nil)
        #expect(
            good.checks.map(\.check) == [.clientError, .statusCode, .data, .decoding, .content]
        )
        #expect(try folder.text("out") == text)
    }

    @Test func `a response without a file is checked, too`() throws {
        let server = try ScriptedServer(["/": [.ok(#"{"n":1}"#, ["X-Id: 1"])]])
        let harness = try EngineHarness()
        func check(_ name: String, _ number: String) throws -> AttemptResult {
            try harness.run(
                .to(server.url("/"), method: "POST", body: .bytes([1])) {
                    $0.expectation.headers = [HeaderField(name: name, value: "*")]
                    $0.expectation.json = try? Self.value("/n", .number(number))
                }
            )
        }
        #expect(try check("x-id", "1.0").failure == nil)
        #expect(try check("x-id", "2").checks.last?.actual == "1")
        #expect(try check("x-no", "1").checks.last?.actual == "missing")
    }

    @Test func `only the last response of a redirect is checked`() throws {
        let server = try ScriptedServer([
            "/": [.redirect(to: "/next")], "/next": [.ok(#"{"a":1}"#)],
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) {
                $0.expectation.json = try? Self.value("/a", .number("1"))
                $0.expectation.textEncoding = .utf8
            }
        )
        #expect(result.failure == nil)
        #expect(result.redirectCount == 1)
    }
}
