/// Debian's tinyproxy: an HTTP proxy that closes every connection after one request.
package final class Tinyproxy: Sendable {
    package let port: UInt16
    private let process: ProxyProcess

    /// Starts it and returns when it listens.
    ///
    /// Throws `MissingTool` when tinyproxy does not start.
    package init() throws {
        process = try ProxyProcess(
            ProxyProcess.Program(
                name: "tinyproxy",
                package: "tinyproxy-bin",
                arguments: ["-d", "-c", "$CONFIGURATION"]
            ) { ports, folder in
                """
                Port \(ports[0])
                Listen 127.0.0.1
                Timeout 60
                LogFile "\(folder.path("log"))"
                LogLevel Connect
                MaxClients 100
                DisableViaHeader Yes

                """
            }
        )
        port = process.ports[0]
    }

    /// Without a slash at its end.
    package var url: String { "http://127.0.0.1:\(port)" }
}
