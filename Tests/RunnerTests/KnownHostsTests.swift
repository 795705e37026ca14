import SystemKit
import TestSupport
import Testing

/// `knownHosts` of a session against OpenSSH's sshd, as its own `ssh` reads the file.
@Suite struct KnownHostsTests {
    private func run(
        _ server: SSHServer,
        _ hosts: String,
        then command: [String] = []
    ) throws -> RunOutcome {
        try server.folder.write(hosts, to: "hosts")
        if let program = command.first {
            _ = try Command(program, Array(command.dropFirst())).run()
        }
        try FileServerTests.put([1], "files/x", in: server.folder)
        let job = try FileServerTests.sftp(
            server,
            "downloads: { a: { url: \"\(server.url("x"))\", to: out } }",
            trust: "knownHosts: \(server.folder.path("hosts"))"
        )
        return try job.run()
    }

    @Test func `patterns, hashed names and names without a port know a server`() throws {
        let server = try SSHServer()
        let key = try server.folder.text("host.pub").split(separator: " ").prefix(2)
            .joined(separator: " ")
        let stranger = try server.folder.text("stranger.pub").split(separator: " ").prefix(2)
            .joined(separator: " ")
        let name = "[127.0.0.1]:\(server.port)"
        for names in ["[127.0.0.*]:\(server.port)", "*", "127.0.0.1", "\(name),b.test"] {
            let run = try run(server, "\(names) \(key)\n")
            #expect(run.code == 0, "\(names): \(run.command.standardError)")
        }
        let hash = ["ssh-keygen", "-q", "-H", "-f", server.folder.path("hosts")]
        let hashed = try run(server, "\(name) \(key)\n", then: hash)
        #expect(try server.folder.text("hosts").hasPrefix("|1|"))
        #expect(hashed.code == 0, "\(hashed.command.standardError)")
        for (hosts, message) in [
            ("\(name) \(key)\n@revoked * \(key)\n", "no key of 127.0.0.1 that is not revoked"),
            ("127.0.0.*,!127.0.0.1 \(key)\n", "no key of 127.0.0.1"),
            ("127.0.0.1 \(key)\n\(name) \(stranger)\n", "not one of those in `knownHosts`"),
            ("@cert-authority * \(key)\n", "`@cert-authority`"),
        ] {
            let run = try run(server, hosts)
            #expect(run.kind("a") == "tls", "\(hosts)")
            #expect(run.command.standardError.contains(message), "\(run.command.standardError)")
        }
    }
}
