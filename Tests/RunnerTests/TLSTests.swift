import TestSupport
import Testing

@Suite struct TLSTests {
    /// One download from `origin`, with the session's `tls` as given.
    private func run(_ nginx: Nginx, origin: String?, tls: String) throws -> RunOutcome {
        try nginx.root.write("over TLS", to: "file.txt")
        let job = try JobFolder(
            """
            version: 1
            sessions:
              secure:
                \(tls)
            downloads:
              file: { url: \(try #require(origin))/file.txt, to: file.txt }
            """
        )
        let run = try job.run()
        if run.code == 0 {
            #expect(try job.folder.text("file.txt") == "over TLS")
        } else {
            #expect(!job.folder.contains("file.txt"))
        }
        return run
    }

    @Test(arguments: ["1.2", "1.3"])
    func `a certificate of the given authority is trusted`(version: String) throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            locations: "ssl_protocols TLSv1.2 TLSv1.3;"
        )
        let tls = "tls: { caFile: \(certificates.authorityFile), minimumVersion: \"\(version)\" }"
        let run = try run(nginx, origin: nginx.secureOrigin, tls: tls)
        #expect(run.code == 0, "\(run.command.standardError)")
        let exchange = run.exchanges("file").first
        #expect(exchange?["secureConnectionEndDate"]?.isNull == false)
        #expect(exchange?["negotiatedTLSProtocolVersion"]?.isNull == false)
    }

    @Test func `a server below the least version is refused`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            locations: "ssl_protocols TLSv1.2;"
        )
        let ca = "caFile: \(certificates.authorityFile)"
        let refused = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { \(ca), minimumVersion: \"1.3\" }"
        )
        #expect(refused.kind("file") == "tls")
        let accepted = try run(nginx, origin: nginx.secureOrigin, tls: "tls: { \(ca) }")
        #expect(accepted.code == 0)
    }

    @Test func `an unknown authority is a failure for good with a clear text`() throws {
        let nginx = try Nginx(certificate: TestCertificates.shared().server)
        let run = try run(nginx, origin: nginx.secureOrigin, tls: "configuration: ephemeral")
        try expectRefusal(run, "certificate")
    }

    @Test func `an expired certificate is refused`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.expired)
        let tls = "tls: { caFile: \(certificates.authorityFile) }"
        try expectRefusal(try run(nginx, origin: nginx.secureOrigin, tls: tls), "expired")
    }

    @Test func `a certificate for another host is refused`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.wrongHost)
        let tls = "tls: { caFile: \(certificates.authorityFile) }"
        try expectRefusal(try run(nginx, origin: nginx.secureOrigin, tls: tls), "localhost")
    }

    private func expectRefusal(
        _ run: RunOutcome,
        _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(run.code == 1, sourceLocation: sourceLocation)
        #expect(run.kind("file") == "tls", sourceLocation: sourceLocation)
        #expect(run.attempts("file").count == 1, sourceLocation: sourceLocation)
        let message = run.task("file")?["error"]?["message"]?.string ?? ""
        #expect(message.contains(text), sourceLocation: sourceLocation)
        #expect(run.command.standardError.contains("tls: "), sourceLocation: sourceLocation)
    }
}
