import SystemKit
import TestSupport
import Testing

/// Uploads to SwiftNIO's server that are cut on their way: over TLS, and by proxies.
@Suite struct ResumableUploadWayTests {
    private static let body = FileContent.patterned(8 << 20)

    enum Way: String, CaseIterable, Sendable {
        case tls, proxy, tunnel, proxyOverTLS
    }

    /// The relays and proxies between the runner and the server, which live as long as this value.
    private struct Line {
        let url: String
        let session: String
        let relay: RecordingRelay
        private let others: [any Sendable]

        init(_ way: Way, to server: ResumableUploadServer, _ cuts: [Int: RecordingRelay.Cut]) throws
        {
            let certificates = try TestCertificates.shared()
            let trust = "tls: { caFile: \(certificates.authorityFile) }"
            switch way {
            case .tls:
                let tls = try TLSRelay(to: server.port, certificate: certificates.server)
                relay = try RecordingRelay(to: tls.port, cuts: cuts)
                url = "https://localhost:\(relay.port)/files"
                session = "{ \(trust) }"
                others = [tls]
            case .proxy:
                let proxy = try Squid()
                relay = try RecordingRelay(to: proxy.port, cuts: cuts)
                url = "\(server.origin)/files"
                session = "{ proxy: { http: \"\(relay.origin)\" } }"
                others = [proxy]
            case .tunnel:
                let tls = try TLSRelay(to: server.port, certificate: certificates.server)
                let proxy = try Tinyproxy()
                relay = try RecordingRelay(to: proxy.port, cuts: cuts)
                url = "https://localhost:\(tls.port)/files"
                session = "{ proxy: { https: \"\(relay.origin)\" }, \(trust) }"
                others = [tls, proxy]
            case .proxyOverTLS:
                let proxy = try Squid(certificate: certificates.server)
                relay = try RecordingRelay(to: proxy.port, cuts: cuts)
                url = "\(server.origin)/files"
                session = "{ proxy: { http: \"https://localhost:\(relay.port)\" }, \(trust) }"
                others = [proxy]
            }
        }
    }

    /// The records of uploads that were left.
    private func records(_ job: JobFolder) throws -> [String] {
        let folder = ".local/state/runner/uploads"
        guard job.folder.contains(folder) else { return [] }
        return try job.folder.list(folder).flatMap { try job.folder.list("\(folder)/\($0)") }
            .filter { $0.hasSuffix(".upload") }
    }

    @Test(arguments: Way.allCases)
    func `cut again and again, an upload arrives once and whole`(way: Way) throws {
        let server = try ResumableUploadServer()
        let heard = try Gate()
        // Behind the first attempt's connection they are for HEAD and PATCH in turn.
        let line = try Line(
            way,
            to: server,
            [
                1: .reset(after: 2_000_000, when: heard), 3: .reset(after: 1_500_000),
                5: .reset(after: 1_000_000),
            ]
        )
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: \(line.session) }
            uploads:
              a: { url: "\(line.url)", file: body.bin, retry: { attempts: 5, backoff: { initial: 1ms } } }
            """
        )
        try job.folder.write(Self.body, to: "body.bin")
        let running = try job.runCommand().start()
        try job.folder.wait(for: "the record of an upload") { try !records(job).isEmpty }
        heard.open()
        let run = try running.finish().reported(in: job.folder)
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(
            run.exchanges("a").map { $0["reason"]?.string }
                == ["initial"]
                + Array(repeating: ["uploadOffset", "uploadAppend"], count: 3).joined()
        )
        #expect(run.exchanges("a").allSatisfy { $0["isReusedConnection"]?.bool == false })
        let isProxied = way != .tls
        #expect(run.exchanges("a").allSatisfy { $0["isProxyConnection"]?.bool == isProxied })
        #expect(try server.bodies() == [Self.body])
        #expect(line.relay.passages.count == 7)
        #expect(try records(job) == [])
        withExtendedLifetime(line) {}
    }
}
