/// Some seventy peers that keep a client waiting or busy without end, each on a port of its own at
/// 127.0.0.1; they stop when released.
package final class HostilePeers: Sendable {
    private let server: ServerProcess
    /// The ports, by the names of the functions in `hostile-peers.py`.
    package let ports: [String: UInt16]

    /// Starts the peers, whose TLS has the certificate; throws `MissingTool` when they do not
    /// start.
    package init(certificate identity: TestCertificates.Identity) throws {
        let program = ServerScript.path("hostile-peers.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", identity.certificateFile, identity.keyFile]
        }
        var ports: [String: UInt16] = [:]
        for word in server.greeting.split(separator: " ") {
            let parts = word.split(separator: "=")
            if parts.count == 2 { ports[String(parts[0])] = UInt16(parts[1]) }
        }
        self.ports = ports
    }
}
