import SystemKit

/// The WebSocket server of the package `websockets` from PyPI; stops when released.
///
/// `/echo` sends each message back; `/feed` sends three messages with JSON and closes. It speaks
/// the subprotocol `v1`.
package final class WebSocketServer: Sendable {
    private let server: ServerProcess
    private let isSecure: Bool

    /// Starts the server and returns when it listens; with a certificate it speaks TLS.
    ///
    /// - Throws: `MissingTool` when it does not start.
    package init(certificate: TestCertificates.Identity? = nil) throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let own = root + ".build-python/bin/python"
        let program = (try? InputFile.kind(of: own)) == nil ? "python3" : own
        let script = ServerScript.path("websocket-server.py")
        isSecure = certificate != nil
        server = try ServerProcess("websockets (from PyPI)", readyAt: "listening") { port in
            [program, script, "\(port)"]
                + (certificate.map { [$0.certificateFile, $0.keyFile] } ?? [])
        }
    }

    /// Without a slash at its end.
    package var origin: String { "\(isSecure ? "wss" : "ws")://127.0.0.1:\(server.port)" }
}
