import HTTPCache
import SystemKit
import Testing
import TransferModel

@testable import Transfer

/// What the cache decides about an exchange, without a server, a thread or a file.
@Suite struct CachedExchangeDecisionTests {
    /// Keeps nothing.
    private final class EmptyStore: CacheStore {
        let changes = OriginChanges()
        var largestBody: Int64 { 1 << 20 }
        var largestInMemory: Int { 1 << 20 }
        var fault: String? { nil }
        var isEmpty: Bool { true }
        func find(_ key: CacheKey) -> [StoredResponse] { [] }
        func open(_ body: StoredResponse.Body) -> StoredBody? { nil }
        func makeFile(
            for response: StoredResponse,
            _ key: CacheKey
        ) -> (file: OutputFile, name: String)? { nil }
        func didFail(_ error: SystemError) {}
        func add(
            _ response: StoredResponse,
            _ content: ReceivedBody,
            for key: CacheKey,
            of originTime: Timestamp
        ) -> Bool { true }
        func update(_ response: StoredResponse, for key: CacheKey) -> Bool { true }
        func remove(_ key: CacheKey) {}
        func close() {}
    }

    private static let start = Timestamp(microseconds: 784_111_777_000_000)
    private static let later = Timestamp(microseconds: 784_111_777_000_000 + 60_000_000)

    /// An exchange that asks the origin about a stale response with an entity tag.
    private func asking(staleIfError: Duration = .zero) throws -> CachedExchange {
        let url = try TransferURL("http://a.test/x")
        let cache = HTTPCache(
            store: EmptyStore(),
            staleIfError: staleIfError,
            fingerprint: { _ in "" }
        )
        let exchange = CachedExchange(
            cache,
            .useProtocolCachePolicy,
            AttemptRequest(
                key: 1,
                session: 0,
                number: 1,
                request: RequestSpec(method: "GET", url: url, headers: [])
            )
        )
        _ = exchange.plan("GET", url, [], at: Self.later)
        let fields = [("ETag", "\"1\""), ("Cache-Control", "max-age=1")].map {
            HeaderField(name: $0.0, value: $0.1)
        }
        let stored = StoredResponse(
            statusCode: 200,
            fields: HeaderFields(fields),
            requestTime: Self.start,
            responseTime: Self.start
        )
        exchange.ask(
            CachePlan.Question(
                stored: [stored],
                conditions: [HeaderField(name: "If-None-Match", value: "\"1\"")],
                reason: .expired
            )
        )
        return exchange
    }

    private func head(_ status: Int, etag: String? = nil) -> ResponseHead {
        let fields = etag.map { [HeaderField(name: "ETag", value: $0)] } ?? []
        return ResponseHead(statusCode: status, fields: HeaderFields(fields))
    }

    private func isAnswered(_ exchange: CachedExchange, by head: ResponseHead) -> Bool {
        exchange.isAnsweredByStored(
            head,
            contentLength: 3,
            isFramed: true,
            isWhole: true,
            at: Self.later
        )
    }

    /// The occasion of serving a stored response; nil when none is served.
    private func occasion(_ next: CachedExchange.Next) -> Serving.Occasion? {
        if case .serve(let serving) = next { serving.occasion } else { nil }
    }

    private func next(
        _ exchange: CachedExchange,
        after head: ResponseHead?,
        _ verdict: ResponseVerdict?,
        _ failure: TransferFailure? = nil,
        isComplete: Bool = true
    ) -> CachedExchange.Next {
        exchange.next(after: head, verdict, failure, isComplete: isComplete) { Self.later }
    }

    // RFC 9111 §4.3.4
    @Test func `a 304 to a conditional request uses the stored response`() throws {
        let exchange = try asking()
        let head = head(304, etag: "\"1\"")
        #expect(isAnswered(exchange, by: head))
        guard case .confirmation? = occasion(next(exchange, after: head, .stored)) else {
            Issue.record("the stored response is not used")
            return
        }
    }

    @Test func `a 304 that matches no stored response has everything requested`() throws {
        let exchange = try asking()
        guard case .restart = next(exchange, after: head(304, etag: "\"2\""), .stored) else {
            Issue.record("the request is not repeated")
            return
        }
        #expect(exchange.question?.conditions.isEmpty == true)
        #expect(exchange.question?.reason == .changed)
    }

    // RFC 5861 §4
    @Test(arguments: [true, false])
    func `a failing origin is replaced only where stale responses may be used`(mayBeStale: Bool)
        throws
    {
        let exchange = try asking(staleIfError: mayBeStale ? .seconds(600) : .zero)
        #expect(isAnswered(exchange, by: head(503)) == mayBeStale)
        let cut = TransferFailure(kind: .connect, phase: .connect, detail: "refused")
        let occasion = occasion(next(exchange, after: nil, nil, cut, isComplete: false))
        guard case .failure(let failure)? = occasion else {
            #expect(!mayBeStale)
            return
        }
        #expect(mayBeStale)
        #expect(failure == cut)
    }

    @Test func `a cancelled attempt uses no stored response`() throws {
        let exchange = try asking(staleIfError: .seconds(600))
        let cancelled = TransferFailure(kind: .cancelled, phase: .wait, detail: "cancelled")
        guard case .usual = next(exchange, after: nil, nil, cancelled, isComplete: false) else {
            Issue.record("a stored response is used")
            return
        }
    }

    @Test func `a changed response is a miss that is drafted, and dropped when it is cut`() throws {
        let exchange = try asking()
        #expect(!isAnswered(exchange, by: head(200, etag: "\"2\"")))
        #expect(exchange.verdict?.reason == .changed)
        _ = next(exchange, after: head(200), .accept, isComplete: false)
        #expect(exchange.outcome() == nil)
    }
}
