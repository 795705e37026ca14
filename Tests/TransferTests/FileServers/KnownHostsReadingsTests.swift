import TestSupport
import Testing
import TransferModel

@testable import Transfer

/// How often a file of known hosts is read.
@Suite struct KnownHostsReadingsTests {
    @Test func `a file is read once for a server, and again when it has changed`() throws {
        let folder = try TemporaryFolder()
        let key = "ssh-ed25519 \(Base64.encode([0, 0, 0, 11] + Array("ssh-ed25519".utf8)))"
        let path = try folder.write("a.test \(key)\n", to: "known_hosts")
        let server = try TransferURL(fileServer: "sftp://a.test/x").origin
        let other = try TransferURL(fileServer: "sftp://b.test/x").origin
        var readings = KnownHostsReadings()
        let first = try readings.reading(of: path, for: server)
        #expect(first.hosts.knowsServer)
        #expect(try readings.reading(of: path, for: server) === first)
        #expect(try !readings.reading(of: path, for: other).hosts.knowsServer)
        try folder.write("@revoked * \(key)\na.test \(key)\n", to: "known_hosts")
        let second = try readings.reading(of: path, for: server)
        #expect(second !== first && !second.hosts.knowsServer && second.hosts.revokes)
    }
}
