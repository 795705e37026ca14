/// Adds TLS to a plain server and forwards all bytes as they come; stops when released.
package final class TLSRelay: Sendable {
    private let server: ServerProcess

    /// Starts the relay for a loopback port; throws `MissingTool` when it does not start.
    ///
    /// Without `saysEnd` it ends connections without `close_notify`.
    package init(
        to target: UInt16,
        certificate: TestCertificates.Identity,
        saysEnd: Bool = true
    ) throws {
        let program = ServerScript.path("tls-relay.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            [
                "python3", program, "\(port)", certificate.certificateFile, certificate.keyFile,
                "\(target)", saysEnd ? "notify" : "silent",
            ]
        }
    }

    /// The relay's own port on 127.0.0.1.
    package var port: UInt16 { server.port }
}
