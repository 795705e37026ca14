import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Compares the dates of records with the events that the server and the test saw.
@Suite struct ExchangeDateTests {
    private var now: MonotonicTime {
        MonotonicTime(nanoseconds: Clock.monotonicNanoseconds())
    }

    // Fixture 2 of the measured ones: libcurl's own time of the first byte is that of the upload.
    @Test func `a slow response begins with its first byte, not with the upload's end`() throws {
        let (received, answer) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/": [Reply([.open(received), .wait(answer)]) + Reply.status(201).steps]
        ])
        let harness = try EngineHarness()
        let body = BodySource.bytes([UInt8](repeating: 65, count: 300_000))
        harness.engine.start([try .to(server.url("/"), method: "PUT", body: body)])
        try received.wait()
        // The server has the whole request and has said nothing.
        let between = harness.clock.timestamp(of: now)
        answer.open()
        let exchange = try #require(try harness.results(1).first?.transactions.first)
        // The server may have the last bytes before the client has noted that they left.
        let start = try #require(exchange.responseStartDate)
        #expect(start >= between)
        #expect(try #require(exchange.requestEndDate) <= start)
    }

    @Test func `an informational response does not begin the response`() throws {
        let (informed, answer) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/": [
                Reply.raw(
                    "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n",
                    then: [.open(informed), .wait(answer)] + Reply.ok("x").steps
                )
            ]
        ])
        let harness = try EngineHarness()
        harness.engine.start([try .to(server.url("/"))])
        try informed.wait()
        let between = harness.clock.timestamp(of: now)
        answer.open()
        let exchange = try #require(try harness.results(1).first?.transactions.first)
        #expect(try #require(exchange.responseStartDate) >= between)
        #expect(exchange.informationalResponses.map(\.statusCode) == [103])
        #expect(exchange.informationalResponses.first?.fields["link"] == "</a.css>")
    }

    // Fixture 7 of the measured ones.
    @Test func `waiting for a connection of the host is not connecting`() throws {
        let (reached, answer) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/first": [Reply([.open(reached), .wait(answer)]) + Reply.ok("x").steps],
            "/second": [.ok("y")],
        ])
        let harness = try EngineHarness { $0.httpMaximumConnectionsPerHost = 1 }
        harness.engine.start([try .to(server.url("/first"), key: 0)])
        try reached.wait()
        harness.engine.start([try .to(server.url("/second"), key: 1)])
        let between = harness.clock.timestamp(of: now)
        answer.open()
        let results = try harness.results(2)
        let first = try #require(results.first?.transactions.first)
        let second = try #require(results.last?.transactions.first)
        #expect(try #require(second.requestStartDate) >= between)
        #expect(try #require(second.requestStartDate) >= (try #require(first.responseEndDate)))
        #expect(second.isReusedConnection)
        #expect(second.connectionIdentifier == first.connectionIdentifier)
    }

    @Test func `a response ends with its last byte`() throws {
        let (almost, last) = (try Gate(), try Gate())
        let server = try ScriptedServer([
            "/": [Reply.cut([1, 2, 3], after: 2, then: [.open(almost), .wait(last), .send([3])])]
        ])
        let harness = try EngineHarness()
        harness.engine.start([try .to(server.url("/"))])
        try almost.wait()
        let between = harness.clock.timestamp(of: now)
        last.open()
        let exchange = try #require(try harness.results(1).first?.transactions.first)
        #expect(try #require(exchange.responseEndDate) >= between)
    }

    @Test func `a name in libcurl's cache is recorded with a short lookup`() throws {
        let server = try ScriptedServer(["/": [.ok("")]])
        let harness = try EngineHarness()
        let url = "http://localhost:\(server.port)/"
        let attempts = try (0..<2).map { key in
            try AttemptRequest.to(url, key: key) { $0.requiresFreshConnection = true }
        }
        let exchanges = try attempts.flatMap { try harness.run($0).transactions }
        #expect(exchanges.map(\.isReusedConnection) == [false, false])
        for exchange in exchanges {
            let start = try #require(exchange.domainLookupStartDate)
            let end = try #require(exchange.domainLookupEndDate)
            let connect = try #require(exchange.connectStartDate)
            #expect(exchange.fetchStartDate <= start && start <= end && end <= connect)
        }
        let byAddress = try harness.run(.to(server.url("/"))).transactions
        #expect(byAddress.map(\.domainLookupStartDate) == [nil])
    }
}
