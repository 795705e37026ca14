import CurlKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Servers that take streams away or break the rules of HTTP/2 (RFC 9113).
///
/// A libcurl before 8.0 speaks it because the sessions demand it.
@Suite struct HTTP2FaultTests {
    private let certificates: TestCertificates
    private let isSafe: Bool

    init() throws {
        certificates = try TestCertificates.shared()
        isSafe = try CurlLibrary.load().isHTTP2Safe
    }

    private func server(
        _ behaviour: HTTP2Server.Behaviour,
        count: Int = 0
    ) throws -> HTTP2Server {
        try HTTP2Server(behaviour, count: count, certificate: certificates.server)
    }

    private func harness() throws -> EngineHarness {
        let authority = certificates.authorityFile
        return try EngineHarness {
            $0.tls.caFile = authority
            $0.httpVersion = .http2
        }
    }

    /// The result of a download, and the files that it has left.
    private func download(
        _ server: HTTP2Server
    ) throws -> (result: AttemptResult, files: [String]) {
        let folder = try TemporaryFolder()
        let result = try harness().run(.download(server.url, to: folder.path("file")))
        return (result, try folder.list())
    }

    /// Expects that libcurl before 8.0 fetched a body without a length again, which failed because
    /// these servers lack HTTP/1.1.
    private func expectNoHTTP1(_ result: AttemptResult) {
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.help?.contains("speaks only HTTP/2") == true)
        #expect(result.transactions.map(\.reason) == [.initial, .unvouchedBody])
        #expect(result.transactions.map(\.networkProtocolName) == ["h2", nil])
    }

    // RFC 9113 §6.8 and §8.7. libcurl sends a request five times again and gives it up; so do we,
    // once.
    @Test(
        arguments: [
            (HTTP2Server.Behaviour.refuse, 1), (.refuse, 5), (.refuse, 11), (.turnAway, 1),
            (.turnAway, 11), (.finish, 0),
        ]
    )
    func `a stream that was not processed is sent again within the same attempt`(
        behaviour: HTTP2Server.Behaviour,
        count: Int
    ) throws {
        let (result, files) = try download(server(behaviour, count: count))
        if !isSafe, behaviour == .turnAway, count > 1 {
            // Before 8.0, libcurl leaves the repetition to the runner.
            return #expect(result.failure?.kind == .reset && result.transactions.count == 2)
        }
        #expect(result.failure == nil)
        #expect(files == ["file"])
        let exchanges = result.transactions
        #expect(exchanges.last?.response?.statusCode == 200)
        #expect(exchanges.dropLast().allSatisfy { $0.response == nil })
        #expect(exchanges.dropFirst().allSatisfy { $0.reason == .transparentRetry })
    }

    @Test func `a server that refuses every stream fails the attempt`() throws {
        let (result, files) = try download(server(.refuse, count: 1000))
        #expect(result.failure?.kind == .reset)
        #expect(result.failure?.isPermanent == false)
        #expect(files.isEmpty)
        #expect(result.transactions.count == 12)
    }

    // nginx does so after `keepalive_requests`.
    @Test(arguments: [1, 3])
    func `a server that retires its connections answers every request`(streams: Int) throws {
        let server = try server(.retire, count: streams)
        let attempts = try (0..<60).map { try AttemptRequest.to(server.url, key: $0) }
        let results = try harness().run(attempts)
        #expect(results.compactMap(\.failure) == [])
        #expect(results.allSatisfy { $0.transactions.last?.countOfResponseBodyBytesReceived == 5 })
    }

    @Test(
        arguments: [
            (HTTP2Server.Behaviour.leave, 0), (.leave, 10), (.reset, 0), (.reset, 10),
            (.stop, 10),
        ]
    )
    func `a stream that ends within its body is truncated`(
        behaviour: HTTP2Server.Behaviour,
        count: Int
    ) throws {
        let (result, files) = try download(server(behaviour, count: count))
        #expect(result.failure?.isPermanent == false)
        #expect(files.isEmpty)
        guard isSafe || count > 0 else { return expectNoHTTP1(result) }
        #expect(result.failure?.kind == .truncated)
        #expect(result.response?.statusCode == 200)
    }

    @Test func `a stream whose connection ends without the end of TLS is no whole body`() throws {
        let (result, files) = try download(server(.drop))
        #expect([.truncated, .reset].contains(result.failure?.kind))
        #expect(files.isEmpty)
    }

    // libcurl does not distinguish such an end from that of the body (RFC 9113 §8.1).
    @Test func `a stream that a server stops without an error has no voucher`() throws {
        let (result, _) = try download(server(.stop))
        guard isSafe else { return expectNoHTTP1(result) }
        #expect(result.failure == nil)
        #expect(result.voucher == BodyVoucher.none)
    }

    @Test func `a connection that ends before the response is lost`() throws {
        let (result, files) = try download(server(.hangUp))
        #expect(result.failure?.kind == .reset)
        #expect(files.isEmpty)
    }

    @Test(
        arguments: [
            HTTP2Server.Behaviour.endlessHead, .emptyContinuations, .headBomb, .informational,
            .hugeSettings, .settings, .pings,
        ]
    )
    func `a flood is a violation of the protocol, and ends soon`(
        behaviour: HTTP2Server.Behaviour
    ) throws {
        let (result, files) = try download(server(behaviour))
        let failure = result.failure
        // Before 8.0, libcurl does not tell some floods from a lost connection.
        let isNamed = isSafe || ![.hugeSettings, .settings, .pings].contains(behaviour)
        let kinds: [TransferFailure.Kind] = [.protocolViolation] + (isNamed ? [] : [.reset])
        #expect(kinds.contains { $0 == failure?.kind }, "\(failure?.detail ?? "")")
        #expect(result.countOfBytesReceived == 0)
        // libcurl stops at 300 KiB of a head, and nghttp2 long before.
        let counts = result.transactions.map {
            $0.countOfResponseHeaderBytesReceived + $0.countOfInformationalBytesReceived
        }
        #expect(counts.allSatisfy { $0 < 400 << 10 })
        #expect(files.isEmpty)
    }
}
