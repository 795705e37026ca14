import TestSupport
import Testing
import Transfer
import TransferModel

/// Servers that answer and close before they have the whole body: libcurl then stops sending and
/// finds all well.
@Suite struct EarlyAnswerTests {
    /// Larger than the buffers of the sockets.
    private static let size = 16 << 20

    private let folder: TemporaryFolder
    private let server: ScriptedServer

    init() throws {
        folder = try TemporaryFolder()
        server = try ScriptedServer(
            [
                "/": [.ok("ok", ["Connection: close"]) + [.waitForPeerToLeave]],
                "/seen": [.status(303, ["Location: /", "Connection: close"])],
            ],
            maximumBodyRead: 0
        )
    }

    private func put(_ body: BodySource, to path: String = "/") throws -> AttemptResult {
        try EngineHarness().run(.to(server.url(path), method: "PUT", body: body))
    }

    private func shell(_ script: String) -> BodySource {
        .command(["sh", "-c", script], folder: folder.path)
    }

    private func file() throws -> String {
        try folder.write([UInt8](repeating: 7, count: Self.size), to: "body.bin")
    }

    private func expectCut(_ result: AttemptResult, _ comment: Comment? = nil) throws {
        let failure = try #require(result.failure, comment)
        #expect(failure.kind == .truncated, comment)
        #expect(failure.phase == .send)
        #expect(failure.detail.hasPrefix("the server answered before it received the whole body"))
        #expect(!failure.isKnownUnprocessed)
        #expect(result.response?.statusCode == 200)
        let transaction = try #require(result.transactions.first)
        #expect(transaction.requestEndDate == nil)
        let count = transaction.countOfRequestBodyBytesBeforeEncoding
        #expect(count <= transaction.countOfRequestBodyBytesSent, comment)
        #expect(count < Self.size, comment)
    }

    @Test func `an unsent body in memory does not count as sent`() throws {
        let bytes = [UInt8](repeating: 7, count: Self.size)
        try expectCut(put(.bytes(bytes)))
        try expectCut(put(.compressed(bytes, originalCount: 2 * Self.size)))
    }

    @Test func `an unsent file does not count as sent, alone or as a part`() throws {
        let path = try file()
        try expectCut(put(.file(path: path)))
        try expectCut(put(.multipart([BodyPart(name: "data", content: .file(path: path))])))
    }

    @Test(arguments: ["", "; exit 1"])
    func `unwritten output of a program does not count as sent`(end: String) throws {
        try expectCut(put(shell("head -c \(Self.size) /dev/zero\(end)")), "\(end)")
    }

    @Test func `a failed program fails the upload in spite of any response`() throws {
        let result = try put(shell("exit 1"))
        // Whichever is seen first.
        #expect([.truncated, .localIO].contains(result.failure?.kind))
        #expect(result.transactions.first?.requestEndDate == nil)
    }

    @Test func `unread bytes of a pipe do not count as sent, and are not repeated`()
        throws
    {
        #expect(try Command("mkfifo", [folder.path("rows")]).run().status == .exit(0))
        let script = "head -c \(Self.size) /dev/zero > rows"
        let writer = try Command("sh", ["-c", script], workingFolder: folder.path).start()
        let result = try put(.pipe(path: folder.path("rows")))
        try expectCut(result)
        #expect(result.failure?.isPermanent == true)
        // The writer may still wait for a reader of the pipe, which has none any more.
        withExtendedLifetime(writer) {}
    }

    @Test func `a redirect that drops the body fails before the whole body has left`() throws {
        let result = try put(.file(path: file()), to: "/seen")
        let failure = try #require(result.failure)
        #expect(failure.kind == .truncated)
        #expect(failure.detail.hasPrefix("the server answered before it received the whole body"))
        #expect(result.response?.statusCode == 303)
        #expect(result.transactions.count == 1)
        #expect(server.requests.isEmpty || server.requests.allSatisfy { $0.path == "/seen" })
    }

    // RFC 9110 §10.1.1.
    @Test(arguments: [true, false])
    func `a request whose own Expect is refused is sent again without it`(
        isRefusedTwice: Bool
    ) throws {
        let server = try ScriptedServer(maximumBodyRead: 0) { request in
            request.headers["expect"] != nil || isRefusedTwice ? .status(417) : .ok("in")
        }
        let result = try EngineHarness().run(
            .to(
                server.url("/"),
                method: "POST",
                headers: [HeaderField(name: "Expect", value: "100-Continue")],
                body: .bytes(Array("order".utf8))
            )
        )
        #expect(result.transactions.map(\.reason) == [.initial, .transparentRetry])
        #expect(server.requests.map { $0.headers["expect"] } == ["100-Continue", nil])
        #expect(result.failure?.httpStatus == (isRefusedTwice ? 417 : nil))
    }

    @Test
    func `a sent body is not resent after a late 417 if repeats are forbidden`()
        throws
    {
        // The body arrives, because libcurl waits for a second only.
        let server = try ScriptedServer { _ in .status(417) }
        var request = try AttemptRequest.to(
            server.url("/"),
            method: "POST",
            headers: [HeaderField(name: "Expect", value: "100-Continue")],
            body: .bytes(Array("order".utf8))
        )
        request.resending = .none
        let result = try EngineHarness().run(request)
        #expect(result.failure?.httpStatus == 417)
        #expect(server.requests.map { String(decoding: $0.body, as: UTF8.self) } == ["order"])
    }
}
