/// Debian's tinyproxy, an HTTP proxy that closes every connection after one request; stops when
/// released.
package final class Tinyproxy: Sendable {
    private let server: ServerProcess

    /// Starts the proxy and returns when it listens.
    ///
    /// Throws `MissingTool` when the proxy does not start.
    package init() throws {
        let folder = try TemporaryFolder()
        server = try ServerProcess(
            "tinyproxy (package tinyproxy-bin)",
            readyAt: "Starting main loop"
        ) { port in
            let configuration = """
                Port \(port)
                Listen 127.0.0.1
                Timeout 60
                LogLevel Info
                MaxClients 100
                DisableViaHeader Yes

                """
            return ["tinyproxy", "-d", "-c", try folder.write(configuration, to: "configuration")]
        }
    }

    /// The port of the proxy on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// Without a slash at its end.
    package var url: String { "http://127.0.0.1:\(server.port)" }
}
