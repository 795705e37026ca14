import SystemKit

/// SwiftNIO's server for resumable uploads (`NIOResumableUpload`); stops when released.
///
/// `make setup-test` builds it from its own package.
package final class ResumableUploadServer: Sendable {
    /// The completed uploads, by number from 1.
    private let folder: TemporaryFolder
    private let server: ServerProcess

    /// Starts the server; throws `MissingTool` when it does not start.
    ///
    /// `origin` precedes the paths of its uploads, which are relative without it.
    package init(origin: String = "") throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let program = root + ".build-upload-server/debug/resumable-upload-server"
        let folder = try TemporaryFolder()
        self.folder = folder
        server = try ServerProcess(program, readyAt: "ready") {
            [program, "\($0)", folder.path, origin]
        }
    }

    /// The server's port on 127.0.0.1.
    package var port: UInt16 { server.port }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(server.port)" }

    /// The bodies of the completed uploads, in order.
    package func bodies() throws -> [[UInt8]] {
        try folder.list().filter { !$0.hasPrefix(".") }.compactMap { Int($0) }.sorted()
            .map { try folder.read("\($0)") }
    }
}
