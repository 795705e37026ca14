import SystemKit

/// pyftpdlib from PyPI over a folder of its own; stops when released.
package final class FTPServer: Sendable {
    /// When connections begin TLS.
    package enum Security: String, Sendable {
        case none
        case explicit
        case implicit
    }

    /// The folder that users see as `/`.
    package let folder: TemporaryFolder
    private let server: ServerProcess
    private let log: TemporaryFolder
    private let security: Security

    /// The only user's name.
    package static let user = "ada"
    /// The only user's password.
    package static let password = "hunter2hunter2"

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(_ security: Security = .none) throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let own = root + ".build-python/bin/python"
        let program = (try? InputFile.kind(of: own)) == nil ? "python3" : own
        let script = ServerScript.path("ftp-server.py")
        let folder = try TemporaryFolder()
        let log = try TemporaryFolder()
        try log.write("", to: "log")
        let certificate = try TestCertificates.shared().server
        server = try ServerProcess("pyftpdlib (from PyPI: pyftpdlib)", readyAt: "ready") { port in
            [
                program, script, "\(port)", folder.path, log.path("log"), security.rawValue,
                certificate.certificateFile, certificate.keyFile,
            ]
        }
        self.folder = folder
        self.log = log
        self.security = security
    }

    /// Without a slash at its end.
    package var origin: String {
        "\(security == .implicit ? "ftps" : "ftp")://127.0.0.1:\(server.port)"
    }

    /// The commands so far, without the argument of `PASS`.
    package func commands() throws -> [String] {
        try log.text("log").split(separator: "\n").map(String.init)
    }
}

/// OpenSSH's sshd for this process's user, with keys of its own; stops when released.
package final class SSHServer: Sendable {
    /// The server's files; `files` in it has the files to transfer.
    package let folder: TemporaryFolder
    private let server: ServerProcess
    /// The user's name.
    package let user: String
    /// `SHA256:` and the base64 of the host key's digest.
    package let fingerprint: String

    /// Starts the server; throws `MissingTool` when it does not start.
    package init() throws {
        let folder = try TemporaryFolder()
        func make(_ name: String, _ password: String = "") throws {
            let arguments = ["-q", "-t", "ed25519", "-N", password, "-f", folder.path(name)]
            _ = try Command("ssh-keygen", arguments).run()
        }
        try make("host")
        try make("user")
        try make("stranger")
        try make("guarded", "open sesame")
        let keys = try folder.text("user.pub") + folder.text("guarded.pub")
        try folder.write(keys, to: "authorized", mode: 0o600)
        try folder.makeFolder("files")
        let listing = try Command("ssh-keygen", ["-lf", folder.path("host.pub")]).run()
        fingerprint = String(listing.standardOutput.split(separator: " ").dropFirst().first ?? "")
        let name = try Command("id", ["-un"]).run().standardOutput
        user = String(name.prefix { !$0.isNewline })
        let start = """
            PATH=$PATH:/usr/sbin
            [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
            exec "$(command -v sshd)" -D -e -f "$0"
            """
        server = try ServerProcess("openssh-server", readyAt: "Server listening on") { port in
            let lines = [
                "ListenAddress 127.0.0.1:\(port)", "HostKey \(folder.path("host"))",
                "AuthorizedKeysFile \(folder.path("authorized"))", "StrictModes no",
                "PidFile none", "UsePAM no", "PasswordAuthentication no", "MaxStartups 100",
                "PermitRootLogin prohibit-password", "Subsystem sftp internal-sftp",
            ]
            try folder.write(lines.joined(separator: "\n") + "\n", to: "config")
            return ["sh", "-c", start, folder.path("config")]
        }
        self.folder = folder
        let key = try folder.text("host.pub").split(separator: " ").prefix(2)
        try folder.write("[127.0.0.1]:\(port) \(key.joined(separator: " "))\n", to: "known_hosts")
    }

    /// The port of the server on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// The URL of a file in `files`.
    package func url(_ name: String) -> String {
        "sftp://127.0.0.1:\(port)\(folder.path("files"))/\(name)"
    }
}
