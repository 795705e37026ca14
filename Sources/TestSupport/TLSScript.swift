/// A server with TLS that a script plays; stops when released.
package final class TLSScript: Sendable {
    /// The files of the scripts.
    package enum Name: String, Sendable {
        /// An HTTP server with TLS 1.3 that sends a session ticket after each response, whose body
        /// has the number of its connection and the path.
        case tickets = "ticket-server.py"
        /// A server that sends back the bytes of a client, but only after its close_notify.
        case halfClose = "half-close-server.py"
        /// A server that sends five bytes and, in the same write, a record that no key protects.
        case brokenRecord = "broken-record-server.py"
    }

    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(_ name: Name, certificate: TestCertificates.Identity) throws {
        let program = ServerScript.path(name.rawValue)
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", certificate.certificateFile, certificate.keyFile]
        }
    }

    /// The server's port on 127.0.0.1.
    package var port: UInt16 { server.port }
}
