import SystemKit
import TestSupport
import Testing

/// Tasks of `streams` against real servers, and against servers that lie about TLS.
@Suite struct StreamServerTests {
    private let certificates: TestCertificates

    init() throws { certificates = try TestCertificates.shared() }

    private func mail(_ port: UInt16, trusts: Bool = true, host: String = "localhost") -> String {
        #"""
        version: 1
        secrets: { password: { env: PASSWORD } }
        sessions:
          s: { configuration: ephemeral, timeoutIntervalForRequest: 20s, SETTINGS }
        streams:
          mail:
            host: \#(host)
            port: \#(port)
            steps:
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^220 " } }
              - write: { line: EHLO client.example }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "(?m)^250[ -]STARTTLS" } }
              - write: { line: STARTTLS }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^220 " } }
              - startSecureConnection: true
                timeout: 15s
              - write: { line: EHLO client.example }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^250" } }
              - write: { line: "MAIL FROM:<a@example.com>" }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^250" } }
              - write: { line: "RCPT TO:<b@example.com>" }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^250" } }
              - write: { line: DATA }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^354" } }
              - write: { text: "Subject: hello\r\n\r\n${secret.password}\r\n.\r\n" }
              - read: { untilLine: "^\\d{3} ", expect: { text: 250 stored } }
              - write: { line: QUIT }
              - read: { untilLine: "^\\d{3} ", expect: { regex: "^221 " } }
        """#.replacing(
            "SETTINGS }",
            with: trusts ? "tls: { caFile: \(certificates.authorityFile) } }" : "x-a: 1 }"
        )
    }

    private static let environment: [String: String?] = ["PASSWORD": "hunter2hunter2"]

    @Test func `a message is delivered over STARTTLS, with its secret behind TLS alone`() throws {
        let server = try MailServer(certificate: certificates.server)
        let job = try JobFolder(mail(server.port))
        let run = try job.run(environment: Self.environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        let messages = try server.messages()
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("from a@example.com to b@example.com tls True\n") == true)
        #expect(messages.first?.contains("hunter2hunter2") == true)
        let step = run.task("mail")?["extension"]?["stream"]?["steps"]?.elements
            .first { $0["step"]?.string == "startSecureConnection" }
        #expect(step?["tlsProtocolVersion"]?.string == "TLSv1.3")
        #expect(step?["tlsCipherSuite"]?.string?.hasPrefix("TLS_") == true)
        #expect(try !job.folder.text("report.json").contains("hunter2"))
    }

    @Test func `a server whose certificate is not right hears nothing after STARTTLS`() throws {
        let cases = [
            (certificates.server, false, "unknown authority"),
            (certificates.selfSigned, true, "self-signed"), (certificates.expired, true, "expired"),
            (certificates.wrongHost, true, "is for another host"),
        ]
        for (certificate, trusts, words) in cases {
            let server = try MailServer(certificate: certificate)
            let job = try JobFolder(mail(server.port, trusts: trusts))
            let run = try job.run(environment: Self.environment)
            #expect(run.kind("mail") == "tls")
            #expect(run.command.standardError.contains(words), "\(run.command.standardError)")
            #expect(run.attempts("mail").count == 1)
            #expect(try server.messages().isEmpty)
        }
    }

    /// A server that agrees to STARTTLS and sends some bytes behind its answer.
    private func agreeing(_ more: [UInt8]) throws -> TCPServer {
        try TCPServer(greeting: Array("220 hi\r\n".utf8)) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if text.hasPrefix("EHLO") { return .send(Array("250 STARTTLS\r\n".utf8)) }
            if text.hasPrefix("STARTTLS") { return .send(Array("220 go\r\n".utf8) + more) }
            return bytes.isEmpty ? .close([]) : .close(Array("250 plain\r\n".utf8))
        }
    }

    // CVE-2011-0411
    @Test func `bytes that are added to the answer of STARTTLS are refused`() throws {
        let server = try agreeing(Array("250 injected\r\n250 more\r\n".utf8))
        let run = try JobFolder(mail(server.port)).run(environment: Self.environment)
        #expect(run.kind("mail") == "protocolViolation")
        #expect(run.command.standardError.contains("bytes had arrived before TLS began"))
    }

    @Test func `a server that goes on without TLS is refused`() throws {
        let server = try agreeing([])
        let run = try JobFolder(mail(server.port)).run(environment: Self.environment)
        #expect(run.kind("mail") == "tls", "\(run.command.standardError)")
    }

    @Test func `a server that never answers the handshake ends the step at its timeout`() throws {
        let server = try TCPServer(greeting: Array("220 hi\r\n".utf8)) { _ in .stall }
        let job = try JobFolder(
            """
            version: 1
            streams:
              mail:
                host: 127.0.0.1
                port: \(server.port)
                steps:
                  - read: { until: "\\r\\n" }
                  - startSecureConnection: true
                    timeout: 100ms
            """
        )
        let run = try job.run()
        #expect(run.kind("mail") == "timeout")
        #expect(run.command.standardError.contains("startSecureConnection"))
    }

    @Test func `Redis keeps and gives a value`() throws {
        let server = try RedisServer()
        let job = try JobFolder("")
        let text = try Command("cat", [Repository.path("jobs/redis.yaml")]).run().standardOutput
        try job.folder.write(text, to: "job.yaml")
        let run = try job.run(environment: ["REDIS_PORT": "\(server.port)"])
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(try job.folder.text("out/report.txt") == "42 orders")
    }

    @Test(arguments: [nil, "SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func `a connection that begins with TLS talks to openssl`(variable: String?) throws {
        let server = try ReversingTLSServer(certificate: certificates.server)
        let roots = certificates.authorityFile
        let tls = variable == nil ? "caFile: \(roots)" : "minimumVersion: \"1.2\""
        let job = try JobFolder(
            """
            version: 1
            sessions: { s: { tls: { \(tls) } } }
            streams:
              talk:
                host: localhost
                port: \(server.port)
                secure: true
                steps:
                  - write: { text: "stressed\\n" }
                  - read: { until: "\\n", expect: { text: desserts } }
                  - write: { text: "evil\\n" }
                  - read: { minLength: 5B, maxLength: 5B, expect: { text: "live\\n" } }
            """
        )
        let environment = variable.map { [$0: roots as String?] } ?? [:]
        let run = try job.run(environment: environment)
        #expect(run.code == 0, "\(run.command.standardError)")
        let record = run.exchanges("talk").first
        #expect(record?["secureConnectionEndDate"]?.string != nil)
    }
}
