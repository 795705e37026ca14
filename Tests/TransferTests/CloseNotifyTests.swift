import CurlKit
import SystemKit
import TestSupport
import Testing
import Transfer
import TransferModel

/// Bodies that end with a TLS connection which the server does not close in order (RFC 9112 §9.8).
@Suite struct CloseNotifyTests {
    private func run(
        _ reply: Reply,
        saysEnd: Bool = false,
        closeNotify: TLSConfiguration.CloseNotify = .required,
        method: String = "GET",
        _ change: (inout AttemptRequest) throws -> Void = { _ in }
    ) throws -> AttemptResult {
        let certificates = try TestCertificates.shared()
        let server = try ScriptedServer { $0.path == "/" ? reply : .ok("there") }
        let relay = try TLSRelay(
            to: server.port,
            certificate: certificates.server,
            saysEnd: saysEnd
        )
        let harness = try EngineHarness {
            $0.tls.caFile = certificates.authorityFile
            $0.tls.closeNotify = closeNotify
        }
        var request = try AttemptRequest.to("https://localhost:\(relay.port)/", method: method)
        try change(&request)
        return try harness.run(request)
    }

    private static func endless(_ status: String = "200 OK") -> Reply {
        .raw("HTTP/1.1 \(status)\r\n\r\nhalf of it", then: [.close])
    }

    @Test func `a body that ends with its connection is cut without close_notify`() throws {
        let folder = try TemporaryFolder()
        let result = try run(Self.endless()) {
            $0.sink = .file(.init(path: folder.path("out"), displayPath: "out"))
        }
        #expect(result.failure?.kind == .truncated)
        #expect(result.failure?.isPermanent == false)
        #expect(result.failure?.help?.contains("closeNotify: optional") == true)
        #expect(result.transactions.last?.responseEndDate == nil)
        #expect(!folder.contains("out"))
    }

    @Test func `a body is whole with close_notify, or with closeNotify optional`() throws {
        #expect(try run(Self.endless(), saysEnd: true).failure == nil)
        let known = try run(Self.endless(), closeNotify: .optional)
        #expect(known.failure == nil)
        #expect(known.voucher == BodyVoucher.none)
    }

    @Test func `a body is whole when it matches its checksum`() throws {
        let folder = try TemporaryFolder()
        let digest = try #require(MessageDigest(.sha256))
        digest.update(Array("half of it".utf8).span)
        let checksum = Checksum(.sha256, digest: digest.finish())
        let result = try run(Self.endless()) {
            $0.sink = .file(
                .init(path: folder.path("out"), displayPath: "out", checksum: .digest(checksum))
            )
        }
        #expect(result.failure == nil)
        #expect(result.voucher == .checksum)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 204 No\r\n\r\n", "HTTP/1.1 303 Go\r\nLocation: /there\r\n\r\nover there",
    ])
    func `a response with a known end or a dropped body needs no close_notify`(
        text: String
    ) throws {
        #expect(try run(.raw(text, then: [.close])).failure == nil)
    }

    @Test func `a body shorter than its length is cut`() throws {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhalf of it"
        let result = try run(.raw(text, then: [.close]), closeNotify: .optional)
        #expect(result.failure?.kind == .truncated)
    }
}
