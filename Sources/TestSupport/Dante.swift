import Glibc

/// Debian's danted: a SOCKS 4 and 5 proxy.
package final class Dante: Sendable {
    package let port: UInt16
    private let process: ProxyProcess

    /// Starts it and returns when it listens.
    ///
    /// `wantsUser` lets in only users of this machine, so nobody that a test could be. Throws `MissingTool` when danted
    /// does not start.
    package init(wantsUser: Bool = false) throws {
        process = try ProxyProcess(
            ProxyProcess.Program(
                name: "danted",
                package: "dante-server",
                arguments: ["-f", "$CONFIGURATION"]
            ) { ports, folder in
                """
                logoutput: \(folder.path("log"))
                internal: 127.0.0.1 port = \(ports[0])
                external: 127.0.0.1
                clientmethod: none
                socksmethod: \(wantsUser ? "username" : "none")
                \(geteuid() == 0 ? "user.privileged: root\nuser.unprivileged: nobody" : "")
                client pass { from: 0/0 to: 0/0 }
                socks pass { from: 0/0 to: 0/0 protocol: tcp }

                """
            }
        )
        port = process.ports[0]
    }

    /// `127.0.0.1` and its port.
    package var address: String { "127.0.0.1:\(port)" }
}
