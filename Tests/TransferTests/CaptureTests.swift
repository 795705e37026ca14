import JSON
import TestSupport
import Testing
import Transfer
import TransferModel

/// The engine's results of responses with captures.
@Suite struct CaptureTests {
    private static func captures() throws -> [Capture] {
        [
            Capture("token", from: .header("X-Token")),
            Capture("id", from: .json(try #require(JSONPointer("/id")))),
            Capture("digits", from: .regex(#""id":(\d+)"#)),
        ]
    }

    private func attempt(
        _ reply: Reply,
        method: String = "GET",
        body: BodySource? = nil,
        captures: [Capture]
    ) throws -> AttemptResult {
        let server = try ScriptedServer(["/": [reply]])
        return try EngineHarness().run(
            .to(server.url("/"), method: method, body: body) {
                $0.expectation.captures = captures
            }
        )
    }

    @Test(arguments: ["GET", "POST"])
    func `values of every kind come back in their order`(method: String) throws {
        let reply = Reply.ok(#"{"id":42}"#, ["X-Token: t0k3n"])
        let body = method == "POST" ? BodySource.bytes([1]) : nil
        let result = try attempt(reply, method: method, body: body, captures: Self.captures())
        #expect(result.failure == nil)
        #expect(
            result.captured == [
                CapturedValue("token", "t0k3n"), CapturedValue("id", "42", .number),
                CapturedValue("digits", "42"),
            ]
        )
        #expect(
            result.checks.map(\.check) == [.clientError, .statusCode, .data, .decoding, .content]
        )
    }

    @Test func `a download is published only when all is captured`() throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer(["/": [.ok(#"{"id":42}"#)]])
        var request = try AttemptRequest.download(server.url("/"), to: folder.path("out"))
        request.expectation.captures = [Capture("id", from: .regex(#"\d+"#))]
        let good = try EngineHarness().run(request)
        #expect(good.captured == [CapturedValue("id", "42")])
        #expect(try folder.text("out") == #"{"id":42}"#)

        try folder.write("old", to: "out")
        request.expectation.captures.append(Capture("no", from: .header("X-No")))
        let bad = try EngineHarness().run(request)
        #expect(bad.failure?.kind == .content)
        #expect(bad.captured.isEmpty)
        #expect(try folder.text("out") == "old")
    }

    @Test func `a download that cannot be published has captured nothing`() throws {
        let folder = try TemporaryFolder()
        let server = try ScriptedServer(["/": [.ok("x")]])
        var request = try AttemptRequest.download(
            server.url("/"),
            to: folder.path("out"),
            checksum: .digest(Checksum(.sha256, digest: [UInt8](repeating: 0, count: 32)))
        )
        request.expectation.captures = [Capture("id", from: .regex("x"))]
        let result = try EngineHarness().run(request)
        #expect(result.failure?.kind == .integrity)
        #expect(result.captured.isEmpty)
    }

    @Test(arguments: [("GET", 204), ("HEAD", 200)])
    func `a response without a body has fields only`(method: String, status: Int) throws {
        let reply = Reply.raw(
            "HTTP/1.1 \(status) Scripted\r\nX-Token: t\r\nContent-Length: 0\r\n\r\n"
        )
        let token = try attempt(
            reply,
            method: method,
            captures: [Capture("token", from: .header("X-Token"))]
        )
        #expect(token.captured == [CapturedValue("token", "t")])
        for capture in try Self.captures().dropFirst() {
            let result = try attempt(reply, method: method, captures: [capture])
            #expect(result.failure?.kind == .content)
            #expect(result.checks.last?.check == .content)
        }
    }

    @Test func `an empty body has nothing to capture`() throws {
        let result = try attempt(.ok(""), captures: [Capture("id", from: .regex("x*"))])
        #expect(result.checks.last?.check == .data)
    }

    @Test func `a body with captures ends at 16 MiB`() throws {
        let piece = [UInt8](repeating: 32, count: 1 << 16)
        let reply = Reply.raw("HTTP/1.1 200 OK\r\n\r\n") + [.sendRepeatedly(piece, count: .max)]
        let result = try attempt(reply, captures: [Capture("id", from: .regex("x"))])
        #expect(result.failure?.kind == .tooLarge)
    }

    @Test func `a body that is no JSON is decoded only for captures of JSON`() throws {
        let pattern = try attempt(.ok("id=7"), captures: [Capture("id", from: .regex("[0-9]"))])
        #expect(pattern.captured == [CapturedValue("id", "7")])
        let json = try attempt(.ok("id=7"), captures: [Self.captures()[1]])
        #expect(json.checks.last?.check == .decoding)
    }

    @Test func `a refused status captures nothing`() throws {
        let result = try attempt(
            .status(500),
            captures: [Capture("id", from: .header("Content-Length"))]
        )
        #expect(result.failure?.kind == .httpStatus)
        #expect(result.captured.isEmpty)
    }

    @Test func `values are captured from the last response of a redirect`() throws {
        let server = try ScriptedServer([
            "/": [.redirect(to: "/next")], "/next": [.ok("", ["X-Token: last"])],
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) {
                $0.expectation.captures = [Capture("token", from: .header("X-Token"))]
            }
        )
        #expect(result.captured == [CapturedValue("token", "last")])
    }
}
