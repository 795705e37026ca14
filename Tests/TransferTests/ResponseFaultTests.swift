import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Faults of a server, and the engine's results.
@Suite struct ResponseFaultTests {
    private static let body = [UInt8](repeating: 65, count: 100_000)

    private func failure(_ reply: Reply) throws -> TransferFailure? {
        let server = try ScriptedServer(["/": [reply]])
        return try EngineHarness().run(
            .to(server.url("/")) { $0.requiresFreshConnection = true }
        ).failure
    }

    @Test(arguments: [0, 1, 99_999])
    func `a body that ends early is truncated`(count: Int) throws {
        let failure = try failure(.cut(Self.body, after: count, then: [.close]))
        #expect(failure?.kind == .truncated)
        #expect(failure?.isPermanent == false)
    }

    @Test func `a connection that is reset in the body is truncated or reset`() throws {
        let failure = try failure(.cut(Self.body, after: 50_000, then: [.reset]))
        #expect(failure?.kind == .truncated || failure?.kind == .reset)
    }

    @Test func `an errno belongs to the connection that met it`() throws {
        let server = try ScriptedServer([
            "/": [.cut(Self.body, after: 10, then: [.close])], "/fine": [.ok("x")],
        ])
        let harness = try EngineHarness()
        let closed = try ClosedPort()
        let refused = try harness.run(.to(closed.origin + "/"))
        #expect(refused.failure?.kind == .connect)
        #expect(refused.failure?.osErrno == 111)
        #expect(refused.transactions.last?.osErrno == 111)
        // On the same handle, but for its errno.
        let cut = try harness.run(.to(server.url("/")))
        #expect(cut.failure?.curlCode == 18)
        #expect(cut.failure?.osErrno == nil)
        #expect(cut.transactions.last?.osErrno == nil)
        let fine = try harness.run(.to(server.url("/fine")))
        #expect(fine.failure == nil)
        #expect(fine.transactions.last?.osErrno == nil)
    }

    @Test func `a reset connection tells its errno`() throws {
        let failure = try failure(.cut(Self.body, after: 0, then: [.reset]))
        if failure?.curlCode == 56 { #expect(failure?.osErrno == 104) }
    }

    @Test func `a connection that ends without a response fails with reset`() throws {
        #expect(try failure(.hangUp)?.kind == .reset)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
        "HTTP/1.1 206 Partial\r\nContent-Length: 5\r\nContent-Range: bytes 0-4/9\r\n\r\nhello",
        "HTTP/1.1 304 Not Modified\r\n\r\n",
        "HTTP/1.1 099 Odd\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nxyz\r\n",
    ])
    func `contradictory framing and unasked statuses are violations`(head: String) throws {
        #expect(try failure(.raw(head, then: [.close]))?.kind == .protocolViolation)
    }

    @Test func `a head without end is a violation, in bounded memory`() throws {
        let line = Array("X-Filler: \(String(repeating: "a", count: 1000))\r\n".utf8)
        let reply = Reply([
            .send(Array("HTTP/1.1 200 OK\r\n".utf8)), .sendRepeatedly(line, count: .max),
        ])
        let failure = try failure(reply)
        #expect(failure?.kind == .protocolViolation)
    }

    @Test(arguments: [
        ("Content-Length: 5\r\n\r\nquota", true), ("Content-Length: 90\r\n\r\nquota", false),
        ("Transfer-Encoding: chunked\r\n\r\n5\r\nquota\r\n0\r\n\r\n", true),
        ("Transfer-Encoding: chunked\r\n\r\n50\r\nquota", false), ("\r\nquota", false),
    ])
    func `the excerpt of a body that may be cut ends with an ellipsis`(rest: String, isWhole: Bool)
        throws
    {
        let head = "HTTP/1.1 403 No\r\nContent-Type: text/plain\r\n"
        let failure = try failure(.raw(head + rest, then: [.close]))
        #expect(failure?.help == "the server said: quota" + (isWhole ? "" : "…"))
    }

    @Test func `an endless refused body is given up`() throws {
        let reply = Reply([
            .send(
                Array(
                    "HTTP/1.1 404 Gone\r\nContent-Type: text/plain\r\n\r\nno such order\u{1B}[2J "
                        .utf8
                )
            ),
            .sendRepeatedly([UInt8](repeating: 65, count: 1000), count: .max),
        ])
        let failure = try failure(reply)
        #expect(failure?.kind == .httpStatus)
        #expect(failure?.httpStatus == 404)
        #expect(failure?.help?.hasPrefix("the server said: no such order[2J AAA") == true)
    }

    @Test func `informational responses are skipped`() throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        let server = try ScriptedServer(["/": [.raw(early + early + final)]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(result.response?.statusCode == 200)
        #expect(result.response?.fields["link"] == nil)
    }

    @Test func `a close-delimited body has no voucher`() throws {
        let server = try ScriptedServer([
            "/": [.raw("HTTP/1.1 200 OK\r\n\r\nhello", then: [.close])]
        ])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(result.voucher == BodyVoucher.none)
    }

    @Test func `chunk framing counts as received but not as delivered`() throws {
        let server = try ScriptedServer(["/": [.chunked([Array("hello".utf8), Array("you".utf8)])]])
        let result = try EngineHarness().run(.to(server.url("/")))
        let transaction = try #require(result.transactions.first)
        #expect(transaction.countOfResponseBodyBytesAfterDecoding == 8)
        #expect(transaction.countOfResponseBodyBytesReceived == 8 + 5 + 5 + 5)
        #expect(result.voucher == .length)
    }

    @Test(arguments: [
        "identity", "gzip", "gzip, chunked", "xchunked", "chunked;q=1", "chunked, gzip",
        "chunked\r\nTransfer-Encoding: gzip", "gzip\r\nTransfer-Encoding: chunked",
    ])
    func `an unsolicited transfer coding is a violation`(coding: String) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let failure = try failure(.raw(head + "5\r\nhello\r\n0\r\n\r\n", then: [.close]))
        #expect(failure?.kind == .protocolViolation)
    }

    @Test(arguments: [
        "chunked", "Chunked", " CHUNKED\t", ",chunked , ",
        "chunked\r\nTransfer-Encoding: chunked",
    ])
    func `chunks frame a body in any spelling of their field`(coding: String) throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n"
        let server = try ScriptedServer(["/": [.raw(head + "5\r\nhello\r\n0\r\n\r\n")]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(result.voucher == .length)
        #expect(result.transactions.last?.countOfResponseBodyBytesAfterDecoding == 5)
    }

    @Test func `an unexpected status is reported with the expected ones`() throws {
        let server = try ScriptedServer(["/": [.status(500)]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(
            result.checks == [
                .init(.clientError, passed: true),
                .init(.statusCode, passed: false, expected: "200-299", actual: "500"),
            ]
        )
    }

    @Test func `a MIME type is compared without parameters and case`() throws {
        let server = try ScriptedServer([
            "/": [.ok("{}", ["Content-Type: Application/JSON; charset=utf-8"])]
        ])
        let harness = try EngineHarness()
        let good = try harness.run(
            .to(server.url("/")) { $0.expectation.mimeTypes = ["application/json"] }
        )
        #expect(good.failure == nil)
        #expect(
            good.checks == [
                .init(.clientError, passed: true),
                .init(.statusCode, passed: true, expected: "200-299", actual: "200"),
                .init(
                    .mimeType,
                    passed: true,
                    expected: "application/json",
                    actual: "application/json"
                ),
            ]
        )
        let bad = try harness.run(.to(server.url("/")) { $0.expectation.mimeTypes = ["text/*"] })
        #expect(bad.failure?.kind == .mimeType)
        #expect(bad.failure?.urlError == nil)
        #expect(bad.checks.last?.actual == "application/json")
    }

    // RFC 9112 §7.1.1.
    @Test(arguments: ["200 OK", "302 Found\r\nLocation: /", "500 No"])
    func `a chunk extension without end is given up`(status: String) throws {
        let head = "HTTP/1.1 \(status)\r\nTransfer-Encoding: chunked\r\n\r\n5;x="
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(Array(head.utf8)),
                    .sendRepeatedly([UInt8](repeating: 97, count: 60_000), count: .max),
                ])
            ]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.expectation.maximumSize = 1 << 20 }
        )
        let isRefused = status.hasPrefix("500")
        #expect(result.failure?.kind == (isRefused ? .httpStatus : .protocolViolation))
        let received = try #require(result.transactions.last?.countOfResponseBodyBytesReceived)
        // libcurl asks whether to continue after 100 pieces of 512 KiB at the latest.
        #expect(received < 64 << 20)
    }

    @Test func `a body in chunks of one byte is whole under any size limit`() throws {
        let size = 100_000
        let chunks = Array("00000001;a=b\r\nx\r\n".utf8)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(Array(head.utf8)), .sendRepeatedly(chunks, count: size),
                    .send(Array("0\r\n\r\n".utf8)),
                ])
            ]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.expectation.maximumSize = Int64(size) }
        )
        #expect(result.failure == nil)
        #expect(result.countOfBytesReceived == Int64(size))
    }

    @Test func `chunk framing is no activity`() throws {
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;x="
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(Array(head.utf8)),
                    .drip([UInt8](repeating: 97, count: 10_000), every: .milliseconds(20)),
                ])
            ]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) {
                $0.timeoutInterval = TimeLimit(.timeoutInterval, .milliseconds(500))
            }
        )
        #expect(result.failure?.kind == .timeout)
    }

    @Test func `a refused response that is cut has no whole response`() throws {
        let server = try ScriptedServer([
            "/": [.raw("HTTP/1.1 500 No\r\nContent-Length: 100\r\n\r\nno", then: [.close])]
        ])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure?.httpStatus == 500)
        #expect(
            result.checks
                == [TaskRecord.Check(.clientError, passed: false, actual: "truncated")]
        )
    }
}
