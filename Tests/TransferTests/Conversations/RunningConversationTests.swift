import CurlKit
import Glibc
import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Conversations over connections that libcurl only opens, with both libcurls.
@Suite struct RunningConversationTests {
    /// Sends so many bytes and reads them back from a server that repeats them.
    private struct Repeating: Conversation {
        var unsent: Int
        var unread: Int
        /// Whether it never reads before all has left.
        var readsLast = false
        var limit: MonotonicTime?
        var isOver = false
        var failure: TransferFailure?
        private var sentCount = 0
        private var readCount = 0
        private var isWriting = false

        /// The most bytes of one write.
        private static let most = 100_000
        /// The bytes from any place of the sequence on: each is its place modulo 251.
        private static let sequence = (0..<251 + most).map { UInt8($0 % 251) }

        init(_ count: Int, readsLast: Bool = false, limit: MonotonicTime? = nil) {
            (unsent, unread) = (count, count)
            self.readsLast = readsLast
            self.limit = limit
        }

        var wantsInput: Bool { !readsLast || unsent == 0 && !isWriting }
        var hasOutput: Bool { unsent > 0 }
        var nextTime: MonotonicTime? { limit }

        mutating func takeOutput() -> [UInt8] {
            let count = min(unsent, Self.most)
            unsent -= count
            isWriting = true
            defer { sentCount += count }
            return Array(Self.sequence[(sentCount % 251)...].prefix(count))
        }

        mutating func didWriteSome(at now: MonotonicTime) {}
        mutating func didWrite(at now: MonotonicTime) { isWriting = false }

        mutating func receive(_ bytes: Span<UInt8>, at now: MonotonicTime) {
            var rest = bytes
            while !rest.isEmpty {
                let piece = rest.extracting(first: Self.most)
                guard Self.isNext(piece, at: readCount) else {
                    return fail("a byte from \(readCount) on is wrong")
                }
                readCount += piece.count
                rest = rest.extracting(droppingFirst: piece.count)
            }
            unread -= bytes.count
            isOver = unread == 0
        }

        /// Compares in one call: a debug build would need a second for some megabytes.
        private static func isNext(_ bytes: Span<UInt8>, at place: Int) -> Bool {
            unsafe sequence[(place % 251)...].withUnsafeBytes { expected in
                unsafe bytes.withUnsafeBytes { bytes in
                    guard let expected = expected.baseAddress, let found = bytes.baseAddress else {
                        return true
                    }
                    return unsafe memcmp(expected, found, bytes.count) == 0
                }
            }
        }

        mutating func receiveEnd(at now: MonotonicTime) { fail("the peer ended") }
        mutating func tick(at now: MonotonicTime) { fail("the time is over") }

        mutating func end(with failure: TransferFailure, at now: MonotonicTime) {
            if self.failure == nil { self.failure = failure }
            isOver = true
        }

        func complete(_ result: inout AttemptResult) {
            result.countOfBytesReceived = Int64(readCount)
        }

        private mutating func fail(_ detail: String) {
            failure = TransferFailure(kind: .content, phase: .receive, detail: detail)
            isOver = true
        }
    }

    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared() }

    private func result(
        _ url: String,
        _ count: Int,
        readsLast: Bool = false,
        limit: Duration? = nil,
        deadline: Duration? = nil,
        proxy: ProxyServer? = nil,
        bandwidth: Int64? = nil
    ) throws -> AttemptResult {
        let authority = certificates.authorityFile
        let harness = try EngineHarness {
            $0.tls.caFile = authority
            $0.limits.rates.down = bandwidth.map { .rate($0) }
            $0.limits.rates.up = bandwidth.map { .rate($0) }
            guard let proxy else { return }
            var servers = ProxyServers()
            servers.http = proxy
            $0.proxy = .servers(servers)
        }
        return try harness.run(
            .to(url) {
                $0.deadline = deadline.map { .now + $0 }
                $0.conversationStart = { _, now in
                    Repeating(count, readsLast: readsLast, limit: limit.map { now + $0 })
                }
            }
        )
    }

    @Test(arguments: [1, 70_000, 20_000_000])
    func `bytes go both ways over a plain connection`(count: Int) throws {
        let server = try TCPServer.echo()
        let result = try result("http://127.0.0.1:\(server.port)/", count)
        #expect(result.failure == nil, "\(String(describing: result.failure))")
        #expect(result.countOfBytesReceived == Int64(count))
        let record = try #require(result.transactions.first)
        #expect(record.connectEndDate != nil && record.remoteEndpoint?.port == Int(server.port))
    }

    @Test func `a conversation keeps to its session's bandwidth`() throws {
        let server = try TCPServer.echo()
        let result = try result(
            "http://127.0.0.1:\(server.port)/",
            600_000,
            bandwidth: 500_000
        )
        #expect(result.failure == nil, "\(String(describing: result.failure))")
        #expect(result.countOfBytesReceived == 600_000)
        // The burst, and the last turn, are not waited for.
        #expect(result.endTime > result.startTime + .milliseconds(850))
        #expect(result.transactions.first?.bandwidthWaitMicroseconds != nil)
    }

    @Test(arguments: [1, 20_000_000])
    func `bytes go both ways over TLS`(count: Int) throws {
        let server = try TCPServer.echo()
        let relay = try TLSRelay(to: server.port, certificate: certificates.server)
        let result = try result("https://localhost:\(relay.port)/", count)
        #expect(result.failure == nil, "\(String(describing: result.failure))")
        #expect(result.countOfBytesReceived == Int64(count))
        #expect(result.transactions.first?.negotiatedTLSProtocolVersion?.name == "TLSv1.3")
    }

    @Test func `a proxy makes a tunnel for a plain connection`() throws {
        let server = try TCPServer.echo()
        let proxy = try Tinyproxy()
        let result = try result(
            "http://127.0.0.1:\(server.port)/",
            1_000_000,
            proxy: ProxyServer(kind: .http, host: "127.0.0.1", port: Int(proxy.port))
        )
        #expect(result.failure == nil, "\(String(describing: result.failure))")
        #expect(result.countOfBytesReceived == 1_000_000)
        #expect(result.transactions.first?.proxy?.tunnel?.statusCode == 200)
    }

    @Test func `a server that is not trusted hears nothing`() throws {
        let heard = Lock(0)
        let server = try TCPServer { bytes in
            heard.withLock { $0 += bytes.count }
            return .send(bytes)
        }
        let relay = try TLSRelay(to: server.port, certificate: certificates.server)
        let harness = try EngineHarness()
        let result = try harness.run(
            .to("https://localhost:\(relay.port)/") {
                $0.conversationStart = { _, _ in Repeating(10) }
            }
        )
        #expect(result.failure?.kind == .tls)
        #expect(heard.withLock { $0 } == 0)
    }

    @Test func `the end of the connection reaches the conversation`() throws {
        let server = try TCPServer { .close(Array($0.prefix(1))) }
        let result = try result("http://127.0.0.1:\(server.port)/", 10)
        #expect(result.failure?.detail == "the peer ended")
        #expect(result.countOfBytesReceived == 1)
    }

    @Test func `a conversation ends at its own time while the server is silent`() throws {
        let server = try TCPServer { _ in .stall }
        let result = try result(
            "http://127.0.0.1:\(server.port)/",
            10,
            limit: .milliseconds(50)
        )
        #expect(result.failure?.detail == "the time is over")
    }

    @Test func `the deadline ends a conversation whose server takes nothing more`() throws {
        let server = try TCPServer { _ in .stall }
        let result = try result(
            "http://127.0.0.1:\(server.port)/",
            100_000_000,
            deadline: .milliseconds(300)
        )
        #expect(result.failure?.kind == .timeout)
    }

    @Test func `a conversation reads only when it wants to`() throws {
        let server = try TCPServer.echo()
        let result = try result("http://127.0.0.1:\(server.port)/", 300_000, readsLast: true)
        #expect(result.failure == nil, "\(String(describing: result.failure))")
        #expect(result.countOfBytesReceived == 300_000)
    }

    @Test func `many conversations take turns on one engine`() throws {
        let server = try TCPServer.echo()
        let harness = try EngineHarness()
        let attempts = try (0..<40).map { key in
            try AttemptRequest.to("http://127.0.0.1:\(server.port)/", key: key) {
                $0.conversationStart = { _, _ in Repeating(300_000) }
            }
        }
        for result in try harness.run(attempts) {
            #expect(result.failure == nil, "\(String(describing: result.failure))")
            #expect(result.countOfBytesReceived == 300_000)
        }
    }
}
