/// Peers that keep a client waiting or busy, each on a port of its own at 127.0.0.1; they stop when
/// released.
package final class HostilePeers: Sendable {
    private let server: ServerProcess
    /// The ports, by the names that the program gives its peers.
    package let ports: [String: UInt16]

    /// Starts some seventy peers without end, the peers of `hostile-peers.py`, whose TLS has the
    /// certificate; throws `MissingTool` when they do not start.
    package convenience init(certificate identity: TestCertificates.Identity) throws {
        try self.init("hostile-peers.py", [], identity)
    }

    /// Starts a peer of each protocol for each fault of `faulty-peers.py`, with `server` behind the
    /// peers of SFTP; throws `MissingTool` when they do not start.
    package convenience init(
        before server: SSHServer,
        certificate identity: TestCertificates.Identity
    ) throws {
        try self.init("faulty-peers.py", ["\(server.port)"], identity)
    }

    private init(
        _ name: String,
        _ arguments: [String],
        _ identity: TestCertificates.Identity
    ) throws {
        let program = ServerScript.path(name)
        let files = [identity.certificateFile, identity.keyFile]
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)"] + files + arguments
        }
        var ports: [String: UInt16] = [:]
        for word in server.greeting.split(separator: " ") {
            let parts = word.split(separator: "=")
            if parts.count == 2 { ports[String(parts[0])] = UInt16(parts[1]) }
        }
        self.ports = ports
    }
}
