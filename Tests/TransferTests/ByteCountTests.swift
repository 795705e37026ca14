import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Compares the byte counts of records with the bytes on the connections.
@Suite struct ByteCountTests {
    private static let text = Array(String(repeating: "a line of some text\n", count: 5000).utf8)

    /// Runs attempts one after the other through a relay, which keeps the bytes.
    private func run(
        _ script: ScriptedServer.Script,
        _ attempts: (_ origin: String) throws -> [AttemptRequest]
    ) throws -> (results: [AttemptResult], passages: [RecordingRelay.Passage]) {
        let server = try ScriptedServer(script)
        let relay = try RecordingRelay(to: server.port)
        let harness = try EngineHarness()
        let results = try attempts(relay.origin).map { try harness.run($0) }
        return (results, relay.passages)
    }

    /// Holds the records of each connection against all that went through it, in both directions.
    private func expectEqual(
        _ results: [AttemptResult],
        _ passages: [RecordingRelay.Passage],
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) {
        let exchanges = results.flatMap(\.transactions)
        let connections = Set(exchanges.compactMap(\.connectionIdentifier)).sorted()
        #expect(connections.count == passages.count, sourceLocation: sourceLocation)
        for (connection, passage) in zip(connections, passages) {
            let own = exchanges.filter { $0.connectionIdentifier == connection }
            let sent = own.reduce(0) {
                $0 + $1.countOfRequestHeaderBytesSent + $1.countOfRequestBodyBytesSent
            }
            let received = own.reduce(0) {
                $0 + $1.countOfResponseHeaderBytesReceived
                    + $1.countOfResponseBodyBytesReceived + $1.countOfInformationalBytesReceived
            }
            #expect(sent == passage.sent.count, sourceLocation: sourceLocation)
            #expect(received == passage.received.count, sourceLocation: sourceLocation)
        }
    }

    /// The bytes up to the first empty line, which is a part of them.
    private func head(of bytes: [UInt8]) throws -> Int64 {
        Int64(try #require(bytes.firstRange(of: [13, 10, 13, 10])).upperBound)
    }

    private func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "plain")
        #expect(try Command("gzip", ["-9", path]).run().status == .exit(0))
        return try folder.read("plain.gz")
    }

    @Test(
        arguments: [
            .ok(text), .ok(""), .chunked([text, Array("end".utf8)]), .status(204), .status(404),
            .raw("HTTP/1.1 200 OK\r\n\r\nuntil the end", then: [.close]),
            .raw("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"),
            .raw("HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\nok"),
            .raw(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3;name=value\r\nabc\r\n0\r\nX-Trailer: of some length\r\nX-More: b\r\n\r\n"
            ),
        ] as [Reply]
    )
    func `a response is counted in bytes on the wire`(reply: Reply) throws {
        let (results, passages) = try run(["/": [reply]]) { [try .to($0 + "/")] }
        expectEqual(results, passages)
        let exchange = try #require(results.first?.transactions.first)
        let received = try #require(passages.first?.received)
        if let end = received.firstRange(of: [13, 10, 13, 10])?.upperBound {
            #expect(exchange.countOfResponseHeaderBytesReceived == Int64(end))
        }
    }

    @Test func `informational responses are counted apart`() throws {
        let early = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
        let processing = "HTTP/1.1 102 Processing\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n"
        let reply = Reply.raw(early + processing + final + "ok")
        let (results, passages) = try run(["/": [reply]]) { [try .to($0 + "/")] }
        expectEqual(results, passages)
        let exchange = try #require(results.first?.transactions.first)
        #expect(exchange.informationalResponses.map(\.statusCode) == [103, 102])
        let count = Int64(early.utf8.count + processing.utf8.count)
        #expect(exchange.countOfInformationalBytesReceived == count)
        #expect(exchange.countOfResponseHeaderBytesReceived == Int64(final.utf8.count))
        let dates = exchange.informationalResponses.map(\.date)
        #expect(dates == dates.sorted())
        #expect(try #require(dates.last) <= (try #require(exchange.responseStartDate)))
    }

    // Fixture 5 of the measured ones: a coded body in chunks has three sizes.
    @Test func `a coded body in chunks has three sizes`() throws {
        let coded = try gzip(Self.text)
        let reply = Reply.chunked(
            [Array(coded.prefix(20)), Array(coded.dropFirst(20))],
            ["Content-Encoding: gzip"]
        )
        let (results, passages) = try run(["/": [reply]]) { origin in
            [try .to(origin + "/") { $0.decodesBody = true }]
        }
        expectEqual(results, passages)
        let exchange = try #require(results.first?.transactions.first)
        let received = try #require(passages.first?.received)
        let wire = Int64(received.count) - (try head(of: received))
        #expect(exchange.countOfResponseBodyBytesReceived == wire)
        #expect(exchange.countOfResponseBodyBytesAfterDecoding == Int64(Self.text.count))
        #expect(results.first?.countOfBytesReceived == Int64(coded.count))
        #expect(wire > Int64(coded.count))
    }

    @Test func `redirects on one connection each have their own counts`() throws {
        let script: ScriptedServer.Script = [
            "/a": [.redirect(to: "/b")], "/b": [.status(307, ["Location: /c"], text: "moved")],
            "/c": [.ok(Self.text)],
        ]
        let (results, passages) = try run(script) { [try .to($0 + "/a"), try .to($0 + "/c")] }
        expectEqual(results, passages)
        #expect(passages.count == 1)
        let exchanges = results.flatMap(\.transactions)
        #expect(exchanges.map(\.countOfResponseBodyBytesReceived) == [0, 5, 100_000, 100_000])
        #expect(exchanges.map(\.isReusedConnection) == [false, true, true, true])
        #expect(
            exchanges[2].countOfRequestHeaderBytesSent == exchanges[3].countOfRequestHeaderBytesSent
        )
    }

    @Test func `request bodies are counted with their framing`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write(Self.text, to: "body")
        let bodies: [BodySource] = [
            .bytes(Self.text), .bytes([]), .file(path: path),
            .compressed(Array("coded".utf8), originalCount: 100),
            .command(["sh", "-c", "cat body; printf end"], folder: folder.path),
            .multipart([BodyPart(name: "part", content: .file(path: path))]),
        ]
        let (results, passages) = try run(["/": [.status(201)]]) { origin in
            try bodies.map { try .to(origin + "/", method: "PUT", body: $0) }
        }
        expectEqual(results, passages)
        let counts = results.flatMap(\.transactions).map(\.countOfRequestBodyBytesBeforeEncoding)
        #expect(Array(counts.prefix(5)) == [100_000, 0, 100_000, 100, 100_003])
    }

    @Test func `a task counts its body's bytes without chunks, as often as they leave`() throws {
        let folder = try TemporaryFolder()
        let script: ScriptedServer.Script = [
            "/": [.ok("")], "/away": [.redirect(307, to: "/")],
            "/get": [.redirect(303, to: "/")],
        ]
        let stream = BodySource.command(["printf", "hello"], folder: folder.path)
        let bytes = BodySource.bytes(Array("hello".utf8))
        let (results, _) = try run(script) { origin in
            try [("/", stream), ("/", bytes), ("/away", stream), ("/away", bytes), ("/get", bytes)]
                .map { try .to(origin + $0.0, method: "PUT", body: $0.1) }
        }
        #expect(results.map(\.failure) == [nil, nil, nil, nil, nil])
        #expect(results.map(\.countOfBytesSent) == [5, 5, 10, 10, 5])
    }

    @Test func `a request that waits for a 100 is counted whole`() throws {
        let nginx = try Nginx()
        let relay = try RecordingRelay(to: nginx.port)
        let result = try EngineHarness().run(
            .to(
                relay.origin + "/orders",
                method: "PUT",
                headers: [HeaderField(name: "Expect", value: "100-continue")],
                body: .bytes(Self.text)
            )
        )
        expectEqual([result], relay.passages)
        let exchange = try #require(result.transactions.first)
        #expect(exchange.informationalResponses.map(\.statusCode) == [100])
        #expect(exchange.countOfInformationalBytesReceived == 25)
        let sent = try #require(relay.passages.first?.sent)
        #expect(exchange.countOfRequestHeaderBytesSent == (try head(of: sent)))
    }

    @Test func `a request that libcurl repeats has counts of its own`() throws {
        let script: ScriptedServer.Script = ["/": [.ok("x"), .hangUp, .ok("y")]]
        let (results, passages) = try run(script) { [try .to($0 + "/"), try .to($0 + "/")] }
        expectEqual(results, passages)
        #expect(passages.count == 2)
        let exchanges = try #require(results.last?.transactions)
        #expect(exchanges.map(\.reason) == [.initial, .transparentRetry])
        #expect(exchanges.map(\.isReusedConnection) == [true, false])
        #expect(exchanges.map { $0.countOfResponseHeaderBytesReceived > 0 } == [false, true])
    }

    // Fixture 3 of the measured ones.
    @Test func `a redirect, a Digest challenge and a dead connection have counts of their own`()
        throws
    {
        let server = try ScriptedServer { request in
            switch request.path {
            case "/a": .status(302, ["Location: /b"], text: "moved")
            case "/b" where request.headers["authorization"] == nil:
                .status(
                    401,
                    ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\", qop=\"auth\""],
                    text: "who are you?"
                )
            case "/c" where request.earlierRequestsForPath == 0: .hangUp
            default: .ok(Self.text)
            }
        }
        let relay = try RecordingRelay(to: server.port)
        let space = ProtectionSpace(scope: .origin(try TransferURL(relay.origin).origin))
        let login = Login(user: "me", password: Secret("open sesame"))
        let harness = try EngineHarness {
            $0.credentials = [Credential(space: space, proof: .digest(login))]
        }
        let results = [
            try harness.run(.to(relay.origin + "/a")), try harness.run(.to(relay.origin + "/c")),
        ]
        expectEqual(results, relay.passages)
        let exchanges = results.flatMap(\.transactions)
        #expect(
            exchanges.map(\.reason) == [
                .initial, .redirect, .authentication, .initial, .transparentRetry,
            ]
        )
        #expect(exchanges.map(\.isReusedConnection) == [false, true, true, true, false])
        #expect(exchanges.map(\.countOfResponseBodyBytesReceived) == [5, 12, 100_000, 0, 100_000])
        // Heads are all that was sent, one behind the other.
        let heads = relay.passages.flatMap { passage in
            let ends = [0] + passage.sent.ranges(of: [13, 10, 13, 10]).map(\.upperBound)
            return zip(ends, ends.dropFirst()).map { Int64($1 - $0) }
        }
        #expect(exchanges.map(\.countOfRequestHeaderBytesSent) == heads)
    }

    @Test(arguments: ["1.2", "1.3"])
    func `over TLS the plain text is counted`(version: String) throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            locations: """
                ssl_protocols TLSv\(version);
                location = /moved { return 302 /file.txt; }
                """
        )
        try nginx.root.write(Self.text, to: "file.txt")
        let origin = try #require(nginx.secureOrigin)
        let harness = try EngineHarness { $0.tls.caFile = certificates.authorityFile }
        let results = [
            try harness.run(.to(origin + "/moved")),
            try harness.run(.to(origin + "/orders", method: "POST", body: .bytes(Self.text))),
        ]
        let logged = try nginx.requests()
        let exchanges = results.flatMap(\.transactions)
        #expect(exchanges.map { $0.response?.statusCode } == [302, 200, 201])
        let sent = exchanges.map {
            $0.countOfRequestHeaderBytesSent + $0.countOfRequestBodyBytesSent
        }
        let received = exchanges.map {
            $0.countOfResponseHeaderBytesReceived + $0.countOfResponseBodyBytesReceived
        }
        #expect(sent == logged.map { Int64($0.byteCount) })
        #expect(received == logged.map { Int64($0.responseByteCount) })
    }
}
