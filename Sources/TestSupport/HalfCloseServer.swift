/// Speaks TLS and sends back what a client has said, but only behind its close_notify; stops when
/// released.
package final class HalfCloseServer: Sendable {
    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(certificate: TestCertificates.Identity) throws {
        let program = ServerScript.path("half-close-server.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", certificate.certificateFile, certificate.keyFile]
        }
    }

    /// The port on 127.0.0.1.
    package var port: UInt16 { server.port }
}
