import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

@Suite struct EngineTests {
    /// What an engine holds for as long as it exists.
    private final class Token: Sendable {}

    @Test func `an engine that has stopped keeps nothing`() throws {
        weak var weakToken: Token?
        do {
            let token = Token()
            weakToken = token
            let server = try ScriptedServer(["/": [.ok("hello")]])
            let harness = try EngineHarness(mayName: { _ in withExtendedLifetime(token) { true } })
            #expect(try harness.run(.to(server.url("/"))).failure == nil)
        }
        #expect(weakToken == nil)
    }

    @Test func `a response is judged, counted and timed`() throws {
        let server = try ScriptedServer(["/": [.ok("hello", ["Content-Type: text/plain"])]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(result.response?.statusCode == 200)
        #expect(result.countOfBytesReceived == 5)
        #expect(result.voucher == .length)
        let transaction = try #require(result.transactions.first)
        #expect(result.transactions.count == 1)
        #expect(transaction.reason == .initial)
        #expect(transaction.remoteEndpoint?.port == Int(server.port))
        #expect(transaction.networkProtocolName == "http/1.1")
        #expect(!transaction.isReusedConnection)
        // An address needs no lookup, plain http no handshake.
        #expect(transaction.domainLookupStartDate == nil)
        #expect(transaction.secureConnectionStartDate == nil)
        let dates = [
            transaction.fetchStartDate, transaction.connectStartDate, transaction.connectEndDate,
            transaction.requestStartDate, transaction.requestEndDate,
            transaction.responseStartDate, transaction.responseEndDate,
        ].compactMap(\.self)
        #expect(dates.count == 7)
        #expect(dates == dates.sorted())
        let request = try #require(server.requests.first)
        #expect(transaction.request.headers["Host"] == "127.0.0.1:\(server.port)")
        #expect(transaction.request.headers["Accept-Encoding"] == "identity")
        #expect(transaction.request.headers["User-Agent"] == RunnerVersion.userAgent)
        #expect(request.body.isEmpty)
    }

    @Test func `a name that is resolved has lookup dates`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let result = try EngineHarness().run(.to("http://localhost:\(server.port)/"))
        let transaction = try #require(result.transactions.first)
        let start = try #require(transaction.domainLookupStartDate)
        let end = try #require(transaction.domainLookupEndDate)
        let connect = try #require(transaction.connectStartDate)
        #expect(start <= end)
        #expect(end <= connect)
    }

    @Test func `a second request reuses the connection`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try EngineHarness()
        let first = try harness.run(.to(server.url("/")))
        let second = try harness.run(.to(server.url("/")))
        let one = try #require(first.transactions.first)
        let two = try #require(second.transactions.first)
        #expect(two.isReusedConnection)
        #expect(two.connectStartDate == nil)
        #expect(two.connectEndDate == nil)
        #expect(one.connectionIdentifier == two.connectionIdentifier)
        #expect(server.requests.map(\.connection) == [1, 1])
    }

    @Test func `a fresh connection is opened on request`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        let second = try harness.run(.to(server.url("/")) { $0.requiresFreshConnection = true })
        #expect(second.transactions.first?.isReusedConnection == false)
        #expect(server.requests.map(\.connection) == [1, 2])
    }

    @Test func `an order on a connection that dies is sent once`() throws {
        let server = try ScriptedServer(["/warm": [.ok("x")], "/orders": [.hangUp]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/warm")))
        let order = try AttemptRequest.to(
            server.url("/orders"),
            method: "POST",
            body: .bytes(Array("{}".utf8))
        ) { $0.requiresFreshConnection = true }
        let result = try harness.run(order)
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.isKnownUnprocessed == false)
        #expect(server.requests(for: "/orders").count == 1)
    }

    @Test func `a request that libcurl repeats by itself has a record for each sending`() throws {
        // The server closes the kept connection after the second request; the third request is
        // libcurl's repetition.
        let server = try ScriptedServer(["/": [.ok("x"), .hangUp, .ok("y")]])
        let harness = try EngineHarness()
        _ = try harness.run(.to(server.url("/")))
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure == nil)
        #expect(result.transactions.map(\.reason) == [.initial, .transparentRetry])
        #expect(result.transactions.first?.response == nil)
        #expect(result.transactions.first?.responseEndDate == nil)
        #expect(result.transactions.last?.isReusedConnection == false)
    }

    @Test func `a request leaves no trace on a reused handle`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try EngineHarness()
        let requests: [(method: String, body: String?)] = [
            ("POST", "a long body"), ("GET", nil), ("PUT", "short"), ("POST", nil), ("GET", nil),
            ("POST", "new"), ("DELETE", nil), ("PATCH", "x"), ("PATCH", "yz"),
        ]
        for (method, text) in requests {
            let body = text.map { BodySource.bytes(Array($0.utf8)) }
            let result = try harness.run(.to(server.url("/"), method: method, body: body))
            #expect(result.failure == nil, "\(method)")
            let exchange = try #require(result.transactions.first)
            #expect(exchange.countOfRequestBodyBytesSent == Int64(text?.utf8.count ?? 0))
            #expect(exchange.countOfResponseBodyBytesReceived == 1)
        }
        #expect(server.requests.map(\.method) == requests.map { $0.method })
        #expect(server.requests.map(\.text) == requests.map { $0.body ?? "" })
        let lengths = server.requests.map { $0.headers["content-length"] ?? "none" }
        #expect(lengths == ["11", "none", "5", "0", "none", "3", "none", "1", "2"])
    }

    @Test(arguments: ["text", nil])
    func `a file is sent whole again after a body in memory on its connection`(
        body: String?
    ) throws {
        // The server closes the kept connection after the second request; the third request is
        // libcurl's repetition.
        let server = try ScriptedServer(["/": [.ok("x"), .hangUp, .ok("y")]])
        let harness = try EngineHarness()
        let folder = try TemporaryFolder()
        let content = String(repeating: "file", count: 1000)
        try folder.write(content, to: "file")
        let bytes = body.map { BodySource.bytes(Array($0.utf8)) }
        _ = try harness.run(.to(server.url("/"), method: "POST", body: bytes))
        let file = BodySource.file(path: folder.path("file"))
        let result = try harness.run(.to(server.url("/"), method: "PUT", body: file))
        #expect(result.failure == nil)
        #expect(server.requests.map(\.text) == [body ?? "", content, content])
    }

    @Test func `a body in memory is sent whole`() throws {
        let server = try ScriptedServer(["/orders": [.status(201)]])
        let body = Array(#"{"id":1}"#.utf8)
        let result = try EngineHarness().run(
            .to(
                server.url("/orders"),
                method: "POST",
                headers: [HeaderField(name: "Content-Type", value: "application/json")],
                body: .bytes(body)
            )
        )
        #expect(result.failure == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.body == body)
        #expect(request.headers["expect"] == nil)
        #expect(request.headers["content-type"] == "application/json")
        let transaction = try #require(result.transactions.first)
        #expect(transaction.countOfRequestBodyBytesSent == Int64(body.count))
        #expect(transaction.countOfRequestBodyBytesBeforeEncoding == Int64(body.count))
        #expect(result.countOfBytesExpectedToSend == Int64(body.count))
    }

    @Test func `a compressed body is counted before and after`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let result = try EngineHarness().run(
            .to(
                server.url("/"),
                method: "POST",
                body: .compressed([1, 2, 3], originalCount: 1000)
            )
        )
        #expect(result.failure == nil)
        #expect(server.requests.first?.body == [1, 2, 3])
        #expect(server.requests.first?.headers["content-length"] == "3")
        let transaction = try #require(result.transactions.first)
        #expect(transaction.countOfRequestBodyBytesSent == 3)
        #expect(transaction.countOfRequestBodyBytesBeforeEncoding == 1000)
        #expect(result.countOfBytesExpectedToSend == 3)
    }

    @Test func `a multipart body has a known length and the boundary that its type says`() throws {
        let folder = try TemporaryFolder()
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 5) }
        let path = try folder.write(content, to: "body.bin")
        let server = try ScriptedServer(["/a": [.redirect(307, to: "/b")], "/b": [.ok("")]])
        let parts = [
            BodyPart(name: "note", content: .bytes(Array("hello".utf8))),
            BodyPart(name: "data", fileName: "body.bin", content: .file(path: path)),
        ]
        let result = try EngineHarness().run(
            .to(server.url("/a"), method: "POST", body: .multipart(parts))
        )
        #expect(result.failure == nil)
        #expect(server.requests.count == 2)
        let request = try #require(server.requests.last)
        let type = try #require(request.headers["content-type"])
        let boundary = type.replacing("multipart/form-data; boundary=", with: "")
        let disposition = "\r\nContent-Disposition: form-data; name="
        let head =
            "--\(boundary)\(disposition)\"note\"\r\n\r\nhello\r\n"
            + "--\(boundary)\(disposition)\"data\"; filename=\"body.bin\"\r\n\r\n"
        let expected = Array(head.utf8) + content + Array("\r\n--\(boundary)--\r\n".utf8)
        #expect(request.body == expected)
        #expect(server.requests.first?.body == expected)
        #expect(request.headers["content-length"] == "\(expected.count)")
        #expect(result.countOfBytesExpectedToSend == Int64(expected.count))
        // It has left twice.
        #expect(result.countOfBytesSent == 2 * Int64(expected.count))
    }

    @Test(arguments: ["POST", "PUT", "PATCH"])
    func `a file is sent whole by each method`(method: String) throws {
        let folder = try TemporaryFolder()
        let body = [UInt8]((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try folder.write(body, to: "body.bin")
        let server = try ScriptedServer(["/up": [.status(200)]])
        let result = try EngineHarness().run(
            .to(server.url("/up"), method: method, body: .file(path: folder.path("body.bin")))
        )
        #expect(result.failure == nil)
        let request = try #require(server.requests.first)
        #expect(request.method == method)
        #expect(request.body == body)
        #expect(request.headers["expect"] == nil)
    }

    @Test func `a missing body file fails before any request`() throws {
        let server = try ScriptedServer(["/up": [.status(200)]])
        let result = try EngineHarness().run(
            .to(server.url("/up"), method: "PUT", body: .file(path: "/nowhere/body.bin"))
        )
        #expect(result.failure?.kind == .localIO)
        #expect(result.failure?.osErrno == 2)
        #expect(server.requests.isEmpty)
    }

    @Test func `a file that changes while it is sent is a failure`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 65, count: 100_000), to: "body.bin")
        let (reached, changed) = (try Gate(), try Gate())
        let server = try ScriptedServer(
            ["/": [Reply([.open(reached), .wait(changed)]) + Reply.status(200).steps]])
        let harness = try EngineHarness()
        harness.engine.start([try .to(server.url("/"), method: "PUT", body: .file(path: path))])
        try reached.wait()
        try folder.write([UInt8](repeating: 66, count: 100_001), to: "body.bin")
        changed.open()
        let result = try #require(try harness.results(1).first)
        #expect(result.failure?.kind == .localIO)
        #expect(server.requests.first?.body.count == 100_000)
    }

    @Test func `a request that did not leave whole has no end`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write([UInt8](repeating: 65, count: 30_000_000), to: "body.bin")
        let server = try ScriptedServer(["/": [.status(413) + [.close]]], maximumBodyRead: 10)
        let result = try EngineHarness().run(
            .to(server.url("/"), method: "PUT", body: .file(path: path))
        )
        #expect(result.failure != nil)
        #expect(result.transactions.first?.requestStartDate != nil)
        #expect(result.transactions.first?.requestEndDate == nil)
    }

    @Test func `an unanswered request has an end, too`() throws {
        let server = try ScriptedServer(["/": [.hangUp]])
        let result = try EngineHarness().run(.to(server.url("/")))
        #expect(result.transactions.last?.requestEndDate != nil)
        #expect(result.transactions.last?.responseStartDate == nil)
    }

    @Test func `a handshake that fails leaves what was done before it`() throws {
        let nginx = try Nginx(certificate: TestCertificates.shared().server)
        let origin = try #require(nginx.secureOrigin)
            .replacing("127.0.0.1", with: "localhost")
        let result = try EngineHarness().run(.to(origin + "/"))
        #expect(result.failure?.kind == .tls)
        #expect(result.failure?.isPermanent == true)
        let transaction = try #require(result.transactions.first)
        #expect(transaction.domainLookupEndDate != nil)
        #expect(transaction.secureConnectionStartDate != nil)
        #expect(transaction.secureConnectionEndDate == nil)
        #expect(transaction.connectEndDate == nil)
        #expect(transaction.remoteEndpoint != nil)
    }

    // RFC 9112 §3.2.1.
    @Test func `requests on one handle have their own servers and targets`() throws {
        let servers = try (0..<2).map { _ in try ScriptedServer { _ in .ok("x") } }
        let targets = [
            ("/a?b=c", "/a?b=c"), ("/a?", "/a?"), ("", "/"), ("/d%2fE#f?g", "/d%2fE"),
            ("?q", "/?q"), ("/a/../h", "/h"), ("/a?b=c", "/a?b=c"),
        ]
        let harness = try EngineHarness()
        for (text, _) in targets {
            for server in servers {
                #expect(try harness.run(.to(server.origin + text)).failure == nil)
            }
        }
        for server in servers { #expect(server.requests.map(\.target) == targets.map(\.1)) }
    }

    @Test func `methods follow each other on one handle without traces`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let harness = try EngineHarness()
        let bodies: [String: BodySource] = ["POST": .bytes([1]), "PUT": .bytes([2])]
        for method in ["GET", "POST", "HEAD", "GET", "PUT", "DELETE", "GET"] {
            _ = try? harness.run(.to(server.url("/"), method: method, body: bodies[method]))
        }
        #expect(
            server.requests.map(\.method) == [
                "GET", "POST", "HEAD", "GET", "PUT", "DELETE", "GET",
            ]
        )
        #expect(server.requests.map(\.body) == [[], [1], [], [], [2], [], []])
        #expect(server.requests.last?.headers["content-length"] == nil)
    }

    @Test func `a refused connection is a failure of kind connect with its errno`() throws {
        let port = try ClosedPort()
        let result = try EngineHarness().run(.to(port.origin + "/"))
        #expect(result.failure?.kind == .connect)
        #expect(result.failure?.osErrno == 111)
        #expect(result.failure?.isKnownUnprocessed == true)
        #expect(result.failure?.urlError?.name == "cannotConnectToHost")
        let transaction = try #require(result.transactions.first)
        #expect(transaction.connectStartDate != nil)
        #expect(transaction.connectEndDate == nil)
        #expect(transaction.requestStartDate == nil)
        #expect(transaction.response == nil)
    }

    @Test func `an unanswered connection ends at connectTimeout`() throws {
        let port = try UnansweredPort()
        let harness = try EngineHarness { $0.connectTimeout = .milliseconds(200) }
        let result = try harness.run(.to(port.origin + "/"))
        #expect(result.failure?.kind == .timeout)
        #expect(result.failure?.phase == .connect)
        #expect(result.failure?.isKnownUnprocessed == true)
    }

    @Test func `silence is ended by the idle time`() throws {
        let server = try ScriptedServer(["/": [Reply([.waitForPeerToLeave])]])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(1)) }
        )
        #expect(result.failure?.kind == .timeout)
        #expect(result.failure?.phase == .wait)
    }

    /// Both take longer than the idle time, as a whole.
    @Test(arguments: [30, 45])
    func `a trickle does not trip the idle time`(whole: Int) throws {
        let head = Reply.head(200, ["Content-Length: 30"])
        let reply = head + [UInt8](repeating: 65, count: 30)
        let server = try ScriptedServer([
            "/": [
                Reply([
                    .send(Array(reply.prefix(whole))),
                    .drip(Array(reply.dropFirst(whole)), every: .milliseconds(100)),
                ])
            ]
        ])
        let result = try EngineHarness().run(
            .to(server.url("/")) { $0.timeoutInterval = TimeLimit(.timeoutInterval, .seconds(2)) }
        )
        #expect(result.failure == nil)
        #expect(result.countOfBytesReceived == 30)
        let request = try #require(result.transactions.first?.requestEndDate)
        let end = try #require(result.transactions.first?.responseEndDate)
        #expect(end.microseconds(since: request) > 2_000_000)
    }

    @Test func `the connect time covers TLS`() throws {
        // Accepts, and says nothing to a ClientHello.
        let server = try ScriptedServer([:])
        let harness = try EngineHarness { $0.connectTimeout = .seconds(2) }
        let result = try harness.run(.to("https://127.0.0.1:\(server.port)/"))
        #expect(result.failure?.kind == .timeout)
        #expect(result.failure?.phase == .tls)
        #expect(result.failure?.isKnownUnprocessed == true)
        #expect(result.transactions.first?.secureConnectionStartDate != nil)
        #expect(result.transactions.first?.secureConnectionEndDate == nil)
    }

    @Test func `a trickle below the minimum rate is stalled`() throws {
        let drip = Reply.head(200, ["Content-Length: 1000"])
        let body = [UInt8](repeating: 65, count: 1000)
        let server = try ScriptedServer(
            ["/": [Reply([.send(drip), .drip(body, every: .milliseconds(20))])]])
        let harness = try EngineHarness {
            $0.minimumRate = MinimumRate(bytesPerSecond: 100_000, over: .milliseconds(400))
        }
        let result = try harness.run(.to(server.url("/")))
        #expect(result.failure?.kind == .stalled)
    }

    @Test func `a deadline ends all running work`() throws {
        let server = try ScriptedServer(["/": [Reply([.waitForPeerToLeave])]])
        let deadline = MonotonicTime(nanoseconds: Clock.monotonicNanoseconds() + 100_000_000)
        let result = try EngineHarness().run(.to(server.url("/")) { $0.deadline = deadline })
        #expect(result.failure?.kind == .timeout)
    }

    @Test func `a cancelled attempt finishes once, as cancelled`() throws {
        let reached = try Gate()
        let server = try ScriptedServer(
            ["/": [Reply([.open(reached), .waitForPeerToLeave])]])
        let harness = try EngineHarness()
        harness.engine.start([try .to(server.url("/"), key: 7)])
        try reached.wait()
        harness.engine.cancel([7, 8])
        let result = try #require(try harness.results(1).first)
        #expect(result.key == 7)
        #expect(result.failure?.kind == .cancelled)
    }

    @Test func `many attempts at once all finish`() throws {
        let server = try ScriptedServer(["/": [.ok("x")]])
        let attempts = try (0..<100).map { try AttemptRequest.to(server.url("/"), key: $0) }
        let results = try EngineHarness().run(attempts)
        #expect(results.map(\.key) == Array(0..<100))
        #expect(results.allSatisfy { $0.failure == nil })
    }
}
