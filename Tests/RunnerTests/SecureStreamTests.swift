import SystemKit
import TestSupport
import Testing

/// Tasks of `streams` whose connection begins with TLS: libcurl's (`secure: true`), or that of the
/// first step.
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

    @Test func `an end without close_notify is a cut, unless the session expects it`() throws {
        let server = try TCPServer { $0.isEmpty ? .close([]) : .close(Array("half of it".utf8)) }
        func run(saysEnd: Bool, _ more: String = "", read: String) throws -> RunOutcome {
            let relay = try TLSRelay(
                to: server.port,
                certificate: certificates.server,
                saysEnd: saysEnd
            )
            return try self.run(relay.port, more: more, read: read)
        }
        let cut = try run(saysEnd: false, read: "{ untilClosed: true }")
        #expect(cut.kind("a") == "truncated", "\(cut.command.standardError)")
        #expect(cut.command.standardError.contains("closeNotify: optional"))
        let optional = ", closeNotify: optional"
        let usual = try run(saysEnd: false, optional, read: "{ untilClosed: true }")
        #expect(usual.code == 0, "\(usual.command.standardError)")
        let whole = try run(saysEnd: true, read: "{ untilClosed: true }")
        #expect(whole.code == 0, "\(whole.command.standardError)")
        // Nothing is missing of what has a length.
        let counted = try run(saysEnd: false, read: "{ count: 10B }")
        #expect(counted.code == 0, "\(counted.command.standardError)")
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

    // RFC 8446 §6.1; OpenSSL allows it with TLS 1.2, too.
    @Test(arguments: ["1.2", "1.3"])
    func `TLS of the first step ends each direction by itself`(version: String) throws {
        let server = try TLSScript(.halfClose, certificate: certificates.server)
        let task = """
            sessions: { s: { tls: { caFile: \(certificates.authorityFile), maximumVersion: "\(version)" } } }
            defaults: { retry: { attempts: 1 } }
            streams:
              a:
                host: localhost
                port: \(server.port)
                secure: true
                steps:
                  - write: { text: hello }
                  - closeWrite: true
                  - read: { untilClosed: true, expect: { text: you said hello } }
            """
        let refused = try JobFolder("version: 1\n" + task).runner(["validate", "job.yaml"])
        #expect(refused.status == .exit(3), "\(refused.standardError)")
        #expect(refused.standardError.contains("`startSecureConnection: true`"))
        let advised = task.replacing("    secure: true\n", with: "")
            .replacing("steps:\n", with: "steps:\n      - startSecureConnection: true\n")
        let run = try JobFolder("version: 1\n" + advised).run()
        #expect(run.code == 0, "\(run.command.standardError)")
        let step = run.task("a")?["extension"]?["stream"]?["steps"]?.elements.first
        #expect(step?["tlsProtocolVersion"]?.string == "TLSv\(version)")
    }

    @Test func `the last bytes are in the file, also if TLS breaks directly behind them`() throws {
        let server = try TLSScript(.brokenRecord, certificate: certificates.server)
        func run(_ reading: String) throws -> (RunOutcome, TemporaryFolder) {
            let job = try JobFolder(
                """
                version: 1
                sessions: { s: { tls: { caFile: \(certificates.authorityFile) } } }
                defaults: { retry: { attempts: 1 } }
                streams:
                  a:
                    host: localhost
                    port: \(server.port)
                    steps:
                      - startSecureConnection: true
                      - write: { text: hi }
                      - read: { \(reading), to: answer }
                """
            )
            return (try job.run(), job.folder)
        }
        let (whole, folder) = try run("count: 5B")
        #expect(whole.code == 0, "\(whole.command.standardError)")
        #expect(try folder.read("answer") == Array("hello".utf8))
        let (cut, empty) = try run("count: 6B")
        #expect(cut.kind("a") == "tls", "\(cut.command.standardError)")
        #expect(!empty.contains("answer"))
    }

    @Test func `a server that misses a client certificate is named as the reason`() throws {
        let server = try AbruptServer(at: .handshake, certificates: certificates)
        let port = try #require(server.origin.split(separator: ":").last)
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { tls: { caFile: \(certificates.authorityFile) } } }
            defaults: { retry: { attempts: 1 } }
            streams:
              a: { host: localhost, port: \(port), secure: true, steps: [{ read: { count: 1B } }] }
            webSockets:
              b: { url: "wss://localhost:\(port)/", steps: [{ receive: {} }] }
            """
        )
        let run = try job.run()
        for task in ["a", "b"] {
            #expect(run.kind(task) == "tls", "\(task): \(run.command.standardError)")
            let help = run.task(task)?["error"]?["help"]?.string
            #expect(help?.contains("`method: clientCertificate`") == true, "\(task)")
        }
    }
}
