/// A host with two addresses of one family, the first of which is of no use, and the name that
/// stands for them.
///
/// Gone when nobody holds it.
package final class TwoAddresses: Sendable {
    /// What happens to a connection to the first address.
    package enum First: String, Sendable {
        /// Nothing ever.
        case silent
        case refusing
    }

    /// The host's name, in commands that `naming` has made.
    package static let name = "two.test"
    package static let useless = "127.0.0.2"
    package static let useful = "127.0.0.3"

    private let server: ServerProcess
    private let folder: TemporaryFolder

    /// Starts it, and throws `MissingTool` when it does not start.
    package init(_ first: First, named addresses: [String]) throws {
        let program = #filePath.replacing("TwoAddresses.swift", with: "two-addresses.py")
        server = try ServerProcess("python3", readyAt: "ready") { port in
            ["python3", program, "\(port)", first.rawValue]
        }
        folder = try TemporaryFolder()
        try name(addresses)
    }

    /// An absolute URL at the host.
    package var url: String { "http://\(Self.name):\(server.port)/" }

    /// Lets the name stand for other addresses from now on.
    package func name(_ addresses: [String]) throws {
        let lines = ["127.0.0.1 localhost"] + addresses.map { "\($0) \(Self.name)" }
        // In its place: commands that run have mounted this file.
        try folder.write(lines.joined(separator: "\n") + "\n", to: "hosts")
    }

    /// A command for which the name stands for the addresses.
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
