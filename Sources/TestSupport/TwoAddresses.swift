/// A host with two addresses of one family, the first of them useless, and a name for both.
///
/// Stops when released.
package final class TwoAddresses: Sendable {
    /// The behavior of the first address.
    package enum First: String, Sendable {
        /// Connections get no answer.
        case silent
        case refusing
    }

    /// The host's name in commands made by `naming`.
    package static let name = "two.test"
    /// The address that does not serve the request; `First` says how.
    package static let useless = "127.0.0.2"
    /// The address of the server.
    package static let useful = "127.0.0.3"

    private let server: ServerProcess
    private let folder: TemporaryFolder

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(_ first: First, named addresses: [String]) throws {
        let program = ServerScript.path("two-addresses.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", first.rawValue]
        }
        folder = try TemporaryFolder()
        try name(addresses)
    }

    /// An absolute URL at the host.
    package var url: String { "http://\(Self.name):\(server.port)/" }

    /// Changes the addresses of the name.
    package func name(_ addresses: [String]) throws {
        let lines = ["127.0.0.1 localhost"] + addresses.map { "\($0) \(Self.name)" }
        // Written in place, because running commands have mounted this file.
        try folder.write(lines.joined(separator: "\n") + "\n", to: "hosts")
    }

    /// The command in a namespace where the name has the addresses.
    package func naming(_ command: Command) -> Command {
        let script = "mount --bind \"$0\" /etc/hosts && exec \"$@\""
        var result = command
        result.executable = "unshare"
        result.arguments =
            ["-Urm", "sh", "-c", script, folder.path("hosts"), command.executable]
            + command.arguments
        return result
    }
}
