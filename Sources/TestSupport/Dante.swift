import Glibc

/// Debian's danted, a SOCKS 4 and 5 proxy; stops when released.
package final class Dante: Sendable {
    private let server: ServerProcess

    /// Starts the proxy and returns when it listens.
    ///
    /// `wantsUser` admits only users of this machine, so no test's login. Throws `MissingTool` when
    /// the proxy does not start.
    package init(wantsUser: Bool = false) throws {
        let folder = try TemporaryFolder()
        server = try ServerProcess(
            "danted (package dante-server)",
            readyAt: "running"
        ) { port in
            let configuration = """
                logoutput: stderr
                internal: 127.0.0.1 port = \(port)
                external: 127.0.0.1
                clientmethod: none
                socksmethod: \(wantsUser ? "username" : "none")
                \(geteuid() == 0 ? "user.privileged: root\nuser.unprivileged: nobody" : "")
                client pass { from: 0/0 to: 0/0 }
                socks pass { from: 0/0 to: 0/0 protocol: tcp }

                """
            return ["danted", "-f", try folder.write(configuration, to: "configuration")]
        }
    }

    /// The port of the proxy on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// `127.0.0.1` and its port.
    package var address: String { "127.0.0.1:\(port)" }
}
