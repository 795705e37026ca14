import SystemKit
import TestSupport
import Testing

/// Tasks of `streams` with `secure: true`: TLS that libcurl begins with the connection.
@Suite struct SecureStreamTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared() }

    private func run(_ port: UInt16, more: String = "", read: String) throws -> RunOutcome {
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { tls: { caFile: \(certificates.authorityFile)\(more) } } }
            defaults: { retry: { attempts: 1 } }
            streams:
              a: { host: localhost, port: \(port), secure: true, steps: [{ write: { text: hi } }, { read: \(read) }] }
            """
        )
        return try job.run()
    }

    @Test func `one connection is made, and the report has its facts`() throws {
        let server = try TCPServer { .close($0) }
        let relay = try TLSRelay(to: server.port, certificate: certificates.server)
        let run = try run(relay.port, read: "{ count: 2B }")
        #expect(run.code == 0, "\(run.command.standardError)")
        let exchanges = run.exchanges("a")
        #expect(exchanges.count == 1)
        for member in [
            "connectEndDate", "secureConnectionEndDate", "localAddress",
            "negotiatedTLSProtocolVersion", "negotiatedTLSCipherSuite",
        ] {
            #expect(exchanges.first?[member]?.isNull == false, "\(member)")
        }
    }
}
