/// An HTTP server with TLS 1.3 that sends a session ticket after each response; stops when
/// released.
///
/// The body of a response has the number of its connection and the path.
package final class TicketServer: Sendable {
    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(certificate: TestCertificates.Identity) throws {
        let program = ServerScript.path("ticket-server.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", certificate.certificateFile, certificate.keyFile]
        }
    }

    /// The server's port on 127.0.0.1.
    package var port: UInt16 { server.port }
}
