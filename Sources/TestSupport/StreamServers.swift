import SystemKit

/// aiosmtpd from PyPI, which demands STARTTLS; stops when released.
package final class MailServer: Sendable {
    private let server: ServerProcess
    private let folder: TemporaryFolder

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(certificate: TestCertificates.Identity) throws {
        let folder = try TemporaryFolder()
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let own = root + ".build-python/bin/python"
        let program = (try? InputFile.kind(of: own)) == nil ? "python3" : own
        let script = ServerScript.path("smtp-server.py")
        server = try ServerProcess("aiosmtpd (from PyPI: aiosmtpd)", readyAt: "ready") { port in
            [
                program, script, "\(port)", certificate.certificateFile, certificate.keyFile,
                folder.path,
            ]
        }
        self.folder = folder
    }

    /// The port of the server on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// The messages that have arrived, each after a line about its envelope.
    package func messages() throws -> [String] {
        try folder.list().sorted().map { try folder.text($0) }
    }
}

/// Debian's redis-server with nothing on the disk; stops when released.
package final class RedisServer: Sendable {
    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init() throws {
        server = try ServerProcess("redis-server", readyAt: "Ready to accept") { port in
            [
                "redis-server", "--port", "\(port)", "--bind", "127.0.0.1", "--save", "",
                "--appendonly", "no",
            ]
        }
    }

    /// The port of the server on 127.0.0.1.
    package var port: UInt16 { server.port }
}

/// `openssl s_server`, which sends each line back in reverse; stops when released.
package final class ReversingTLSServer: Sendable {
    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    package init(certificate: TestCertificates.Identity) throws {
        server = try ServerProcess("openssl", readyAt: "ACCEPT") { port in
            [
                "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-cert",
                certificate.certificateFile, "-key", certificate.keyFile, "-rev",
            ]
        }
    }

    /// The port of the server on 127.0.0.1.
    package var port: UInt16 { server.port }
}
