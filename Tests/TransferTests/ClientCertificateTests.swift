import SystemKit
import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// Certificates that a session shows, to nginx and to `openssl s_server`.
@Suite struct ClientCertificateTests {
    private let certificates: TestCertificates

    init() throws {
        certificates = try TestCertificates.shared()
    }

    /// An nginx that asks for a certificate and answers `/who` with the certificate's subject.
    private func nginx(_ locations: String = "") throws -> Nginx {
        try Nginx(
            certificate: certificates.server,
            hasHTTP2: true,
            locations: """
                ssl_client_certificate \(certificates.authorityFile);
                ssl_verify_client optional;
                location = /who { return 200 "$ssl_client_verify $ssl_client_s_dn"; }
                \(locations)
                """
        )
    }

    private func harness(
        _ certificate: ClientCertificate?,
        for space: ProtectionSpace.Scope = .host("localhost")
    ) throws -> EngineHarness {
        let authority = certificates.authorityFile
        return try EngineHarness { session in
            session.tls.caFile = authority
            session.credentials =
                certificate.map {
                    [
                        Credential(
                            space: ProtectionSpace(scope: space),
                            proof: .clientCertificate($0)
                        )
                    ]
                } ?? []
        }
    }

    /// The server's answer about the client's certificate.
    private func answer(
        _ url: String,
        _ harness: EngineHarness,
        key: Int = 0
    ) throws -> String {
        let folder = try TemporaryFolder()
        let result = try harness.run(.download(url, to: folder.path("answer"), key: key))
        try #require(result.failure == nil, "\(result.failure?.detail ?? "")")
        return try folder.text("answer")
    }

    private var client: ClientCertificate {
        ClientCertificate(
            certificate: certificates.client.certificateFile,
            key: certificates.client.keyFile,
            password: nil
        )
    }

    @Test func `a certificate with its key goes to a server that asks`() throws {
        let nginx = try nginx()
        let url = try #require(nginx.secureOrigin) + "/who"
        #expect(try answer(url, harness(client)) == "SUCCESS CN=client")
        #expect(try answer(url, harness(nil)) == "NONE ")
    }

    @Test func `a key that is encrypted is opened by its password`() throws {
        let nginx = try nginx()
        let guarded = ClientCertificate(
            certificate: certificates.guardedClient.certificateFile,
            key: certificates.guardedClient.keyFile,
            password: Secret(TestCertificates.keyPassword)
        )
        let url = try #require(nginx.secureOrigin) + "/who"
        #expect(try answer(url, harness(guarded)) == "SUCCESS CN=client")
    }

    @Test func `an archive holds the certificate and its key`() throws {
        let nginx = try nginx()
        let archive = ClientCertificate(
            certificate: certificates.clientArchive,
            key: nil,
            password: Secret(TestCertificates.keyPassword)
        )
        let url = try #require(nginx.secureOrigin) + "/who"
        #expect(try answer(url, harness(archive)) == "SUCCESS CN=client")
    }

    @Test func `a certificate goes to its own servers only, also after a redirect`() throws {
        let other = try nginx()
        let otherOrigin = try #require(other.secureOrigin)
        let own = try nginx("location = /away { return 302 \(otherOrigin)/who; }")
        let ownOrigin = try #require(own.secureOrigin)
        let harness = try harness(client, for: .origin(try TransferURL(ownOrigin).origin))
        #expect(try answer(otherOrigin + "/who", harness) == "NONE ")
        #expect(try answer(ownOrigin + "/away", harness, key: 1) == "NONE ")
        #expect(try answer(ownOrigin + "/who", harness, key: 2) == "SUCCESS CN=client")
        // And not afterwards either, over a connection that is open already.
        #expect(try answer(otherOrigin + "/who", harness, key: 3) == "NONE ")
    }

    @Test func `a redirect to the certificate's origin gets the certificate`() throws {
        let own = try nginx()
        let ownOrigin = try #require(own.secureOrigin)
        let first = try nginx("location = /away { return 302 \(ownOrigin)/who; }")
        let harness = try harness(client, for: .origin(try TransferURL(ownOrigin).origin))
        let url = try #require(first.secureOrigin) + "/away"
        #expect(try answer(url, harness) == "SUCCESS CN=client")
    }

    @Test func `a certificate leaves no trace on a reused handle`() throws {
        let nginx = try nginx()
        let origin = try #require(nginx.secureOrigin)
        let harness = try harness(client, for: .origin(try TransferURL(origin).origin))
        #expect(try answer(origin + "/who", harness) == "SUCCESS CN=client")
        let byAddress = origin.replacing("localhost", with: "127.0.0.1") + "/who"
        #expect(try answer(byAddress, harness, key: 1) == "NONE ")
    }

    @Test(arguments: [
        "wrong password", "no password", "another's key", "no key", "not a certificate",
    ])
    func `an unusable certificate fails before any request`(fault: String) throws {
        let nginx = try nginx()
        var certificate = client
        switch fault {
        case "wrong password":
            certificate.key = certificates.guardedClient.keyFile
            certificate.password = Secret("sesame, perhaps")
        case "no password": certificate.key = certificates.guardedClient.keyFile
        case "another's key": certificate.key = certificates.server.keyFile
        case "no key": certificate.key = nil
        default: certificate.certificate = certificates.client.keyFile
        }
        let url = try #require(nginx.secureOrigin) + "/who"
        let result = try harness(certificate).run(.to(url))
        let failure = try #require(result.failure)
        #expect(failure.kind == .tls)
        #expect(failure.isPermanent)
        #expect(failure.isKnownUnprocessed)
        #expect(failure.urlError?.code == -1205)
        #expect(failure.detail.hasPrefix("the client certificate for localhost cannot be used: "))
        #expect(!failure.detail.contains("sesame"))
        #expect(try nginx.requests().isEmpty)
    }

    /// A server that insists on a certificate which it can verify.
    private func insisting(version: String) throws -> (RunningCommand, String) {
        let arguments = [
            "s_server", "-accept", "127.0.0.1:0", "-www", "-naccept", "1", "-verify_return_error",
            "-cert", certificates.server.certificateFile, "-key", certificates.server.keyFile,
            "-CAfile", certificates.authorityFile, "-Verify", "1", "-\(version)",
        ]
        let server = try Command("openssl", arguments).start()
        let line = try server.waitForLine(containing: "ACCEPT ")
        let port = try #require(line.split(separator: ":").last)
        return (server, "https://localhost:\(port)/")
    }

    @Test(arguments: ["tls1_2", "tls1_3"])
    func `a server that requires a certificate is named as the reason`(
        version: String
    ) throws {
        let (server, url) = try insisting(version: version)
        let failure = try harness(nil).run(.to(url)).failure
        #expect(failure?.kind == .tls)
        #expect(failure?.detail == "localhost asks for a client certificate")
        #expect(failure?.urlError?.code == -1206)
        #expect(failure?.isPermanent == true)
        #expect(failure?.isKnownUnprocessed == true)
        withExtendedLifetime(server) {}
    }

    @Test(arguments: ["tls1_2", "tls1_3"])
    func `a certificate that the server rejects is named as the reason`(
        version: String
    ) throws {
        let (server, url) = try insisting(version: version)
        let unknown = ClientCertificate(
            certificate: certificates.selfSigned.certificateFile,
            key: certificates.selfSigned.keyFile,
            password: nil
        )
        let failure = try harness(unknown).run(.to(url)).failure
        #expect(failure?.kind == .tls)
        #expect(
            failure?.detail == "localhost does not accept the client certificate: unknown ca",
            "\(failure?.detail ?? "")"
        )
        #expect(failure?.urlError?.code == -1205)
        #expect(failure?.isPermanent == true)
        withExtendedLifetime(server) {}
    }
}
