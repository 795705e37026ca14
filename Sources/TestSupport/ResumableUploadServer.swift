import SystemKit

/// SwiftNIO's server of resumable uploads (`NIOResumableUpload`); gone when nobody holds it.
///
/// `make setup-test` builds it from a package of its own.
package final class ResumableUploadServer: Sendable {
    /// What has come to its end, by its number from 1.
    private let folder: TemporaryFolder
    private let server: ServerProcess

    /// Starts it, and throws `MissingTool` when it does not start.
    ///
    /// `origin` stands in front of the paths of its uploads, which are relative without it.
    package init(origin: String = "") throws {
        let root = #filePath.replacing(#/Sources/TestSupport/.*/#, with: "")
        let program = root + ".build-upload-server/debug/resumable-upload-server"
        let folder = try TemporaryFolder()
        self.folder = folder
        server = try ServerProcess(program, readyAt: "ready") {
            [program, "\($0)", folder.path, origin]
        }
    }

    package var port: UInt16 { server.port }

    /// Without a slash at its end.
    package var origin: String { "http://127.0.0.1:\(server.port)" }

    /// The bodies that came to their end, in their order.
    package func bodies() throws -> [[UInt8]] {
        try folder.list().filter { !$0.hasPrefix(".") }.compactMap { Int($0) }.sorted()
            .map { try folder.read("\($0)") }
    }
}
