import SystemKit

/// httpbin from PyPI, which answers according to the path; one for the process.
package final class HTTPBin: Sendable {
    private let server: ServerProcess

    private static let started = Result { try HTTPBin() }

    /// The instance of this process, started by the first caller; throws `MissingTool` when it does
    /// not start.
    package static func shared() throws -> HTTPBin { try started.get() }

    private init() throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let own = root + ".build-python/bin/python"
        let program = (try? InputFile.kind(of: own)) == nil ? "python3" : own
        server = try ServerProcess("httpbin (from PyPI: httpbin)", readyAt: "Running on") { port in
            [program, "-m", "httpbin.core", "--host", "127.0.0.1", "--port", "\(port)"]
        }
    }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(server.port)" }
}
