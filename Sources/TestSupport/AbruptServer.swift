/// Breaks TLS connections off with a reset and without an alert; stops when released.
///
/// A server that closes a connection with unread bytes does the same now and then, because its
/// reset overtakes its alert.
package final class AbruptServer: Sendable {
    /// When the server breaks a connection off.
    package enum Stage: String, Sendable {
        /// The client shows no certificate, which the server asked for (TLS 1.3).
        case handshake
        /// A request has come.
        case request
        /// A request has come from a client that the server has asked for a certificate in vain.
        case requestOfAsked = "request-of-asked"
    }

    private let server: ServerProcess

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - stage: When it breaks a connection off.
    ///   - certificates: Its own certificate is that for `localhost`.
    ///   - protocolName: The protocol that it chooses in the handshake (ALPN); nil for none.
    /// - Throws: `MissingTool` when it does not start.
    package init(
        at stage: Stage,
        certificates: TestCertificates,
        protocolName: String? = nil
    ) throws {
        let program = ServerScript.path("abrupt-server.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            [
                "python3", program, "\(port)", certificates.server.certificateFile,
                certificates.server.keyFile, certificates.authorityFile, stage.rawValue,
            ] + (protocolName.map { [$0] } ?? [])
        }
    }

    /// `https://localhost:PORT`.
    package var origin: String { "https://localhost:\(server.port)" }
}
