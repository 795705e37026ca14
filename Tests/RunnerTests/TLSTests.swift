import TestSupport
import Testing

@Suite struct TLSTests {
    /// One download from `origin`, with the session's `tls` as given.
    private func run(
        _ nginx: Nginx,
        origin: String?,
        tls: String,
        environment: [String: String?] = [:]
    ) throws -> RunOutcome {
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
        let run = try job.run(environment: environment)
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

    @Test(arguments: ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"])
    func `an authority that the environment names is trusted`(variable: String) throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        var path = certificates.authorityFile
        let folder = try TemporaryFolder()
        if variable == "SSL_CERT_DIR" {
            let script = "cp \"$1\" \"$2\" && openssl rehash \"$2\""
            _ = try Command("sh", ["-c", script, "sh", path, folder.path]).run()
            path = "/nonexistent:" + folder.path
        }
        let run = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { minimumVersion: \"1.2\" }",
            environment: [variable: path]
        )
        #expect(run.code == 0, "\(run.command.standardError)")
    }

    @Test func `a session's own authorities take the place of the environment's`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        let run = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { caFile: \(certificates.selfSigned.certificateFile) }",
            environment: ["SSL_CERT_FILE": certificates.authorityFile]
        )
        try expectRefusal(run, "is issued by an unknown authority")
    }

    @Test func `a variable that names no authorities is named`() throws {
        let nginx = try Nginx(certificate: TestCertificates.shared().server)
        let run = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { minimumVersion: \"1.2\" }",
            environment: ["SSL_CERT_FILE": "/nonexistent"]
        )
        #expect(run.code != 0)
        let message = run.task("file")?["error"]?["message"]?.string ?? ""
        #expect(message.contains("`SSL_CERT_FILE=/nonexistent` holds no PEM certificate"))
    }

    @Test func `a server below the minimum version is refused`() throws {
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
        try expectRefusal(refused, "localhost speaks no version of TLS that the session allows")
        let accepted = try run(nginx, origin: nginx.secureOrigin, tls: "tls: { \(ca) }")
        #expect(accepted.code == 0)
    }

    @Test func `no newer version than the newest allowed is spoken`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(
            certificate: certificates.server,
            locations: "ssl_protocols TLSv1.2 TLSv1.3;"
        )
        let tls = "tls: { caFile: \(certificates.authorityFile), maximumVersion: \"1.2\" }"
        let run = try run(nginx, origin: nginx.secureOrigin, tls: tls)
        let version = run.exchanges("file").first?["negotiatedTLSProtocolVersion"]
        #expect(version?["name"]?.string == "TLSv1.2")
    }

    /// A certificate that is refused.
    struct Refusal: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var identity: any KeyPath<TestCertificates, TestCertificates.Identity> & Sendable
        /// Whether the session trusts the authority that has signed it.
        var isIssuerTrusted = true
        var reason: String
        var urlError: Int64
    }

    @Test(arguments: [
        Refusal(
            testDescription: "expired",
            identity: \.expired,
            reason: "the certificate of localhost expired on 20",
            urlError: -1201
        ),
        Refusal(
            testDescription: "not valid yet",
            identity: \.early,
            reason: "the certificate of localhost is not valid yet, only from 2090-01-01",
            urlError: -1204
        ),
        Refusal(
            testDescription: "self-signed",
            identity: \.selfSigned,
            reason: "the certificate of localhost is self-signed and not trusted",
            urlError: -1203
        ),
        Refusal(
            testDescription: "unknown issuer",
            identity: \.server,
            isIssuerTrusted: false,
            reason: "an unknown authority (runner test authority)",
            urlError: -1203
        ),
        Refusal(
            testDescription: "wrong host",
            identity: \.wrongHost,
            reason: "the certificate that localhost shows is for another host: other.invalid",
            urlError: -1202
        ),
    ])
    func `a bad certificate is a permanent failure with its reason`(
        refusal: Refusal
    ) throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates[keyPath: refusal.identity])
        let authority = "tls: { caFile: \(certificates.authorityFile) }"
        let run = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: refusal.isIssuerTrusted ? authority : "configuration: ephemeral"
        )
        try expectRefusal(run, refusal.reason)
        #expect(run.task("file")?["error"]?["urlError"]?["code"]?.integer == refusal.urlError)
    }

    // OpenSSL would ask, and wait for as long as the standard input stays open.
    @Test func `an encrypted key causes no password prompt`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        let job = try JobFolder(
            """
            version: 1
            sessions:
              secure:
                tls: { caFile: \(certificates.authorityFile) }
                credentials:
                  - method: clientCertificate
                    host: localhost
                    certificate: \(certificates.guardedClient.certificateFile)
                    key: \(certificates.guardedClient.keyFile)
            data:
              order: { url: \(try #require(nginx.secureOrigin))/ }
            """
        )
        let command = try job.runCommand().start()
        let line = try command.waitForLine(containing: "tls: ")
        #expect(line.contains("the client certificate for localhost cannot be used"))
        let run = try command.finish().reported(in: job.folder)
        #expect(run.code == 1)
        #expect(run.kind("order") == "tls")
        #expect(run.attempts("order").count == 1)
    }

    @Test func `a key among the authorities causes no password prompt`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        let key = try #require(Fixture.read(certificates.guardedClient.keyFile))
        let authority = try #require(Fixture.read(certificates.authorityFile))
        let folder = try TemporaryFolder()
        let file = try folder.write(String(decoding: key + authority, as: UTF8.self), to: "ca.pem")
        let job = try JobFolder(
            """
            version: 1
            sessions: { secure: { tls: { caFile: \(file) } } }
            data: { order: { url: \(try #require(nginx.secureOrigin))/.alive } }
            """
        )
        // Its standard input stays open.
        let command = try job.runCommand().start()
        _ = try command.waitForLine(containing: "1 of 1 tasks succeeded")
        #expect(try command.finish().reported(in: job.folder).code == 0)
    }

    // The reset of such a server can overtake its alert.
    @Test(arguments: [nil, "http/1.1"])
    func `a server that closes without a client certificate is no temporary failure`(
        protocolName: String?
    ) throws {
        let certificates = try TestCertificates.shared()
        let server = try AbruptServer(
            at: .handshake,
            certificates: certificates,
            protocolName: protocolName
        )
        let job = try JobFolder(
            """
            version: 1
            sessions: { secure: { tls: { caFile: \(certificates.authorityFile) } } }
            data: { order: { url: \(server.origin)/a, retry: { backoff: { initial: 1ms } } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 1)
        #expect(run.kind("order") == "tls")
        #expect(run.attempts("order").count == 1)
    }

    @Test func `a server that only asks for a client certificate may lose a connection`() throws {
        let certificates = try TestCertificates.shared()
        let server = try AbruptServer(at: .requestOfAsked, certificates: certificates)
        let job = try JobFolder(
            """
            version: 1
            sessions: { secure: { tls: { caFile: \(certificates.authorityFile) } } }
            data: { order: { url: \(server.origin)/a, retry: { attempts: 1 } } }
            """
        )
        let run = try job.run()
        #expect(run.code == 5)
        #expect(run.kind("order") == "reset")
    }

    @Test func `only a server with a pinned key is trusted`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        let other = try TestCertificates.pin(of: certificates.client)
        let own = try TestCertificates.pin(of: certificates.server)
        let ca = "caFile: \(certificates.authorityFile)"
        let pinned = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { \(ca), pinnedPublicKeys: [\(other), \(own)] }"
        )
        #expect(pinned.code == 0, "\(pinned.command.standardError)")
        let refused = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { \(ca), pinnedPublicKeys: [\(other)] }"
        )
        try expectRefusal(
            refused,
            "the public key of localhost is not one of `tls.pinnedPublicKeys`"
        )
    }

    @Test func `a pin is checked without server trust, too`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.server)
        let other = try TestCertificates.pin(of: certificates.client)
        let tls = "tls: { serverTrust: insecureAcceptAny, pinnedPublicKeys: [\(other)] }"
        try expectRefusal(try run(nginx, origin: nginx.secureOrigin, tls: tls), "pinned")
    }

    @Test func `a session without verification is marked in its report`() throws {
        let certificates = try TestCertificates.shared()
        let nginx = try Nginx(certificate: certificates.expired)
        let run = try run(
            nginx,
            origin: nginx.secureOrigin,
            tls: "tls: { serverTrust: insecureAcceptAny }"
        )
        #expect(run.code == 0, "\(run.command.standardError)")
        #expect(run.command.standardError.contains("[job.unverified-server]"))
        let exchange = run.exchanges("file").first
        #expect(exchange?["extension"]?["serverTrust"]?.string == "insecureAcceptAny")
        #expect(exchange?["negotiatedTLSProtocolVersion"]?.isNull == false)
    }

    @Test func `an exchange without TLS has no serverTrust`() throws {
        let nginx = try Nginx()
        let run = try run(nginx, origin: nginx.origin, tls: "configuration: ephemeral")
        #expect(run.exchanges("file").first?["extension"]?["serverTrust"]?.isNull == true)
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
